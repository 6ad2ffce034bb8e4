package peer_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/tasopb"
)

// show is a rule in short: its graph, its law, or its fault.
func show(r *peer.Rule) string {
	switch {
	case r.Fault != nil:
		s := r.Fault.Error()
		if len(r.Fault.Operators) > 0 {
			s += " " + fmt.Sprint(r.Fault.Operators)
		}
		return s
	case r.Law != nil:
		return law.FormatOutputs(r.Law.LHS) + " == " + law.FormatOutputs(r.Law.RHS)
	}
	return r.TASO.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     peer.Format // as detected
		want       []string    // each rule, "line:col " before
	}{
		{"one a line", "relu(input_1)==relu(relu(input_1))\n\nsmul(input_2,input_20)==smul(input_2,input_20)\n", peer.Verifier, []string{
			"1:1 relu(x1) => relu(relu(x1))", "3:1 smul(x2, x20) => smul(x2, x20)"}},
		{"run together", "relu(input_1)==input_1ewadd(input_1,Imatmul)==Imatmulrelu(input_3)==input_12", peer.Verifier, []string{
			"1:1 relu(x1) => x1", "1:23 ewadd(x1, Imatmul) => Imatmul", "1:54 relu(x3) => x12"}},
		{"both notations of the verifier", "matmul(2,input_1,input_4)==matmul(input_1,input_4)concat(1,4,input_7,input_8)==split_1(split(0,input_7))", peer.Verifier, []string{
			"1:1 matmul[act=relu](x1, x4) => matmul(x1, x4)",
			"1:51 concat[axis=1, numdim=4](x7, x8) => split[axis=0, num_outputs=2](x7).1"}},
		{"all operators", "conv2d(1,2,0,2,input_7,enlarge(3,3,input_10))==poolavg(3,3,1,1,0,poolmax(2,2,1,1,1,input_7)) " +
			"transpose(ewmul(Iewmul,input_1))==Cpool(3,3) Iconv(1,1)==ewadd(split_0(1,x),split_1(1,x))", peer.Verifier, []string{
			"1:1 conv2d[stride=1x2, pad=same, act=relu](x7, enlarge[kernel=3x3](x10)) => poolavg[kernel=3x3, stride=1x1, pad=same](poolmax[kernel=2x2, stride=1x1, pad=valid](x7))",
			"1:94 transpose[numdim=2, perm=2, outshuffle=0](ewmul(One, x1)) => Cpool[kernel=3x3]",
			"1:139 Iconv[kernel=1x1] => ewadd(split[axis=1, num_outputs=2](x1).0, split[axis=1, num_outputs=2](x1).1)"}},
		{"faults of equations", "relu(input_1,input_2)==input_1\nfoo(bar(input_1))==baz(1)\nconv2d(0,1,2,9,input_7,input_10)==input_7\n" +
			"relu(3)==concat(input_1,0,input_2) smul(input_1,99999999999)==relu(input_1) concat(99999999999,input_1,input_2)==split(0,input_1)\nrelu==split_0(input_1)", peer.Verifier, []string{
			"1:1 ill-formed: 1:1: relu has 2 arguments, want 1",
			"2:1 unsupported: 2:1: operator foo [bar baz foo]",
			"3:1 ill-formed: 3:1: parameter ACTI is 9, want 0 to 3 (and 2 more)",
			"4:1 ill-formed: 4:6: argument 1 of relu is the number 3, want a tensor (and 1 more)",
			"4:36 ill-formed: 4:49: argument 2 of smul is the number 99999999999, want a tensor",
			"4:77 ill-formed: 4:84: number 99999999999 is outside of 32 bits (and 1 more)",
			"5:1 ill-formed: 5:1: relu has 0 arguments, want 1 (and 1 more)"}},
		{"variables of equations are free", "input_1==split_0(1,concat(1,input_1,input_2))", peer.Verifier, []string{
			"1:1 x1 => split[axis=1, num_outputs=2](concat[axis=1](x1, x2)).0"}},

		{"s-expressions", "(matmul 2 ?input_1 ?a)=>(relu (matmul 0 ?input_1 ?a))\n(relu ?x)=>?x\n", peer.Tensat, []string{
			"1:1 matmul[act=relu](x1, x2) => relu(matmul[act=none](x1, x2))", "2:1 relu(x1) => x1"}},
		{"glued", "(relu ?x)=>(relu ?x)(relu ?y)=>?y(relu ?z)=>(relu\n ?z)", peer.Tensat, []string{
			"1:1 relu(x1) => relu(x1)", "1:21 relu(x1) => x1", "1:34 relu(x1) => relu(x1)"}},
		{"forms of Tensat", "(transpose ?x 0_2_1 1)=>(poolavg ?x 3 3 1 1 0 2) (merge ?w 2)=>(concat3 0 4 ?w ?w ?w) (enlarge ?x ?y)=>(enlarge ?y ?x)", peer.Tensat, []string{
			"1:1 transpose[numdim=3, perm=7, outshuffle=1](x1) => poolavg[kernel=3x3, stride=1x1, pad=same, act=relu](x1)",
			"1:50 merge_gconv[merge_gconv_count=2](x1) => concat[axis=0, numdim=4](x1, x1, x1)",
			"1:87 enlarge(x1, x2) => enlarge(x2, x1)"}},
		{"faults of s-expressions", "(relu ?x)=>(ewadd ?x ?y)\n(conv2d ?s ?s ?p 0 ?x ?w)=>(conv2d ?s ?s ?p 0 ?x ?w)\n" +
			"(input a@1_2)=>(dropout (noop ?z))\n(transpose ?x 0_0 0)=>?x (split 1 ?x)=>(relu relu)", peer.Tensat, []string{
			"1:1 ill-formed: 1:22: variable ?y does not occur on the left side",
			"2:1 unsupported: 2:9: attribute variable ?s",
			"3:1 ill-formed: 3:31: variable ?z does not occur on the left side [input noop]",
			"4:1 ill-formed: 4:15: 0_0 is no permutation: want such as 1_0",
			"4:26 ill-formed: 4:26: split has two results: want split_0 or split_1 of it (and 1 more)"}},
		{"halves after a single rule", "(relu ?x)=>?x\n(relu ?x)=>(split_0 (split 1 (relu (concat 1 2 ?x ?y))))\n(relu ?y)=>(split_1 (split 1 (relu (concat 1 2 ?x ?y))))\n(relu ?x)=>(split_0 (split 1 ?x))", peer.Tensat, []string{
			"1:1 relu(x1) => x1",
			"2:1 (relu(x1), relu(x2)) => (split[axis=1, num_outputs=2](relu(concat[axis=1, numdim=2](x1, x2))).0, split[axis=1, num_outputs=2](relu(concat[axis=1, numdim=2](x1, x2))).1)",
			"4:1 relu(x1) => split[axis=1, num_outputs=2](x1).0"}},
		{"pairs", "(relu ?x)=>?x\n(relu ?y)=>(relu (relu ?y))\n" +
			"(relu ?x)=>(split_0 (split 1 (relu (concat 1 2 ?x ?y))))\n(relu ?y)=>(split_1 (split 1 (relu (concat 1 2 ?x ?y))))", peer.TensatMulti, []string{
			"1:1 (relu(x1), relu(x2)) => (x1, relu(relu(x2)))",
			"3:1 (relu(x1), relu(x2)) => (split[axis=1, num_outputs=2](relu(concat[axis=1, numdim=2](x1, x2))).0, split[axis=1, num_outputs=2](relu(concat[axis=1, numdim=2](x1, x2))).1)"}},

		{"laws", "# Twice.\nrule a given X : [n] then relu(relu(X)) => relu(X)\n\n  axiom b given X : [n] then relu(Y) == rely(X)\nrule c given X : [P..] then ewadd(X, X) == ewadd(X, X)", peer.Text, []string{
			"2:1 relu(relu(X)) == relu(X)", "4:3 ill-formed: 4:35: tensor Y is not given; 4:41: unknown operator rely; did you mean relu?", "5:1 ewadd(X, X) == ewadd(X, X)"}},
		{"our JSON", `{"format":"taso-rules/1","header":{},"lemmas":[{"law":"lemma"}],"rules":[` + "\n" +
			` {"id":"r_1","law":"rule r_1 given X : [n] then relu(X) == X","proof":[]},` + "\n" +
			` {"id":"r_2","law":"rule"}, {"law":3}, {}]}`, peer.JSON, []string{
			"2:2 relu(X) == X", "3:2 ill-formed: 3:2: law: 1:5: rule: found the end of the text, want a name",
			"3:29 ill-formed: 3:29: law: number where string is wanted",
			`3:40 ill-formed: 3:40: no "law"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, err := peer.Read("f", []byte(c.text), "")
			if err != nil {
				t.Fatal(err)
			}
			if f.Format != c.format {
				t.Errorf("format %s, want %s", f.Format, c.format)
			}
			var got []string
			for i := range f.Rules {
				r := &f.Rules[i]
				got = append(got, fmt.Sprintf("%d:%d %s", r.Line, r.Col, show(r)))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

// What a rule says of itself.
func TestRule(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"relu(input_1)\n ==  input_1", `"rule 0" "relu(input_1) == input_1" true`},
		{"(relu ?x)=>?x", `"rule 0" "(relu ?x)=>?x" false`},
		{"rule a given X : [n] then relu(X) => X", `"a" "relu(X) => X" false`},
		{"rule a given X : [n] then relu(X) == X", `"a" "relu(X) == X" true`},
		{"rule a given X : [n] # why\n then rellu(X) == X", `"a" "rule a given X : [n] then rellu(X) == X" false`},
		{`{"rule":[{"name":"mine\u0007\n2","srcOp":[{"type":"OP_RELU","input":[{"opId":-1,"tsId":0}],"para":[]}],"dstOp":[],"mappedOutput":[]}]}`,
			`"mine? 2" "() => (); unused in src: relu(x1)" false`},
	} {
		f, err := peer.Read("f", []byte(c.text), "")
		if err != nil {
			t.Fatal(err)
		}
		r := f.Rules[0]
		if got := fmt.Sprintf("%q %q %v", r.Name, r.Source, r.Equation); got != c.want {
			t.Errorf("%s: %s, want %s", c.text, got, c.want)
		}
	}
}

// In pairs, the last rule of an odd number has no second one.
func TestOddPairs(t *testing.T) {
	f, err := peer.Read("f", []byte("(relu ?x)=>?x(relu ?y)=>?y\n(relu ?z)=>?z"), peer.TensatMulti)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Rules) != 2 || f.Rules[0].Fault != nil || f.Rules[1].Fault == nil || f.Rules[1].TASO != nil ||
		!strings.Contains(f.Rules[1].Fault.Error(), "2:1: a rule without a second one") {
		t.Errorf("%+v", f.Rules)
	}
}

// op is an operator of a FlexFlow rule: inputs are "-1", "0", "0.1".
func op(kind string, para map[string]int, inputs ...string) map[string]any {
	ins, ps := []any{}, []any{}
	for _, in := range inputs {
		var id, ts int
		fmt.Sscanf(strings.Replace(in, ".", " ", 1), "%d %d", &id, &ts)
		ins = append(ins, map[string]any{"opId": id, "tsId": ts})
	}
	for _, k := range []string{"PM_NUM_INPUTS", "PM_NUM_OUTPUTS", "PM_AXIS", "PM_NUMDIM", "PM_PARALLEL_DIM", "PM_PARALLEL_DEGREE", "PM_ACTI", "PM_FOO"} {
		if v, ok := para[k]; ok {
			ps = append(ps, map[string]any{"key": k, "value": v})
		}
	}
	return map[string]any{"type": kind, "input": ins, "para": ps}
}

func ffFile(t testing.TB, src, dst []any, mapped ...[4]int) []byte {
	t.Helper()
	ms := []any{}
	for _, m := range mapped {
		ms = append(ms, map[string]any{"srcOpId": m[0], "srcTsId": m[1], "dstOpId": m[2], "dstTsId": m[3]})
	}
	b, err := json.Marshal(map[string]any{"_t": "RuleCollection", "rule": []any{
		map[string]any{"name": "r", "srcOp": src, "dstOp": dst, "mappedOutput": ms}}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestFlexFlow(t *testing.T) {
	concat := func(axis int, in ...string) map[string]any {
		return op("OP_CONCAT", map[string]int{"PM_NUM_INPUTS": len(in), "PM_AXIS": axis, "PM_NUMDIM": 3}, in...)
	}
	split := func(axis int, in string) map[string]any {
		return op("OP_SPLIT", map[string]int{"PM_NUM_OUTPUTS": 2, "PM_AXIS": axis}, in)
	}
	relu := func(in ...string) map[string]any { return op("OP_RELU", nil, in...) }
	par := func(in ...string) map[string]any {
		return op("OP_REPLICATE", map[string]int{"PM_PARALLEL_DIM": 1, "PM_PARALLEL_DEGREE": 2}, in...)
	}
	innermost := func(n int, data []byte) []byte {
		return bytes.Replace(data, []byte(`"name":"r"`), []byte(fmt.Sprintf(`"_innermost_of":%d,"name":"r"`, n)), 1)
	}
	one := [4]int{}
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"axes", ffFile(t, []any{concat(0, "-1", "-2"), split(0, "0"), concat(2, "1.1", "1.0")}, []any{concat(2, "-2", "-1")}, [4]int{2, 0, 0, 0}),
			"concat[axis=2, numdim=3](split[num_outputs=2, axis=0](concat[axis=0, numdim=3](x1, x2)).1, split[num_outputs=2, axis=0](concat[axis=0, numdim=3](x1, x2)).0) => concat[axis=2, numdim=3](x2, x1)"},
		// Axis 0 is the innermost there, the outermost here.
		{"axes from the innermost", innermost(3, ffFile(t, []any{concat(0, "-1", "-2"), par("0"), split(2, "1")}, []any{concat(2, "-2", "-1")}, [4]int{2, 0, 0, 0})),
			"split[num_outputs=2, axis=0](replicate[parallel_dim=1, parallel_degree=2](concat[axis=2, numdim=3](x1, x2))).0 => concat[axis=0, numdim=3](x2, x1)"},
		{"an axis beyond", innermost(2, ffFile(t, []any{concat(2, "-1", "-2")}, []any{concat(0, "-2", "-1")}, one)),
			"ill-formed: src operator 0: AXIS is 2 of 2 dimensions"},
		{"a negative axis", innermost(3, ffFile(t, []any{concat(-1, "-1", "-2")}, []any{concat(0, "-2", "-1")}, one)),
			"ill-formed: src operator 0: AXIS is -1 of 3 dimensions; src operator 0: parameter AXIS is -1, want 0 to 1073741824"},
		{"no dimensions", innermost(0, ffFile(t, []any{relu("-1")}, []any{relu("-1")}, one)), "ill-formed: _innermost_of 0: want 1 to 64"},
		{"both names", ffFile(t, []any{op("OP_REPARTITION", map[string]int{"PM_PARALLEL_DIM": 1, "PM_PARALLEL_DEGREE": 4}, "-1"),
			op("OP_REDUCTION", map[string]int{"PM_PARALLEL_DIM": 2, "PM_PARALLEL_DEGREE": 4}, "0")}, []any{relu("-1")}, [4]int{1, 0, 0, 0}),
			"reduce[parallel_dim=2, parallel_degree=4](partition[parallel_dim=1, parallel_degree=4](x1)) => relu(x1)"},
		{"no degree", ffFile(t, []any{op("OP_COMBINE", map[string]int{"PM_PARALLEL_DIM": 1}, "-1")}, []any{relu("-1")}, one),
			"ill-formed: src operator 0: COMBINE lacks parameter PARALLEL_DEGREE"},
		{"degree 0", ffFile(t, []any{op("OP_COMBINE", map[string]int{"PM_PARALLEL_DIM": 1, "PM_PARALLEL_DEGREE": 0}, "-1")}, []any{relu("-1")}, one),
			"ill-formed: src operator 0: parameter PARALLEL_DEGREE is 0, want 1 to 1073741824"},
		{"pipeline", ffFile(t, []any{op("OP_PIPELINE", nil, "-1")}, []any{relu("-1")}, one), "unsupported: operators OP_PIPELINE [OP_PIPELINE]"},
		{"variables by both numbers", ffFile(t, []any{op("OP_EW_ADD", nil, "-1", "-1.1")}, []any{op("OP_EW_MUL", nil, "-1.1", "-3")}, one),
			"ill-formed: dst operator 0: variable -3 does not occur in the source"},
		{"two outputs", ffFile(t, []any{relu("-1"), relu("0")}, []any{relu("-1")}, [4]int{0, 0, 0, 0}, [4]int{1, 0, 0, 0}), "(relu(x1), relu(relu(x1))) => (relu(x1), relu(x1))"},
		{"parallel", ffFile(t, []any{par("-1"), op("OP_LINEAR", nil, "0", "-2")}, []any{op("OP_LINEAR", nil, "-1", "-2"), op("OP_FOO", nil)}, [4]int{1, 0, 0, 0}),
			"ill-formed: dst operator 1: neither an input nor a mapped output [OP_FOO]"},
		{"many results of what is not known", ffFile(t, []any{op("OP_FOO", nil, "-1"), relu("0.7")}, []any{relu("-1")}, [4]int{1, 0, 0, 0}), "unsupported: operators OP_FOO [OP_FOO]"},
		{"unbound", ffFile(t, []any{par("-1")}, []any{op("OP_EW_ADD", nil, "-1", "-7")}, one),
			"ill-formed: dst operator 0: variable -7 does not occur in the source"},
		{"arity of a parallel operator", ffFile(t, []any{par("-1", "-1")}, []any{relu("-1")}, one),
			"ill-formed: src operator 0: REPLICATE has 2 inputs, want 1"},
		{"arity of linear", ffFile(t, []any{op("OP_LINEAR", nil, "-1")}, []any{relu("-1")}, one), "ill-formed: src operator 0: OP_LINEAR has 1 inputs, want 2 to 3"},
		{"dangling", ffFile(t, []any{relu("4")}, []any{relu("-1")}, [4]int{0, 0, 9, 0}),
			"ill-formed: mapped output 0 is of dst operator 9, there are 1; src operator 0: input 0 is of operator 4, there are 1; dst operator 0: neither an input nor a mapped output (and 1 more)"},
		{"no output", ffFile(t, []any{relu("-1")}, []any{relu("-1")}),
			"ill-formed: no mapped output; src operator 0: neither an input nor a mapped output; dst operator 0: neither an input nor a mapped output"},
		{"parameter", ffFile(t, []any{op("OP_RELU", map[string]int{"PM_FOO": 1}, "-1")}, []any{relu("-1")}, one), "unsupported: operators OP_RELU with PM_FOO [OP_RELU with PM_FOO]"},
		{"missing id", []byte(`{"rule":[{"srcOp":[{"type":"OP_RELU","input":[{"opId":-1}]}],"dstOp":[],"mappedOutput":[]}]}`),
			"ill-formed: missing tsId of input 0 of src operator 0; no mapped output; src operator 0: neither an input nor a mapped output"},
		{"huge number", []byte(`{"rule":[{"srcOp":[{"type":"OP_RELU","input":[{"opId":-99999999999,"tsId":0}]}]}]}`),
			"ill-formed: srcOp.input.opId: number -99999999999 where int32 is wanted"},
		{"not a rule", []byte(`{"rule":[[1,2]]}`), "ill-formed: a rule that is no object but array"},
	} {
		f, err := peer.Read("f.json", c.data, "")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got := show(&f.Rules[0]); f.Format != peer.FlexFlow || got != c.want {
			t.Errorf("%s: %s\n%s\nwant\n%s", c.name, f.Format, got, c.want)
		}
	}
}

// A senseless rule of a protocol buffer leaves the others alone.
func TestTASOFaults(t *testing.T) {
	relu := func(id int32) tasopb.Operator {
		return tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: id}}}
	}
	rule := func(src, dst tasopb.Operator) tasopb.Rule {
		return tasopb.Rule{SrcOps: []tasopb.Operator{src}, DstOps: []tasopb.Operator{dst}, Mapped: []tasopb.MapOutput{{}}}
	}
	c := tasopb.RuleCollection{Rules: []tasopb.Rule{
		rule(relu(-1), relu(-1)),
		rule(relu(-1), relu(-2)),
		rule(relu(-1), relu(0)),
		rule(tasopb.Operator{Type: 77}, tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: -1}}, Params: []tasopb.Parameter{{Key: 99}}}),
		rule(tasopb.Operator{Type: 77, Inputs: []tasopb.Tensor{{OpID: -1}}}, relu(-1)),
		{Mapped: []tasopb.MapOutput{{SrcOpID: -1, DstOpID: -1}}},
	}}
	f, err := peer.Read("f.pb", c.Marshal(), "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range f.Rules {
		got = append(got, show(&f.Rules[i]))
	}
	want := []string{
		"relu(x1) => relu(x1)",
		"ill-formed: dst operator 0: variable -2 does not occur in the source",
		"ill-formed: dst operator 0: input 0 is of operator 0, which does not come earlier",
		"ill-formed: dst operator 0: variable -1 does not occur in the source [OP_RELU operator type 77]",
		"unsupported: src operator 0: unknown operator type 77 [operator type 77]",
		"ill-formed: mapped output 0 is of dst operator -1, there are 0; mapped output 0 is of src operator -1, there are 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDetect(t *testing.T) {
	long := strings.Repeat("(relu ?x)=>(relu ?x)\n", peer.HeadBytes/20)
	half := "(relu ?x)=>(split_0 (split 1 (concat 1 2 ?x ?y)))\n(relu ?y)=>(split_1 (split 1 (concat 1 2 ?x ?y)))\n"
	for _, c := range []struct {
		name, head string
		want       peer.Format
		err        string
	}{
		{"f", "", "", "f: the file is empty"},
		{"f", " \n\t", "", "f: the file is empty"},
		{"f", "\ufeffrelu(x)==x", peer.Verifier, ""},
		{"f.rules", "relu(x)==x", peer.Verifier, ""}, // the content counts
		{"f.rules", "hello", peer.Text, ""},
		{"f.txt", "hello\nworld", "", `f.txt: no known format; it begins with "hello world"`},
		{"f", "?x=>(relu ?x)", peer.Tensat, ""},
		{"f", "# a comment", peer.Text, ""},
		{"f", "section \"a\"", peer.Text, ""},
		{"f", "\n\x04\x0a\x02\x08\x08", peer.TASO, ""},
		{"f", "relu\x00", "", "f:1:5: byte 0x00: neither text nor a protocol buffer of TASO"},
		{"f.pb", "relu\x00", peer.TASO, ""},
		{"f", "a\n\xff", "", "f:2:1: byte 0xff: neither text nor a protocol buffer of TASO"},
		{"f", `{"_t":"RuleCollection"`, peer.FlexFlow, ""},
		{"f", `{"rules":[`, "", `f: JSON with neither "rule" (FlexFlow) nor "taso-rules/" (taso)`},
		{"f.json", `{}`, peer.FlexFlow, ""},
		{"f", ` {"format": "taso-rules/1"`, peer.JSON, ""},
		{"f", half, peer.TensatMulti, ""},
		{"f", half + "(relu ?x)=>?x", peer.Tensat, ""},
		{"f", "(relu ?x)=>?x" + half, peer.Tensat, ""},
		{"f", half + long, peer.TensatMulti, ""}, // the rest is not seen
		{"f", long[:peer.HeadBytes-1] + "é", peer.Tensat, ""},
	} {
		got, err := peer.Detect(c.name, []byte(c.head))
		if got != c.want || err == nil != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s %.30q: %s, %v; want %s, %s", c.name, c.head, got, err, c.want, c.err)
		}
	}
}

func TestWrite(t *testing.T) {
	for _, c := range []struct {
		text             string
		verifier, tensat string // or "error: …"
	}{
		{"concat(1,2,input_1,transpose(input_2))==split_1(0,relu(input_3))",
			"concat(1,2,input_1,transpose(input_2))==split_1(0,relu(input_3))",
			"(concat 1 2 ?input_1 (transpose ?input_2 1_0 0))=>(split_1 (split 0 (relu ?input_3)))"},
		{"(matmul 0 ?input_1 (transpose ?input_2 0_1 1))=>(poolmax 3 3 2 2 1 (Iconv 3 3))",
			"matmul(input_1,transpose(input_2,0_1,1))==poolmax(3,3,2,2,1,Iconv(3,3))",
			"(matmul 0 ?input_1 (transpose ?input_2 0_1 1))=>(poolmax (Iconv 3 3) 3 3 2 2 1 0)"},
		{"concat(1,input_1,Iewmul)==Imatmul", "concat(1,input_1,Iewmul)==Imatmul", "error: operator 1 (CONCAT): the format wants NUMDIM"},
		{"enlarge(3,3,input_1)==relu(input_1)", "enlarge(3,3,input_1)==relu(input_1)", "error: operator 0 (ENLARGE): the size of an enlarged kernel cannot be said"},
	} {
		f, err := peer.Read("f", []byte(c.text), "")
		if err != nil || f.Rules[0].TASO == nil {
			// The left sides of these s-expressions need not bind the right.
			t.Fatalf("%s: %v %v", c.text, err, f)
		}
		for _, w := range []struct {
			write func(*tasopb.Rule) ([]string, error)
			want  string
		}{{peer.WriteVerifier, c.verifier}, {peer.WriteTensat, c.tensat}} {
			out, err := w.write(f.Rules[0].TASO)
			got := strings.Join(out, "\n")
			if err != nil {
				got = "error: " + err.Error()
			}
			if got != w.want {
				t.Errorf("%s:\n%s\nwant\n%s", c.text, got, w.want)
			}
		}
	}
	kernel := &tasopb.Rule{
		SrcOps: []tasopb.Operator{{Type: tasopb.OpConv2D, Inputs: []tasopb.Tensor{{OpID: -1}, {OpID: -2}}, Params: []tasopb.Parameter{
			{Key: tasopb.ParamKernelH, Value: 3}, {Key: tasopb.ParamStrideH, Value: 1}, {Key: tasopb.ParamStrideW, Value: 1}, {Key: tasopb.ParamPad}, {Key: tasopb.ParamActi}}}},
		DstOps: []tasopb.Operator{{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: -1}}}}, Mapped: []tasopb.MapOutput{{}}}
	if _, err := peer.WriteVerifier(kernel); err == nil || err.Error() != "operator 0 (CONV2D): KERNEL_H = 3 cannot be said" {
		t.Error(err)
	}
}

// Published rules, written and read again, are the same graphs.
func TestPublishedRoundTrip(t *testing.T) {
	for _, c := range []struct {
		file  string
		write func(*tasopb.Rule) ([]string, error)
	}{{"taso_verifier_equations.txt", peer.WriteVerifier}, {"tensat_converted.txt", peer.WriteTensat}} {
		name, data := c.file, golden.Data(t, c.file)
		f, err := peer.Read(name, data, "")
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		for i := range f.Rules {
			lines, err := c.write(f.Rules[i].TASO)
			if err != nil {
				t.Fatalf("%s: %v", f.Rules[i].Source, err)
			}
			fmt.Fprintln(&b, strings.Join(lines, "\n"))
		}
		g, err := peer.Read(name, b.Bytes(), f.Format)
		if err != nil {
			t.Fatal(err)
		}
		if len(g.Rules) != len(f.Rules) {
			t.Fatalf("%s: %d rules, want %d", name, len(g.Rules), len(f.Rules))
		}
		for i := range f.Rules {
			if f.Rules[i].Source != g.Rules[i].Source || f.Rules[i].TASO.String() != g.Rules[i].TASO.String() {
				t.Errorf("%s is %s", f.Rules[i].Source, g.Rules[i].Source)
			}
		}
	}
}

// What is read of a file of FlexFlow is written and read again as the same graphs, and
// what its form cannot say is refused.
func TestWriteFlexFlow(t *testing.T) {
	name := "flexflow_graph_subst_3_v2.json"
	f, err := peer.Read(name, golden.Data(t, name), "")
	if err != nil {
		t.Fatal(err)
	}
	var rules [][]byte
	var want []string
	for i := range f.Rules {
		if f.Rules[i].TASO == nil {
			continue
		}
		text, err := peer.WriteFlexFlow(f.Rules[i].Name, f.Rules[i].TASO)
		if err != nil {
			t.Fatalf("%s: %v", f.Rules[i].Source, err)
		}
		rules, want = append(rules, text), append(want, f.Rules[i].Name+" "+f.Rules[i].TASO.String())
	}
	g, err := peer.Read(name, peer.FlexFlowFile(rules), "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range g.Rules {
		got = append(got, g.Rules[i].Name+" "+g.Rules[i].TASO.String())
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%d rules read, %d written", len(got), len(want))
	}
}

func TestWriteFlexFlowFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"(matmul 0 ?a ?b)=>(matmul 0 ?a ?b)", "src operator 0: FlexFlow's rules have no MATMUL"},
		{"(concat 0 2 (concat 0 3 ?a ?b) ?b)=>(relu ?a)", "tensors of different numbers of axes in one rule"},
	} {
		f, err := peer.Read("f", []byte(c.text), "")
		if err != nil || f.Rules[0].TASO == nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		if _, err := peer.WriteFlexFlow("r", f.Rules[0].TASO); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.text, err, c.want)
		}
	}
}
