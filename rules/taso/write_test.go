package taso

import (
	"errors"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/tasopb"
)

// TestPublishedRoundTrip: the laws read from TASO's files, written and read
// again, are the same laws.
func TestPublishedRoundTrip(t *testing.T) {
	for _, name := range []string{"taso_graph_subst.pb", "taso_depth3.pb"} {
		c := sharedFile(t, name)
		set := &rules.Set{}
		var rs []*rules.Rule
		for i, tr := range From(c, Reading{}) {
			if tr.Err != nil {
				t.Fatal(tr.Err)
			}
			r, err := rules.New(tr.Law)
			if err != nil {
				t.Fatalf("rule %d: %v", i, err)
			}
			rs = append(rs, r)
		}
		set.AddAll(rs)
		pb, skips := To(set.Rules, Reading{})
		back := map[string]bool{}
		for i, tr := range From(pb, Reading{}) {
			if tr.Err != nil {
				t.Errorf("%s: rule %d: %v", name, i, tr.Err)
				continue
			}
			back[law.ID(tr.Law)] = true
		}
		skipped := map[string]bool{}
		reasons := map[string]int{}
		for _, s := range skips {
			skipped[s.Rule] = true
			reasons[s.Reason]++
		}
		lost := 0
		for _, r := range set.Rules {
			if !back[r.ID()] && !skipped[r.ID()] {
				if lost++; lost < 4 {
					t.Errorf("%s: lost\n%s", name, law.Format(r.Law))
				}
			}
		}
		if err := pb.Validate(); err != nil {
			t.Errorf("%s: what was written is senseless: %v", name, err)
		}
		t.Logf("%s: %d rules are %d laws, %d written as %d rules, skipped: %v",
			name, len(c.Rules), set.Len(), set.Len()-len(skipped), len(pb.Rules), reasons)
	}
}

