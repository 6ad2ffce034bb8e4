package parallelize

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/parallel/plan"
)

// words of a graph's text that a corruption puts in the place of each other.
var swaps = [][2]string{
	{"reduce(", "drop("}, {"drop(", "reduce("}, {"replicate[", "lift["}, {"lift[", "replicate["},
	{"combine(", "combine[axis=1]("}, {"combine[axis=1](", "combine("},
	{"partition[axis=1, ", "partition["}, {"partition[", "partition[axis=1, "},
	{"relu(", "step("}, {"ewadd(", "ewmul("}, {"ewsub(", "ewadd("}, {"each_reducesum", "each_reducemax"},
	{"axis=0", "axis=1"}, {"axis=1", "axis=0"}, {"by=", "by=2"}, {"smul[", "scalaradd["},
	{"after=(1)", "after=(2)"}, {"shape=[15]", "shape=[16]"}, {"before=(0), after=(1)", "before=(1), after=(0)"},
}

var name = regexp.MustCompile(`^[a-z][A-Za-z0-9_]*$`)

// corrupt changes a plan in one place.
func corrupt(rng *rand.Rand, f plan.File) (plan.File, string) {
	lines := strings.Split(f.Graph, "\n")
	switch rng.IntN(6) {
	case 0, 1: // another operator, or attribute
		s := swaps[rng.IntN(len(swaps))]
		var at []int
		for i, l := range lines {
			if strings.Contains(l, s[0]) {
				at = append(at, i)
			}
		}
		if len(at) == 0 {
			return f, ""
		}
		i := at[rng.IntN(len(at))]
		lines[i] = strings.Replace(lines[i], s[0], s[1], 1)
		f.Graph = strings.Join(lines, "\n")
		return f, lines[i]
	case 2: // another operand
		i := rng.IntN(len(lines))
		open := strings.LastIndexByte(lines[i], '(')
		if open < 0 {
			return f, ""
		}
		args := strings.Split(strings.TrimSuffix(lines[i][open+1:], ")"), ", ")
		other, _, _ := strings.Cut(lines[rng.IntN(i+1)], " ")
		if !name.MatchString(other) {
			return f, ""
		}
		k := rng.IntN(len(args))
		if args[k] == other {
			return f, ""
		}
		args[k] = other
		lines[i] = lines[i][:open+1] + strings.Join(args, ", ") + ")"
		f.Graph = strings.Join(lines, "\n")
		return f, lines[i]
	case 3: // outputs in another order
		last := len(lines) - 1
		for last > 0 && !strings.HasPrefix(lines[last], "return") {
			last--
		}
		outs := strings.Split(strings.TrimPrefix(lines[last], "return "), ", ")
		i, k := rng.IntN(len(outs)), rng.IntN(len(outs))
		outs[i], outs[k] = outs[k], outs[i]
		lines[last] = "return " + strings.Join(outs, ", ")
		f.Graph = strings.Join(lines, "\n")
		return f, lines[last]
	case 4: // the sequential graph
		lines := strings.Split(f.Sequential, "\n")
		i := rng.IntN(len(lines))
		s := swaps[rng.IntN(len(swaps))]
		if !strings.Contains(lines[i], s[0]) {
			return f, ""
		}
		lines[i] = strings.Replace(lines[i], s[0], s[1], 1)
		f.Sequential = strings.Join(lines, "\n")
		return f, lines[i]
	}
	// the certificate
	lines = strings.Split(f.Certificate, "\n")
	i := rng.IntN(len(lines))
	if rng.IntN(2) == 0 {
		was := lines[i]
		lines = slices.Delete(lines, i, i+1)
		f.Certificate = strings.Join(lines, "\n")
		return f, "without " + was
	}
	at := regexp.MustCompile(`[0-9]+`).FindAllStringIndex(lines[i], -1)
	if len(at) == 0 {
		return f, ""
	}
	k := at[rng.IntN(len(at))]
	lines[i] = lines[i][:k[0]] + fmt.Sprint(rng.IntN(12)) + lines[i][k[1]:]
	f.Certificate = strings.Join(lines, "\n")
	return f, lines[i]
}

