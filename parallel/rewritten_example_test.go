package parallel_test

import (
	"fmt"
	"log"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/parallel"
)

// A network that a law has made cheaper is what is laid out; the equation is about the one
// that came.
func ExampleNewLayingOf() {
	came, err := graph.ParseText("", "x : float32[4, 8]\ny = transpose(x)\nz = transpose(y)\nreturn z")
	if err != nil {
		log.Fatal(err)
	}
	to, err := graph.ParseText("", "x : float32[4, 8]\nreturn x")
	if err != nil {
		log.Fatal(err)
	}
	twice, err := law.ParseLaw("rule twice\n  given X : [a, b]\n  then transpose(transpose(X)) == X\n")
	if err != nil {
		log.Fatal(err)
	}
	r := &parallel.Rewriting{To: to, Laws: map[string]*law.Law{twice.Name: twice}, Instances: []law.Instance{{Law: twice.Name,
		Tensors: map[string]*law.Term{"X": law.V("X0")}, Dims: map[string]graph.Dim{"a": graph.Int(4), "b": graph.Int(8)}}}}
	l, err := parallel.NewLayingOf(came, r, parallel.NewStrategies())
	if err != nil {
		log.Fatal(err)
	}
	e := l.Equation()
	fmt.Println(e.LHS[0], "==", e.RHS[0])
	// Output: transpose(transpose(X0)) == X0
}

// Networks with other inputs are no rewritten form of each other.
func ExampleSameEnds() {
	a, err := graph.ParseText("", "x : float32[4, 8]\ny = relu(x)\nreturn y")
	if err != nil {
		log.Fatal(err)
	}
	b, err := graph.ParseText("", "x : float32[8, 4]\ny = transpose(x)\nreturn y")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(parallel.SameEnds(a, b))
	// Output: it has [input float32[8, 4] output float32[4, 8]], and what came has [input float32[4, 8] output float32[4, 8]]
}
