package optimize

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/search"
)

func TestZMoves(t *testing.T) {
	f := filepath.Join(os.Getenv("HOME"), ".cache/taso/optimizers/files", os.Getenv("ZZ"))
	m, _, err := onnx.Read(f, onnx.ReadOptions{Dynamic: os.Getenv("FIXED") == "", Shapes: map[string][]int{"N": {2}, "s6": {2}}, Some: true})
	if os.Getenv("FIXED") == "" {
		m, _, err = onnx.Read(f, onnx.ReadOptions{Dynamic: true})
	}
	if err != nil {
		t.Fatal(err)
	}
	w, err := knownWeights(m)
	if err != nil {
		t.Fatal(err)
	}
	net, _, err := bank.FromReal(m.Graph, nil, w)
	if err != nil {
		t.Fatal(err)
	}
	laws, _ := DefaultLaws(false)
	rules, _, err := search.NewRulesFrom(nil, laws)
	if err != nil {
		t.Fatal(err)
	}
	r := search.NewRewriter(net, rules)
	n, c := map[string]int{}, map[string]int{}
	errs := map[string]int{}
	r.All(func(x *search.Match) bool {
		name := x.Direction.Law.Law.Name
		n[name]++
		if len(x.Conds) > 0 {
			c[fmt.Sprint(name, x.Conds)]++
			return true
		}
		mark := net.Mark()
		if err := r.Apply(x); err != nil {
			errs[name+": "+err.Error()]++
		}
		net.Undo(mark)
		return true
	})
	fmt.Println(len(n), n)
	fmt.Println(c)
	for e, k := range errs {
		fmt.Println(k, e)
	}
}
