package optimize_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/model"
)

// proofFile is a certificate that has been read.
type proofFile struct {
	axioms  string
	lemmas  []law.CertRule
	network law.CertRule
}

func readProof(t *testing.T, file []byte) *proofFile {
	t.Helper()
	r, err := law.NewCertReader(bytes.NewReader(file), "proof")
	if err != nil {
		t.Fatal(err)
	}
	f := &proofFile{axioms: r.Axioms}
	for {
		e, lemma, err := r.Next()
		switch {
		case err == io.EOF:
			return f
		case err != nil:
			t.Fatal(err)
		case lemma:
			f.lemmas = append(f.lemmas, e)
		default:
			f.network = e
		}
	}
}

func (f *proofFile) bytes(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := law.NewCertWriter(&b, f.axioms)
	var err error
	for _, l := range f.lemmas {
		err = errors.Join(err, w.Lemma(l))
	}
	if err = errors.Join(err, w.Rule(f.network), w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// laws are those that the entry of the networks may use.
func (f *proofFile) laws(t *testing.T) map[string]*law.Law {
	t.Helper()
	ls, err := law.Parse("axioms", []byte(f.axioms))
	if err != nil {
		t.Fatal(err)
	}
	use := map[string]*law.Law{}
	for _, l := range ls {
		use[l.Name] = l
	}
	for i := range f.lemmas {
		if use[f.lemmas[i].ID], err = f.lemmas[i].Statement(); err != nil {
			t.Fatal(err)
		}
	}
	return use
}

// refusedAnyhow is whether a certificate is not accepted, as rejected or as a file that
// cannot be read.
func refusedAnyhow(cert []byte, a, b *model.Model) bool {
	_, err := optimize.CheckProof(context.Background(), bytes.NewReader(cert), "corrupted", a, b, false)
	return err != nil
}

// Proofs of optimized models are corrupted at random, one thing each, fifty times in make test.
// What is accepted all the same is the equation as it was, which follows from the
// instances that are left: there are several ways through a network to what is equal.
// TASO_CORRUPT_MODELS=1 takes all models and forms, TASO_CORRUPTIONS as many for each.
func TestCorruptedProofs(t *testing.T) {
	names := []string{"squeezenet-tiny", "nasrnn+cell-tiny", "bert+qkv-tiny", "bert+qkvo-tiny"}[:sweep.Size(2, 4)]
	if fromEnv(t, "TASO_CORRUPT_MODELS", 0) > 0 {
		names = nil
		for _, name := range models.Names() {
			names = append(names, name+"-tiny")
		}
		for _, v := range models.Variants("") {
			names = append(names, v.Name+"-tiny")
		}
	}
	count := fromEnv(t, "TASO_CORRUPTIONS", sweep.Size(50, 100))
	on := machine(t)
	var files [][]byte
	var results []*optimize.Result
	var originals []*model.Model
	for i, name := range names {
		m, err := models.Build(name, 1)
		if err != nil {
			t.Fatal(err)
		}
		res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: on, Tries: 300, NoVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		if refusedAnyhow(res.Proof, m, res.Model) {
			t.Fatalf("%s: its own proof is refused", name)
		}
		if res.StepCount == 0 {
			t.Logf("%s: nothing cheaper is found, its proof has no steps", name)
			continue
		}
		f := readProof(t, res.Proof)
		use := f.laws(t)
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		kinds, still := map[string]bool{}, 0
		for range count {
			bad, what, err := mutate.Entry(rng, f.network, use)
			if err != nil {
				t.Fatal(err)
			}
			kinds[what] = true
			cert := (&proofFile{f.axioms, f.lemmas, bad}).bytes(t)
			if refusedAnyhow(cert, m, res.Model) {
				continue
			}
			if still++; statement(t, bad) != statement(t, f.network) {
				t.Errorf("%s: %s: accepted", name, what)
			}
		}
		if still > count/2 {
			t.Errorf("%s: %d of %d corrupted proofs are proofs still", name, still, count)
		}
		t.Logf("%s: %d steps, %d instances; of %d corrupted proofs in %d ways %d are rejected, %d are proofs of the same equation still",
			name, res.StepCount, len(f.network.Proof), count, len(kinds), count-still, still)
		aimed(t, name, f, m, res.Model, use)
		files, results, originals = append(files, res.Proof), append(results, res), append(originals, m)
	}
	for i := range files {
		j := (i + 1) % len(files)
		same := originals[i].Graph.Hash() == originals[j].Graph.Hash() // of two forms, when small
		if i == j || same {
			continue
		}
		if !refusedAnyhow(files[j], originals[i], results[i].Model) {
			t.Errorf("%s: a proof of %s is accepted", originals[i].Name, originals[j].Name)
		}
		// Two forms of one model may have one result; then the proof is one of both.
		if !refusedAnyhow(files[i], originals[i], results[j].Model) {
			t.Logf("%s and %s: one result", originals[i].Name, originals[j].Name)
			a, b := results[i].Model, results[j].Model
			rep, err := verifymodels.Run(context.Background(), verifymodels.Options{A: a, B: b, Tolerance: 1e-6})
			if err != nil || !rep.Agree || rep.Exact.Verdict != verifymodels.Equal {
				t.Errorf("%s: the proof is accepted of the result of %s: %v\n%s", originals[i].Name, originals[j].Name, err, rep)
			}
		}
	}
}

// statement is the law of an entry, written out, the instances left aside. Operands of
// commutative operators may stand in either order in it.
func statement(t *testing.T, e law.CertRule) string {
	t.Helper()
	l, err := e.Statement()
	if err != nil {
		t.Fatal(err)
	}
	r := law.NewCertRule(e.ID, l, &law.Proof{})
	return r.Law + "\n" + strings.Join(r.Nodes, "\n")
}

// aimed corrupts what a random change seldom meets.
func aimed(t *testing.T, name string, f *proofFile, a, b *model.Model, use map[string]*law.Law) {
	t.Helper()
	l, p, err := f.network.Decode(func(n string) (*law.Law, bool) { x, ok := use[n]; return x, ok })
	if err != nil {
		t.Fatal(err)
	}
	entry := func(change func(l *law.Law, p *law.Proof)) []byte {
		m, q := *l, law.Proof{Instances: slices.Clone(p.Instances)}
		m.LHS, m.RHS, m.Given = slices.Clone(l.LHS), slices.Clone(l.RHS), slices.Clone(l.Given)
		change(&m, &q)
		return (&proofFile{f.axioms, f.lemmas, law.NewCertRule("network", &m, &q)}).bytes(t)
	}
	good := f.bytes(t)
	for _, c := range []struct {
		what string
		cert []byte
	}{
		{"no instances", entry(func(_ *law.Law, p *law.Proof) { p.Instances = nil })},
		{"sides exchanged", entry(func(l *law.Law, _ *law.Proof) { l.LHS, l.RHS = l.RHS, l.LHS })},
		{"left side twice", entry(func(l *law.Law, _ *law.Proof) { l.RHS = l.LHS })},
		{"right side twice", entry(func(l *law.Law, _ *law.Proof) { l.LHS = l.RHS })},
		{"one direction", entry(func(l *law.Law, _ *law.Proof) { l.OneWay = true })},
		{"an output more", entry(func(l *law.Law, _ *law.Proof) { l.LHS, l.RHS = append(l.LHS, l.LHS[0]), append(l.RHS, l.RHS[0]) })},
		{"an output less", entry(func(l *law.Law, _ *law.Proof) { l.LHS, l.RHS = l.LHS[1:], l.RHS[1:] })},
		{"a variable more", entry(func(l *law.Law, _ *law.Proof) {
			l.Given = append(l.Given, law.Declaration{Name: "E", Shape: graph.Sizes(2)})
		})},
		{"variables in another order", entry(func(l *law.Law, _ *law.Proof) { slices.Reverse(l.Given) })},
		{"a condition", entry(func(l *law.Law, _ *law.Proof) {
			l.Where = []law.Pred{{Left: graph.Int(1), Rel: "<", Right: graph.Int(1)}}
		})},
		{"an axiom", entry(func(l *law.Law, _ *law.Proof) { l.Kind = law.Axiom })},
		{"cut off", good[:len(good)-20]},
		{"two documents", append(slices.Clone(good), good...)},
		{"another hash of the axioms", bytes.Replace(good, []byte(`"axioms_sha256":"`), []byte(`"axioms_sha256":"0`), 1)},
		{"the equation twice", bytes.Replace(good, []byte(`"lemmas":[`), []byte(`"lemmas":[`+strings.TrimSpace(section(good))+`],"rules":[`), 1)},
		{"no lemmas", (&proofFile{f.axioms, nil, f.network}).bytes(t)},
	} {
		if !refusedAnyhow(c.cert, a, b) {
			t.Errorf("%s: %s: accepted", name, c.what)
		}
	}
	if refusedAnyhow(entry(func(*law.Law, *law.Proof) {}), a, b) {
		t.Errorf("%s: what is not corrupted is refused", name)
	}
	// The models in the places of each other, and others that differ in one thing.
	if !refusedAnyhow(good, b, a) || !refusedAnyhow(good, a, a) || !refusedAnyhow(good, b, b) {
		t.Errorf("%s: accepted for the models in other places", name)
	}
	text := b.Graph.String()
	for what, other := range map[string]string{
		"another number":    regexp.MustCompile(`at=(\d)\d*\]`).ReplaceAllString(text, "at=1$1]"),
		"operands reversed": regexp.MustCompile(`= (ewsub|matmul|concat\S*)\((\w+), (\w+)\)`).ReplaceAllString(text, "= $1($3, $2)"),
		"another operator":  strings.NewReplacer("relu(", "sigmoid(", "ewadd(", "ewmul(", "ewmul(", "ewadd(").Replace(text),
		"a rectifier more":  strings.Replace(text, "act=none", "act=relu", 1),
		"outputs reversed":  reversed(text),
	} {
		if other == text {
			continue
		}
		g, err := graph.ParseText("altered", other)
		if err != nil {
			continue // does not fit any more
		}
		m, err := b.WithGraph(g)
		if err != nil {
			t.Fatal(err)
		}
		if !refusedAnyhow(good, a, m) {
			t.Errorf("%s: accepted for a result with %s", name, what)
		}
	}
	// One bit of one weight.
	for i, id := range b.Graph.Inputs() {
		if !b.Graph.IsWeight(id) || i%7 > 1 {
			continue
		}
		raw, err := b.Weights[id].Read()
		if err != nil {
			t.Fatal(err)
		}
		raw = slices.Clone(raw)
		raw[len(raw)/2] ^= 1
		m := *b
		m.Weights = map[graph.NodeID]*model.Weight{}
		for k, w := range b.Weights {
			m.Weights[k] = w
		}
		m.Weights[id] = model.FromBytes(b.Weights[id].DType, b.Weights[id].Sizes, raw)
		if !refusedAnyhow(good, a, &m) && uses(b.Graph, id) > 0 {
			t.Errorf("%s: accepted for a result with another number in weight %s", name, b.Graph.Name(id))
		}
	}
}

// section is the entry of the networks as it stands in a file.
func section(file []byte) string {
	_, rest, _ := bytes.Cut(file, []byte(`"rules":[`))
	return strings.TrimSuffix(strings.TrimSpace(string(rest)), "]}")
}

func reversed(text string) string {
	i := strings.LastIndex(text, "return ")
	outs := strings.Split(strings.TrimSpace(text[i+len("return "):]), ", ")
	slices.Reverse(outs)
	return text[:i] + "return " + strings.Join(outs, ", ") + "\n"
}

func uses(g *graph.Graph, id graph.NodeID) (n int) {
	for u := range g.Nodes() {
		for _, t := range g.Operands(u) {
			if t.Node == id {
				n++
			}
		}
	}
	return n
}
