package tasopb_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/rules/tasopb"
)

func ExampleRule_Problems() {
	transpose := func(of int32) tasopb.Operator {
		return tasopb.Operator{Type: tasopb.OpTranspose, Inputs: []tasopb.Tensor{{OpID: of}},
			Params: []tasopb.Parameter{{Key: tasopb.ParamNumDim, Value: 2}, {Key: tasopb.ParamPerm, Value: 2}}}
	}
	r := tasopb.Rule{
		SrcOps: []tasopb.Operator{transpose(-1), transpose(0)},
		Mapped: []tasopb.MapOutput{{SrcOpID: 1, DstOpID: -1}},
	}
	fmt.Println(&r)
	fmt.Println("in TASO's file:", r.Validate())
	fmt.Println("as an equation:", r.Problems(tasopb.Allow{BareSides: true}))
	// Output:
	// transpose[numdim=2, perm=2](transpose[numdim=2, perm=2](x1)) => x1
	// in TASO's file: mapped output 0 is of dst operator -1, there are 0
	// as an equation:
}

func TestProblems(t *testing.T) {
	relu := func(of int32) []tasopb.Operator {
		return []tasopb.Operator{{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: of}}}}
	}
	all := tasopb.Allow{BareSides: true, FreeVariables: true, Repeated: true}
	for _, c := range []struct {
		name  string
		rule  tasopb.Rule
		allow tasopb.Allow
		want  string
	}{
		{"free", tasopb.Rule{SrcOps: relu(-1), DstOps: relu(-2), Mapped: []tasopb.MapOutput{{}}}, tasopb.Allow{BareSides: true, Repeated: true},
			"dst operator 0: variable -2 does not occur in the source"},
		{"free, allowed", tasopb.Rule{SrcOps: relu(-1), DstOps: relu(-2), Mapped: []tasopb.MapOutput{{}}}, tasopb.Allow{FreeVariables: true}, ""},
		{"a bare side that is free", tasopb.Rule{SrcOps: relu(-1), Mapped: []tasopb.MapOutput{{DstOpID: -2}}}, tasopb.Allow{BareSides: true},
			"mapped output 0 is variable -2, which does not occur in the source"},
		{"a bare side that is free, allowed", tasopb.Rule{SrcOps: relu(-1), Mapped: []tasopb.MapOutput{{DstOpID: -2}}}, all, ""},
		{"a bare side binds", tasopb.Rule{DstOps: relu(-1), Mapped: []tasopb.MapOutput{{SrcOpID: -1}}}, tasopb.Allow{BareSides: true}, ""},
		{"half of a variable", tasopb.Rule{DstOps: relu(-1), Mapped: []tasopb.MapOutput{{SrcOpID: -1, SrcTsID: 1}}}, all,
			"mapped output 0 is output 1 of variable -1, which has one output"},
		{"bare sides leave operators unused", tasopb.Rule{SrcOps: relu(-1), Mapped: []tasopb.MapOutput{{SrcOpID: -1, DstOpID: -1}}}, all,
			"src operator 0: neither an input nor a mapped output"},
		{"repeated", tasopb.Rule{SrcOps: relu(-1), DstOps: relu(-1), Mapped: []tasopb.MapOutput{{}, {}}}, tasopb.Allow{BareSides: true, FreeVariables: true},
			"mapped outputs 0 and 1 have the same source tensor"},
		{"repeated, allowed", tasopb.Rule{SrcOps: relu(-1), DstOps: relu(-1), Mapped: []tasopb.MapOutput{{}, {}}}, tasopb.Allow{Repeated: true}, ""},
		{"outputs of anything", tasopb.Rule{SrcOps: []tasopb.Operator{{Type: tasopb.OpAny, Params: []tasopb.Parameter{{Key: tasopb.ParamNumOutputs, Value: 3}}}},
			DstOps: []tasopb.Operator{{Type: tasopb.OpAny}}, Mapped: []tasopb.MapOutput{{SrcTsID: 2}, {SrcTsID: 3, DstTsID: 1}}}, tasopb.Allow{},
			"mapped output 1 is output 1 of dst operator 0, which has 1\nmapped output 1 is output 3 of src operator 0, which has 3"},
	} {
		got := ""
		if ps := c.rule.Problems(c.allow); len(ps) > 0 {
			got = ps.Error()
		}
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}

	unknown := tasopb.Rule{SrcOps: []tasopb.Operator{{Type: 77, Params: []tasopb.Parameter{{Key: 99}, {Key: tasopb.ParamPad, Value: 9}}}},
		DstOps: []tasopb.Operator{{Type: tasopb.OpAny}}, Mapped: []tasopb.MapOutput{{}}}
	for _, p := range unknown.Problems(tasopb.Allow{}) {
		if want := p.Text != "parameter PAD is 9, want 0 to 1"; p.Unknown != want {
			t.Errorf("%s: unknown %v, want %v", p, p.Unknown, want)
		}
	}
}