func TestTo(t *testing.T) {
	for _, c := range []struct {
		src   string
		rules int // written
		skips []string
	}{
		// Any rank, but no axis is named: one rule, which is its own reverse.
		{`X : [P..], Y : [P..], Z : [P..] then ewadd(ewadd(X, Y), Z) == ewadd(X, ewadd(Y, Z))`, 1, nil},
		// Axes 0 and 1 of 2, 0 to 3 of 4, each way.
		{`X : [P.., a, S..], Y : [P.., b, S..] then relu(concat[axis=#P](X, Y)) == concat[axis=#P](relu(X), relu(Y))`, 12, nil},
		{`f : pointwise1, X : [P.., a, S..], Y : [P.., b, S..] then f(concat[axis=#P](X, Y)) == concat[axis=#P](f(X), f(Y))`, 12, nil},
		// Two strides, two paddings, two activations; each way.
		{`s : stride, p : padding, X : [b, c, h, w], Y : [b, c, h, w], W : [o, c, k, l]
		  then ewadd(conv2d[stride=s, pad=p](X, W), conv2d[stride=s, pad=p](Y, W)) == conv2d[stride=s, pad=p](ewadd(X, Y), W)`, 8, nil},
		// No dilation but 1 can be said, so a variable is said of that.
		{`r : stride, q : same, X : [b, c, h, w], W : [o, c, k, l]
		  then relu(conv2d[pad=q, dilation=r](X, W)) == conv2d[pad=q, act=relu, dilation=r](X, W)`, 2, nil},
		{`q : same, X : [b, c, h, w], W : [o, c, k, l]
		  then relu(conv2d[pad=q, dilation=(2, 2)](X, W)) == conv2d[pad=q, act=relu, dilation=(2, 2)](X, W)`, 0, []string{"dilation (2, 2) of the operator conv2d"}},
		{`a : act, q : same, X : [b, c, h, w], Y : [d, c, h, w], W : [o, c, k, l]
		  then concat[axis=0](conv2d[pad=q, act=a](X, W), conv2d[pad=q, act=a](Y, W)) == conv2d[pad=q, act=a](concat[axis=0](X, Y), W)`, 4, nil},
		{`X : [m, k], A : [k, a], B : [k, b] then (matmul(X, A), matmul(X, B)) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B)))`, 2, nil},
		// The rule on one half uses a variable that the other side lacks.
		{`X : [m, k], A : [k, a], B : [k, b] then matmul(X, A) == slice[axis=1, lo=0, hi=a](matmul(X, concat[axis=1](A, B)))`, 1, nil},
		{`X : [B.., m, k], Y : [B.., k, n], A : [] then smul(matmul(X, Y), A) == matmul(X, smul(Y, A))`, 2, []string{"a product of batches"}},
		{`p : padding, X : [b, c, h, w], Y : [b, d, h, w] then poolmax[kh=k, kw=k, pad=p](concat[axis=1](X, Y)) == concat[axis=1](poolmax[kh=k, kw=k, pad=p](X), poolmax[kh=k, kw=k, pad=p](Y))`, 4, nil},
		{`X : [m, n] then transpose(transpose(X)) == X`, 0, []string{"a side is the input A"}},
		{`X : [m, n] where k < n then slice[axis=1, lo=0, hi=k](relu(relu(X))) == slice[axis=1, lo=0, hi=k](relu(X))`, 0, []string{"the condition"}},
		{`X : [m, n] then slice[axis=1, lo=0, hi=k](relu(relu(X))) == slice[axis=1, lo=0, hi=k](relu(X))`, 0, []string{"a split where nothing was joined"}},
		{`X : [m, a], Y : [m, b], Z : [m, c] then relu(split[axis=1, at=a](concat[axis=1](concat[axis=1](X, Y), Z)).1) == split[axis=1, at=a](concat[axis=1](concat[axis=1](relu(X), relu(Y)), relu(Z))).1`,
			0, []string{"does not cut at the last concatenation"}},
		// The inner split takes the last seam away, the outer one finds the next.
		{`X : [m, a], Y : [m, b], Z : [m, c] then relu(split[axis=1, at=a](split[axis=1, at=a+b](concat[axis=1](concat[axis=1](X, Y), Z)).0).0) == relu(relu(split[axis=1, at=a](split[axis=1, at=a+b](concat[axis=1](concat[axis=1](X, Y), Z)).0).0))`, 2, nil},
		// Square matrices only: the format would say it of all.
		{`X : [n, n], Y : [n, n] then relu(concat[axis=1](X, Y)) == concat[axis=1](relu(X), relu(Y))`, 0, []string{"would say more"}},
		{`X : [b, c, h, w], W : [o, c, 3, 3] then conv2d[pad=(1, 1, 1, 1)](X, W) == conv2d[pad=(1, 1, 1, 1)](relu(relu(X)), W)`, 0, []string{"padding (1, 1, 1, 1)"}},
		{`X : [b, c, h, w], W : [o, c, 3, 3] then conv2d[pad=same_lower](X, W) == conv2d[pad=same_lower](relu(relu(X)), W)`, 0, []string{"padding same_lower"}},
	} {
		r := ruleOf(t, "rule x given "+c.src)
		pb, skips := To([]*rules.Rule{r}, Reading{})
		if len(pb.Rules) != c.rules {
			t.Errorf("%s: %d rules, want %d; %v", c.src, len(pb.Rules), c.rules, skips)
		}
		var all []string
		for _, s := range skips {
			all = append(all, s.String())
			if s.Rule != r.ID() {
				t.Errorf("%s: skip of %s", c.src, s.Rule)
			}
		}
		for _, w := range c.skips {
			if !strings.Contains(strings.Join(all, "\n"), w) {
				t.Errorf("%s: skips %v, want %q", c.src, all, w)
			}
		}
		if c.skips == nil && len(skips) > 0 {
			t.Errorf("%s: skips %v", c.src, all)
		}
		for _, tr := range From(pb, Reading{}) {
			if tr.Err != nil || !rules.Instance(splitForm(r.Law), tr.Law) {
				t.Errorf("%s: reads back as %v %v", c.src, tr.Law, tr.Err)
			}
		}
	}
}

