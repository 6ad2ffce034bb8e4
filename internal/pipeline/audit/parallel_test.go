package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/tasopb"
)

// ffTerm reads terms such as "reduce0(ewadd(x1, relu(x2)))" as operators of FlexFlow:
// partition, combine, replicate and reduce of a dimension and degree 2, concat along an
// axis of three, linear and linear_relu.
func ffTerm(t *testing.T, text string) ([]tasopb.Operator, int32) {
	t.Helper()
	var ops []tasopb.Operator
	known := map[string]int32{} // one operator for equal terms
	at := 0
	var term func() int32
	term = func() int32 {
		start := at
		for at < len(text) && strings.IndexByte("(), ", text[at]) < 0 {
			at++
		}
		name := text[start:at]
		if name[0] == 'x' {
			return -int32(name[1] - '0')
		}
		var in []int32
		for text[at] != ')' {
			at++
			if text[at] == ' ' {
				at++
			}
			in = append(in, term())
		}
		at++
		if id, ok := known[text[start:at]]; ok {
			return id
		}
		o := tasopb.Operator{}
		for _, id := range in {
			o.Inputs = append(o.Inputs, tasopb.Tensor{OpID: id})
		}
		put := func(k tasopb.ParamKey, v int32) { o.Params = append(o.Params, tasopb.Parameter{Key: k, Value: v}) }
		digit := int32(name[len(name)-1] - '0')
		switch kind := strings.TrimRight(name, "012"); kind {
		case "partition", "combine", "replicate", "reduce":
			o.Type = map[string]tasopb.OpType{"partition": tasopb.OpPartition, "combine": tasopb.OpCombine,
				"replicate": tasopb.OpReplicate, "reduce": tasopb.OpReduce}[kind]
			put(tasopb.ParamParallelDim, digit)
			put(tasopb.ParamParallelDegree, 2)
		case "concat":
			o.Type = tasopb.OpConcat
			put(tasopb.ParamNumInputs, 2)
			put(tasopb.ParamAxis, digit)
			put(tasopb.ParamNumDim, 3)
		case "linear", "linear_relu":
			o.Type = tasopb.OpLinear
			put(tasopb.ParamActi, map[string]int32{"linear": int32(tasopb.ActNone), "linear_relu": int32(tasopb.ActRelu)}[kind])
		case "ewadd":
			o.Type = tasopb.OpEwAdd
		case "relu":
			o.Type = tasopb.OpRelu
		default:
			t.Fatalf("operator %q", name)
		}
		ops = append(ops, o)
		known[text[start:at]] = int32(len(ops) - 1)
		return int32(len(ops) - 1)
	}
	out := term()
	return ops, out
}

func ffRules(t *testing.T, texts ...string) *peer.File {
	f := &peer.File{Path: "f.json", Format: peer.FlexFlow}
	for i, text := range texts {
		src, dst, _ := strings.Cut(text, " => ")
		r := &tasopb.Rule{}
		var m tasopb.MapOutput
		r.SrcOps, m.SrcOpID = ffTerm(t, src)
		r.DstOps, m.DstOpID = ffTerm(t, dst)
		r.Mapped = []tasopb.MapOutput{m}
		f.Rules = append(f.Rules, peer.Rule{Index: i, Name: text, Source: text, TASO: r})
	}
	return f
}

