package tasopb_test

import (
	"fmt"

	"github.com/taso-go/taso/rules/tasopb"
)

func Example() {
	relu := tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: -1}}}
	again := tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: 0}}}
	set := &tasopb.RuleCollection{Rules: []tasopb.Rule{{
		SrcOps: []tasopb.Operator{relu, again},
		DstOps: []tasopb.Operator{relu},
		Mapped: []tasopb.MapOutput{{SrcOpID: 1, DstOpID: 0}},
	}}}
	data := set.Marshal()
	read, err := tasopb.Unmarshal(data)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(data), "bytes:", &read.Rules[0])
	fmt.Println("problems:", read.Validate())
	// Output:
	// 60 bytes: relu(relu(x1)) => relu(x1)
	// problems: <nil>
}

func ExampleUnmarshal() {
	_, err := tasopb.Unmarshal([]byte{0x0a, 0x06, 0x0a, 0x04, 0x08, 0x12, 0x12, 0x00})
	fmt.Println(err)
	// Output: byte 8, rule 0, src operator 0, input.opId: missing required field
}

func ExampleRuleCollection_Validate() {
	set := tasopb.RuleCollection{Rules: []tasopb.Rule{{
		SrcOps: []tasopb.Operator{{Type: tasopb.OpEwAdd, Inputs: []tasopb.Tensor{{OpID: -1}}}},
		Mapped: []tasopb.MapOutput{{SrcOpID: 0, DstOpID: -1}},
	}}}
	fmt.Println(set.Validate())
	// Output:
	// rule 0: mapped output 0 is of dst operator -1, there are 0
	// rule 0: src operator 0: EW_ADD has 1 inputs, want 2
}