func TestFrom(t *testing.T) {
	tensor := func(id int32) tasopb.Tensor { return tasopb.Tensor{OpID: id} }
	op := func(ty tasopb.OpType, in []tasopb.Tensor, kv ...int32) tasopb.Operator {
		o := tasopb.Operator{Type: ty, Inputs: in}
		for i := 0; i < len(kv); i += 2 {
			o.Params = append(o.Params, tasopb.Parameter{Key: tasopb.ParamKey(kv[i]), Value: kv[i+1]})
		}
		return o
	}
	ks := func(k tasopb.ParamKey) int32 { return int32(k) }
	one := []tasopb.MapOutput{{}}
	concat := func(a, b int32, axis int32) tasopb.Operator {
		return op(tasopb.OpConcat, []tasopb.Tensor{tensor(a), tensor(b)}, ks(tasopb.ParamNumInputs), 2, ks(tasopb.ParamNumDim), 2, ks(tasopb.ParamAxis), axis)
	}
	split := func(a, axis int32) tasopb.Operator {
		return op(tasopb.OpSplit, []tasopb.Tensor{tensor(a)}, ks(tasopb.ParamNumOutputs), 2, ks(tasopb.ParamAxis), axis)
	}
	relu := func(a int32) tasopb.Operator { return op(tasopb.OpRelu, []tasopb.Tensor{tensor(a)}) }
	add := func(a, b int32) tasopb.Operator {
		return op(tasopb.OpEwAdd, []tasopb.Tensor{tensor(a), tensor(b)})
	}
	for _, c := range []struct {
		name string
		rule tasopb.Rule
		law  string // expected, or
		err  string
	}{
		{"free rank", tasopb.Rule{SrcOps: []tasopb.Operator{add(-1, -2)}, DstOps: []tasopb.Operator{add(-2, -1)}, Mapped: one},
			`X : [P..], Y : [P..] then ewadd(X, Y) == ewadd(Y, X)`, ""},
		{"split of elementwise", tasopb.Rule{
			SrcOps: []tasopb.Operator{concat(-1, -2, 1), concat(-3, -4, 1), add(0, 1), split(2, 1), relu(3)},
			DstOps: []tasopb.Operator{add(-1, -3), relu(0), relu(1)}, Mapped: []tasopb.MapOutput{{SrcOpID: 4, DstOpID: 1}}}, "", "rule 0: contributes"},
		{"split of a sum", tasopb.Rule{
			SrcOps: []tasopb.Operator{concat(-1, -2, 1), concat(-3, -4, 1), add(0, 1), split(2, 1)},
			DstOps: []tasopb.Operator{add(-1, -3)}, Mapped: []tasopb.MapOutput{{SrcOpID: 3}}},
			`X : [m, a], Y : [m, b], Z : [m, a], W : [m, b]
			 then split[axis=1, at=a](ewadd(concat[axis=1](X, Y), concat[axis=1](Z, W))).0 == ewadd(X, Z)`, ""},
		{"no seam", tasopb.Rule{SrcOps: []tasopb.Operator{concat(-1, -2, 0), split(0, 1)}, DstOps: []tasopb.Operator{relu(-1)},
			Mapped: []tasopb.MapOutput{{SrcOpID: 1}}}, "", "src operator 1 (SPLIT): nothing was joined there"},
		{"unsupported", tasopb.Rule{SrcOps: []tasopb.Operator{op(tasopb.OpDropout, []tasopb.Tensor{tensor(-1)})}, DstOps: []tasopb.Operator{relu(-1)}, Mapped: one},
			"", "src operator 0 (DROPOUT): unsupported: operator DROPOUT"},
		{"ranks", tasopb.Rule{SrcOps: []tasopb.Operator{op(tasopb.OpMatmul, []tasopb.Tensor{tensor(-1), tensor(-2)}), op(tasopb.OpMul, []tasopb.Tensor{tensor(0), tensor(-2)})},
			DstOps: []tasopb.Operator{relu(-1)}, Mapped: []tasopb.MapOutput{{SrcOpID: 1}}}, "", "a tensor has"},
		{"three in a row", tasopb.Rule{
			SrcOps: []tasopb.Operator{op(tasopb.OpConcat, []tasopb.Tensor{tensor(-1), tensor(-2), tensor(-3)}, ks(tasopb.ParamNumInputs), 3, ks(tasopb.ParamNumDim), 2, ks(tasopb.ParamAxis), 0), relu(0)},
			DstOps: []tasopb.Operator{relu(-1), relu(-2), relu(-3), op(tasopb.OpConcat, []tasopb.Tensor{tensor(0), tensor(1), tensor(2)}, ks(tasopb.ParamNumInputs), 3, ks(tasopb.ParamNumDim), 2, ks(tasopb.ParamAxis), 0)},
			Mapped: []tasopb.MapOutput{{SrcOpID: 1, DstOpID: 3}}},
			`X : [a, n], Y : [b, n], Z : [c, n]
			 then relu(concat[axis=0](concat[axis=0](X, Y), Z)) == concat[axis=0](concat[axis=0](relu(X), relu(Y)), relu(Z))`, ""},
	} {
		tr := From(&tasopb.RuleCollection{Rules: []tasopb.Rule{c.rule}}, Reading{})[0]
		if c.law == "" {
			want := c.err
			if strings.HasPrefix(want, "rule 0: contributes") {
				want = "senseless rule"
			}
			if tr.Err == nil || !strings.Contains(tr.Err.Error(), want) {
				t.Errorf("%s: %v, want %q", c.name, tr.Err, want)
			}
			continue
		}
		if tr.Err != nil {
			t.Errorf("%s: %v", c.name, tr.Err)
			continue
		}
		want := parseLaw(t, "rule x given "+c.law)
		if law.ID(want) != law.ID(tr.Law) {
			t.Errorf("%s:\n%swant\n%s", c.name, law.Format(tr.Law), law.Format(want))
		}
	}
}

