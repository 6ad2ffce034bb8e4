package explain_test

import (
	"fmt"
	"os"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/explain"
)

// sum is a goal, its proof by two instances of one axiom, and the axiom.
func sum() (goal *law.Law, p *law.Proof, laws map[string]*law.Law) {
	comm, err := law.ParseLaw("# A sum may be turned around.\naxiom comm given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)")
	if err != nil {
		panic(err)
	}
	goal, err = law.ParseLaw("rule r given A : [m], B : [m], C : [m] then ewadd(relu(ewadd(A, B)), C) == ewadd(C, relu(ewadd(B, A)))")
	if err != nil {
		panic(err)
	}
	p = &law.Proof{}
	for _, xy := range [][2]string{{"A", "B"}, {"C", "relu(ewadd(A, B))"}} {
		t := law.InstanceText{Law: "comm", Tensors: map[string]string{"X": xy[0], "Y": xy[1]}, Dims: map[string]string{"n": "m"}}
		in, err := t.Instance(comm, goal.Given)
		if err != nil {
			panic(err)
		}
		p.Instances = append(p.Instances, in)
	}
	return goal, p, map[string]*law.Law{"comm": comm}
}

func ExampleText() {
	goal, p, laws := sum()
	if err := explain.Text(os.Stdout, goal, p, laws); err != nil {
		fmt.Println(err)
	}
	// Output:
	//      ewadd(relu(ewadd(A, B)), C)
	//   == ewadd(C, relu(ewadd(A, B)))
	//        by axiom comm, right to left: A sum may be turned around.
	//   == ewadd(C, relu(ewadd(B, A)))
	//        where ewadd(A, B) becomes ewadd(B, A)
	//        by axiom comm: A sum may be turned around.
}

func ExampleChain() {
	goal, p, laws := sum()
	chains, err := explain.Chain(goal, p, laws)
	for _, s := range chains[0] {
		fmt.Println(s.Law.Name, s.Path, s.Term)
	}
	fmt.Println(err, explain.Check(goal, p, laws, chains))
	// Output:
	// comm [] ewadd(C, relu(ewadd(A, B)))
	// comm [1 0] ewadd(C, relu(ewadd(B, A)))
	// <nil> <nil>
}

func ExampleCheck() {
	goal, p, laws := sum()
	chains, _ := explain.Chain(goal, p, laws)
	chains[0] = chains[0][:1]
	fmt.Println(explain.Check(goal, p, laws, chains))
	// Output:
	// replay r: output 0: the chain ends at ewadd(C, relu(ewadd(A, B))), not at ewadd(C, relu(ewadd(B, A)))
}

func ExamplePrimitive() {
	t, _ := law.ParseTerm("split[axis=0, at=2](X).1", []law.Declaration{{Name: "X", Shape: graph.ShapeOf(graph.Var("n"))}})
	fmt.Println(explain.Primitive(t, map[string]graph.Shape{"X": graph.ShapeOf(graph.Var("n"))}))
	// Output: slice[axis=0, lo=2, hi=n](X)
}

func ExampleSentence() {
	fmt.Println(explain.Sentence(&law.Law{Doc: "One sentence\non two lines."}))
	// Output: One sentence on two lines.
}
