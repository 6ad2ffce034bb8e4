package peer_test

import (
	"fmt"

	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/tasopb"
)

func ExampleRead() {
	f, err := peer.Read("equations.txt", []byte(
		"relu(relu(input_1))==relu(input_1)\n"+
			"smul(input_1)==input_1\n"), "")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Format)
	for _, r := range f.Rules {
		if r.Fault != nil {
			fmt.Println(r.Name, r.Fault)
			continue
		}
		fmt.Println(r.Name, r.TASO)
	}
	_, err = peer.Read("equations.txt", []byte("relu(input_1)=relu(input_2)"), peer.Verifier)
	fmt.Println(err)
	// Output:
	// taso-verifier
	// rule 0 relu(relu(x1)) => relu(x1)
	// rule 1 ill-formed: 2:1: smul has 1 argument, want 2
	// equations.txt:1:14: found '='; want ==
}

func ExampleDetect() {
	for _, head := range []string{
		"(relu ?x)=>(relu (relu ?x))",
		"rule a given X : [n] then relu(X) == X",
		`{"_t":"RuleCollection","rule":[]}`,
	} {
		format, err := peer.Detect("file", []byte(head))
		fmt.Println(format, err)
	}
	// Output:
	// tensat <nil>
	// text <nil>
	// flexflow <nil>
}

// idempotent is relu(relu(x)) => relu(x).
func idempotent() *tasopb.Rule {
	relu := func(of int32) tasopb.Operator {
		return tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: of}}}
	}
	return &tasopb.Rule{
		SrcOps: []tasopb.Operator{relu(-1), relu(0)},
		DstOps: []tasopb.Operator{relu(-1)},
		Mapped: []tasopb.MapOutput{{SrcOpID: 1}},
	}
}

func ExampleWriteVerifier() {
	lines, err := peer.WriteVerifier(idempotent())
	fmt.Println(lines, err)
	// Output: [relu(relu(input_1))==relu(input_1)] <nil>
}

func ExampleWriteTensat() {
	lines, err := peer.WriteTensat(idempotent())
	fmt.Println(lines, err)
	// Output: [(relu (relu ?input_1))=>(relu ?input_1)] <nil>
}

func ExampleWriteFlexFlow() {
	rule, err := peer.WriteFlexFlow("twice", idempotent())
	fmt.Println(err)
	fmt.Print(string(peer.FlexFlowFile([][]byte{rule})))
	// Output:
	// <nil>
	// {"_t":"RuleCollection","rule":[
	// {"_t":"Rule","name":"twice","srcOp":[{"_t":"Operator","type":"OP_RELU","input":[{"_t":"Tensor","opId":-1,"tsId":0}],"para":[]},{"_t":"Operator","type":"OP_RELU","input":[{"_t":"Tensor","opId":0,"tsId":0}],"para":[]}],"dstOp":[{"_t":"Operator","type":"OP_RELU","input":[{"_t":"Tensor","opId":-1,"tsId":0}],"para":[]}],"mappedOutput":[{"_t":"MapOutput","srcOpId":1,"srcTsId":0,"dstOpId":0,"dstTsId":0}]}
	// ]}
}