// computes evaluates a graph on random numbers modulo a prime, by inputs' names.
func computes(t *testing.T, text string) ([]interp.Tensor[uint64], error) {
	t.Helper()
	g, err := graph.ParseText("test", text)
	if err != nil {
		return nil, err
	}
	var in []interp.Tensor[uint64]
	for _, id := range g.Inputs() {
		sizes := g.Sizes(id.Out(0))
		in = append(in, interp.Tensor[uint64]{Sizes: sizes, Data: fingerprint.Random(3, g.Name(id), graph.NumElements(sizes))})
	}
	return interp.EvalGraph(ctx, fingerprint.Zp{Key: 7}, g, in)
}

// Plans that were changed in one place are rejected, or compute the same all the same: the
// certificate does not say how a plan was found, only that it is right.
func TestCorrupt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 14))
	var files []*plan.File
	for _, planner := range []string{"data", "fsdp", "megatron", "soap"} {
		files = append(files, made(t, "mlp-tiny", 16, planner, 4).File)
	}
	odd := made(t, "mlp-tiny", 15, "data", 4).File
	if len(odd.Padded) == 0 {
		t.Error("15 samples on 4 devices are not padded")
	}
	files = append(files, odd)
	rejected, harmless, malformed := 0, 0, 0
	kinds := map[string]int{}
	for rejected < sweep.Size(60, 200) {
		f := files[rng.IntN(len(files))]
		bad, what := corrupt(rng, *f)
		if what == "" || bad.Graph == f.Graph && bad.Sequential == f.Sequential && bad.Certificate == f.Certificate {
			continue
		}
		_, err := Check(ctx, &bad, "plan.json", cluster(t), nil, false)
		if _, no := graph.ParseText("graph", bad.Graph); no != nil && err != nil {
			malformed++ // no graph at all
			continue
		}
		if _, no := graph.ParseText("sequential", bad.Sequential); no != nil && err != nil {
			malformed++
			continue
		}
		if err != nil {
			rejected++
			switch {
			case bad.Certificate != f.Certificate:
				kinds["certificate"]++
			case bad.Sequential != f.Sequential:
				kinds["sequential"]++
			default:
				kinds["graph"]++
			}
			continue
		}
		harmless++
		before, after, err := bad.Ends(parsed(t, bad.Sequential), parsed(t, bad.Graph))
		if err != nil {
			t.Fatal(err)
		}
		want, err := computes(t, before.String())
		if err != nil {
			t.Fatal(err)
		}
		got, err := computes(t, after.String())
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if !slices.Equal(got[i].Data, want[i].Data) {
				t.Errorf("accepted, and output %d is another one: %s", i, what)
			}
		}
	}
	t.Logf("%d rejected, %v, %d no graphs at all, %d accepted that compute the same", rejected, kinds, malformed, harmless)
	for _, kind := range []string{"certificate", "graph"} {
		if kinds[kind] == 0 {
			t.Errorf("no %s was corrupted", kind)
		}
	}
	if harmless > sweep.Size(12, 40) {
		t.Errorf("%d of %d corruptions change nothing: they say little", harmless, harmless+rejected)
	}
}

// A plan of another model, or of another training of it, is no plan of this one.
func TestOtherModel(t *testing.T) {
	r := made(t, "mlp-tiny", 16, "data", 4)
	for _, other := range []struct {
		batch  int
		recipe plan.Recipe
		ok     bool
	}{
		{16, *r.File.Training, true},
		{32, *r.File.Training, false},
		{16, plan.Recipe{Loss: "meansquare", Optimizer: "sgd", Rate: 0.02}, false},
		{16, plan.Recipe{Loss: "meansquare", Optimizer: "adam", Rate: 0.01}, false},
	} {
		f := *r.File
		f.Training = &other.recipe
		got, err := Check(ctx, &f, "plan.json", cluster(t), network(t, "mlp-tiny", other.batch), false)
		if (err == nil) != other.ok || other.ok && !got.Model {
			t.Errorf("%+v: %v", other, err)
		}
	}
	f := *r.File
	f.Next = slices.Clone(f.Next)
	f.Next[0][1], f.Next[1][1] = f.Next[1][1], f.Next[0][1]
	if _, err := Check(ctx, &f, "plan.json", cluster(t), network(t, "mlp-tiny", 16), false); err == nil {
		t.Error("weights in each other's place are accepted")
	}
}