// TestFromTooLarge: operators that share their inputs write out as a term
// of exponential size.
func TestFromTooLarge(t *testing.T) {
	var r tasopb.Rule
	for i := int32(0); i < 60; i++ {
		in := tasopb.Tensor{OpID: i - 1}
		r.SrcOps = append(r.SrcOps, tasopb.Operator{Type: tasopb.OpEwAdd, Inputs: []tasopb.Tensor{in, in}})
	}
	r.DstOps = []tasopb.Operator{{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: -1}}}}
	r.Mapped = []tasopb.MapOutput{{SrcOpID: 59}}
	tr := From(&tasopb.RuleCollection{Rules: []tasopb.Rule{r}}, Reading{})[0]
	if !errors.Is(tr.Err, ErrUnsupported) || !strings.Contains(tr.Err.Error(), "operators written out") {
		t.Errorf("error %v", tr.Err)
	}
}

// TestPermutation: codes and permutations go over into each other.
func TestPermutation(t *testing.T) {
	for _, p := range [][]int64{{0}, {1, 0}, {2, 0, 1}, {0, 3, 1, 2}} {
		got, err := permutation(permutationCode(p), int64(len(p)))
		if err != nil || graph.TupleValue(got...) != graph.TupleValue(p...) {
			t.Errorf("%v: %v %v", p, got, err)
		}
	}
	if permutationCode([]int64{1, 0}) != 2 {
		t.Error("the transposition of matrices has code 2 in TASO's files")
	}
}

// FuzzFrom: hostile rules have a law that can be written, or an error.
func FuzzFrom(f *testing.F) {
	r := ruleOf(f, `rule x given X : [m, k], A : [k, a], B : [k, b] then (matmul(X, A), matmul(X, B)) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B)))`)
	q := ruleOf(f, `rule x given s : stride, X : [b, c, h, w], W : [o, c, k, l] then relu(conv2d[stride=s, pad=same_upper](X, W)) == conv2d[stride=s, pad=same_upper, act=relu](X, W)`)
	c, _ := To([]*rules.Rule{r, q}, Reading{})
	f.Add(c.Marshal())
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := tasopb.Unmarshal(data)
		if err != nil || len(c.Rules) > 8 {
			return
		}
		for _, tr := range From(c, Reading{}) {
			if (tr.Law == nil) == (tr.Err == nil) {
				t.Fatalf("law %v, error %v", tr.Law, tr.Err)
			}
			if tr.Law != nil {
				if _, err := law.ParseLaw(law.Format(tr.Law)); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}
