package onnx

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/graph"
)

func TestZZ(t *testing.T) {
	files, _ := filepath.Glob(os.Getenv("ZZ"))
	ok, dyn := 0, 0
	for _, f := range files {
		_, rep, err := Read(f, ReadOptions{Dynamic: true, Ranges: map[string]graph.Range{"sequence": {Lo: 1, Hi: 512}, "sequence_length": {Lo: 1, Hi: 512}}})
		name := filepath.Base(f)
		if err != nil {
			fmt.Printf("%-40s ERR %.260v\n", name, err)
			continue
		}
		if len(rep.Dynamic) == 0 {
			continue
		}
		dyn++
		if len(rep.Opaque) > 0 {
			fmt.Printf("%-40s vars %v opaque %d first %s %.200s\n", name, len(rep.Dynamic), len(rep.Opaque), rep.Opaque[0].Op, rep.Opaque[0].Reason)
			continue
		}
		ok++
		fmt.Printf("%-40s OK vars %d %v attrs %d outs %v\n", name, len(rep.Dynamic), rep.Dynamic, 0, 0)
	}
	fmt.Println(ok, "of", dyn)
}