// Verdicts of both readings, and of any degree in them, each worked out by hand.
func TestParallelReadings(t *testing.T) {
	type want struct {
		replicas, unity       Outcome
		replicasAny, unityAny Outcome // "" without degrees
	}
	const p, c, r, ill = Proved, Conditional, Refuted, IllFormed
	cases := []struct {
		rule string
		want want
	}{
		// Values stay where they are.
		{"combine1(partition2(partition1(x1))) => partition2(x1)", want{p, p, p, p}},
		{"partition1(x1) => combine2(partition1(partition2(x1)))", want{c, c, c, c}}, // 2 divides axis 2
		{"relu(partition1(x1)) => partition1(relu(x1))", want{p, p, p, p}},
		// Copies and sums. A sum of copies is no copy, and at degree 2 the double.
		{"reduce0(replicate0(x1)) => partition0(x1)", want{r, r, r, r}},
		{"reduce0(replicate0(x1)) => ewadd(x1, x1)", want{p, p, r, r}},
		{"reduce1(replicate2(x1)) => replicate2(reduce1(x1))", want{p, p, p, p}},
		{"relu(replicate1(x1)) => replicate1(relu(x1))", want{p, p, p, p}},
		{"relu(reduce1(x1)) => reduce1(relu(x1))", want{r, r, r, r}},
		{"ewadd(reduce1(x1), reduce1(x2)) => reduce1(ewadd(x1, x2))", want{p, p, p, p}},
		// Sums of the halves of two tensors are not the halves of both.
		{"concat1(reduce1(x1), reduce1(x2)) => reduce1(concat1(x1, x2))", want{r, r, r, r}},
		{"concat2(reduce1(x1), reduce1(x2)) => reduce1(concat2(x1, x2))", want{p, p, p, p}},
		// Linear by samples, by output channels, and not by input channels.
		{"linear(partition1(x1), x2) => partition1(linear(x1, x2))", want{p, p, p, p}},
		{"linear(x1, partition1(x2)) => partition2(linear(x1, x2))", want{p, p, p, p}},
		{"linear(partition1(x1), replicate0(x2)) => partition1(linear(x1, x2))", want{ill, p, "", p}},
		{"linear(reduce1(x1), x2) => reduce1(linear(x1, x2))", want{p, p, p, p}},
		{"linear(reduce2(x1), reduce2(x2)) => linear(x1, x2)", want{r, r, r, r}},
		{"linear_relu(reduce1(x1), x2) => reduce1(linear_relu(x1, x2))", want{r, r, r, r}},
		// Replicas: a product of batches keeps all of them, Unity's the first one.
		{"linear(concat0(x1, x3), concat0(x2, x4)) => concat0(linear(x1, x2), linear(x3, x4))", want{c, ill, "", ""}},
		{"linear(x1, x2) => linear(concat0(x1, x1), x2)", want{ill, p, "", ""}},
		{"linear(replicate0(x1), replicate0(x2)) => replicate0(linear(x1, x2))", want{p, ill, p, ""}},
		{"linear_relu(x1, x2) => relu(linear(x1, x2))", want{p, p, "", ""}},
	}
	var texts []string
	for _, x := range cases {
		texts = append(texts, x.rule)
	}
	reps, err := Run(context.Background(), []*peer.File{ffRules(t, texts...)}, Options{NoSet: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range cases {
		rule := reps[0].Rules[i]
		if len(rule.Readings) != 2 || rule.Readings[0].Semantics != "replicas" || rule.Readings[1].Semantics != "unity" {
			t.Fatalf("%s: readings %+v", x.rule, rule.Readings)
		}
		any := func(g Reading) Outcome {
			if g.AnyDegree == nil {
				return ""
			}
			return g.AnyDegree.Verdict
		}
		a, b := rule.Readings[0], rule.Readings[1]
		if got := (want{a.Forward.Verdict, b.Forward.Verdict, any(a), any(b)}); got != x.want {
			t.Errorf("%s: %v, want %v\n%s\n%s; %s", x.rule, got, x.want, rule.Law, a.Forward.Reason, b.Forward.Reason)
		}
	}
	examineParallel(t, reps[0])
}

// examineParallel replays the counterexamples, of which a law that is refuted has one.
func examineParallel(t *testing.T, rep *Report) {
	t.Helper()
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(rep); err != nil {
		t.Fatal(err)
	}
	all, err := ReplayAll(&b, "report")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if r.Err != nil {
			t.Errorf("%s: %v", r.Rule, r.Err)
		}
	}
	allDecided(t, rep)
}

// allDecided reports directions that are unknown, or refuted without a counterexample.
func allDecided(t *testing.T, rep *Report) {
	t.Helper()
	for _, r := range rep.Rules {
		for _, g := range r.Readings {
			ds := []Direction{g.Forward}
			if g.AnyDegree != nil {
				ds = append(ds, *g.AnyDegree)
			}
			for _, w := range ds {
				if w.Verdict == Refuted && w.Counterexample == nil || w.Verdict == Unknown {
					t.Errorf("%s, %s: %s without a counterexample: %s", r.Name, g.Semantics, w.Verdict, w.Reason)
				}
			}
		}
	}
}

// A rule with parallel operators is no rule of the other readings, and says so.
func TestParallelReadingsAsked(t *testing.T) {
	strict, _ := FindSemantics("strict")
	unity, _ := FindSemantics("unity")
	f := ffRules(t, "relu(partition1(x1)) => partition1(relu(x1))", "ewadd(x1, x2) => ewadd(x2, x1)")
	for _, x := range []struct {
		sem  Semantics
		want []Outcome
	}{{strict, []Outcome{Unsupported, Proved}}, {unity, []Outcome{Proved, Unsupported}}} {
		reps, err := Run(context.Background(), []*peer.File{f}, Options{NoSet: true, Semantics: []Semantics{x.sem}})
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range reps[0].Rules {
			if r.Verdict != x.want[i] || (r.Verdict == Unsupported) != (r.Reason == "none of the requested semantics covers these operators") {
				t.Errorf("%s, rule %d: %s, %s", x.sem.Name, i, r.Verdict, r.Reason)
			}
		}
	}
}

// Unity's published rules by reading, as written and with any degree.
func TestPublishedReadings(t *testing.T) {
	_, rep := published(t, "flexflow_graph_subst_3_v2.json")
	want := []map[string][2]map[Outcome]int{{
		"strict":         {{Proved: 11, Conditional: 1}, {}},
		"taso-generator": {{Proved: 11, Conditional: 1}, {}},
		"taso-runtime":   {{Proved: 7, Conditional: 5}, {}},
		"onnx":           {{Proved: 7, Conditional: 5}, {}},
		"replicas":       {{Proved: 97, Conditional: 20, Refuted: 1, IllFormed: 11}, {Proved: 93, Conditional: 6, Refuted: 1, IllFormed: 16}},
		"unity":          {{Proved: 103, Conditional: 25, Refuted: 1}, {Proved: 100, Conditional: 6, Refuted: 4, IllFormed: 15}},
	}, {
		"strict":         {{Proved: 44, Conditional: 6}, {}},
		"taso-generator": {{Proved: 44, Conditional: 6}, {}},
		"taso-runtime":   {{Proved: 28, Conditional: 22}, {}},
		"onnx":           {{Proved: 28, Conditional: 22}, {}},
		"replicas":       {{Proved: 377, Conditional: 55, Refuted: 5, IllFormed: 41}, {Proved: 349, Conditional: 22, Refuted: 7, IllFormed: 39}},
		"unity":          {{Proved: 394, Conditional: 79, Refuted: 5}, {Proved: 368, Conditional: 22, Refuted: 13, IllFormed: 45}},
	}}[sweep.Size(0, 1)]
	if len(rep.Summary.Readings) != len(want) {
		t.Errorf("%d readings, want %d", len(rep.Summary.Readings), len(want))
	}
	for _, c := range rep.Summary.Readings {
		if w := want[c.Semantics]; !maps.Equal(c.Verdicts, w[0]) || !maps.Equal(c.AnyDegree, w[1]) {
			t.Errorf("%s: %v, any degree %v; want %v", c.Semantics, c.Verdicts, c.AnyDegree, w)
		}
	}
	allDecided(t, rep) // TestPublished replays its counterexamples
}

// Only with the replica dimension first and the innermost last are most published rules
// with linear true.
func TestPublishedOrderOfDimensions(t *testing.T) {
	name := "flexflow_graph_subst_3_v2.json"
	data := golden.Data(t, name)
	unity, _ := FindSemantics("unity")
	for _, c := range []struct {
		from string
		data []byte
		hold int
	}{
		{"outermost", data, 105},
		{"innermost", bytes.ReplaceAll(data, []byte(`"mappedOutput"`), []byte(`"_innermost_of": 3, "mappedOutput"`)), 51},
	} {
		f, err := peer.Read(name, c.data, "")
		if err != nil {
			t.Fatal(err)
		}
		g := &peer.File{Path: name, Format: peer.FlexFlow}
		for _, r := range f.Rules {
			if r.TASO != nil && slices.Contains(r.Operators, "linear") {
				g.Rules = append(g.Rules, r)
			}
		}
		reps, err := Run(context.Background(), []*peer.File{g}, Options{NoSet: true, Semantics: []Semantics{unity}})
		if err != nil {
			t.Fatal(err)
		}
		v := reps[0].Summary.Verdicts
		if v[Proved]+v[Conditional] != c.hold {
			t.Errorf("dimensions from the %s: of %d rules %v", c.from, len(g.Rules), v)
		}
	}
}
