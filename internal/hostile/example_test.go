package hostile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/hostile"
)

func ExampleMachines() {
	for _, x := range hostile.Machines() {
		if x.Name == "alias of itself" {
			fmt.Printf("%s", x.Data)
		}
	}
	// Output: name: &a [*a]
}

func ExampleRules() {
	first := hostile.Rules()[0]
	fmt.Println(first.Name+":", len(first.Data), "bytes")
	// Output: product of four sums of 60 sizes: 1061 bytes
}

func ExampleCertificates() {
	fmt.Println(len(hostile.Certificates("", "")) >= 30)
	// Output: true
}

func ExampleGraphs() {
	fmt.Println(hostile.Graphs()[0].Name)
	// Output: tensor of 2^62 elements
}

func ExampleONNX() {
	fmt.Println(hostile.ONNX()[0].Ext)
	// Output: .onnx
}

func ExamplePlans() {
	_, err := hostile.Plans([]byte("no plan"))
	fmt.Println(err != nil)
	// Output: true
}

// Each input has a name of its own.
func TestNames(t *testing.T) {
	for _, list := range [][]hostile.Input{hostile.Rules(), hostile.Certificates("", ""), hostile.Graphs(), hostile.ONNX(), hostile.Machines()} {
		seen := map[string]bool{}
		for _, x := range list {
			if seen[x.Name] || x.Name == "" || !strings.HasPrefix(x.Ext, ".") {
				t.Errorf("%q%s: no name of its own", x.Name, x.Ext)
			}
			seen[x.Name] = true
		}
	}
}
