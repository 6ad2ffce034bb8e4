package adversary

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/modelpairs"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// ModelOptions configure an attack with models.
type ModelOptions struct {
	Python  string // an interpreter that can import onnx and onnxruntime
	Models  int    // numbers of models that are written
	Workers int    // processes and goroutines; 0: 1
	Seed    uint64 // of everything; the figures do not depend on Workers
	Forged  int    // mutants of each proof; 0: 6
	Tries   int    // moves of each search for a proof; 0: 100
	// Keep is a folder for the files of findings; "": they are not kept.
	Keep string
}

// ModelFinding is a proof that is accepted of two models that differ.
type ModelFinding struct {
	Number   int    // of the pair
	Operator string // that the models were made from
	Kind     string // the change that makes them differ
	How      string // the proof was made
}

func (f ModelFinding) String() string {
	return fmt.Sprintf("%06d %s (%s): %s", f.Number, f.Operator, f.Kind, f.How)
}

// ModelFigures are what an attack with models counted.
type ModelFigures struct {
	Models   int // pairs of different models that are read
	Unread   int // pairs of which a model is refused by the reader
	Proved   int // true statements that were proved, of which forgeries are made
	Put      int // false statements put to the checker, with a proof
	Findings []ModelFinding
	Wall     time.Duration
}

func (f *ModelFigures) String() string {
	return fmt.Sprintf("%d models and %d that are not read, in %.0f s: %d true proofs, %d false ones put to the checker, %d accepted",
		f.Models, f.Unread, f.Wall.Seconds(), f.Proved, f.Put, len(f.Findings))
}

// withDefaults also returns how proofs are searched for; laws are compiled once.
func (o ModelOptions) withDefaults() (ModelOptions, optimize.Options, error) {
	if o.Forged == 0 {
		o.Forged = 6
	}
	if o.Tries == 0 {
		o.Tries = 100
	}
	on, err := cost.FindMachine("zen5")
	if err != nil {
		return o, optimize.Options{}, err
	}
	ls, err := optimize.DefaultLaws(false)
	return o, optimize.Options{Cost: on, Laws: ls, Tries: o.Tries, Compiled: &rewrite.Cache{}}, err
}

// RunModels writes models A, a variant of A that computes the same, and a changed model B
// that does not: ONNX Runtime and ONNX's reference implementation differ on some input. It
// asks for proofs that involve B, and puts to the checker of `taso check` proofs of the true
// statements with B in the place of a model, mutants of them, and true instances under a
// false equation.
func RunModels(ctx context.Context, o ModelOptions) (*ModelFigures, error) {
	o, how, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	all := &ModelFigures{}
	var lock sync.Mutex
	err = modelpairs.Generate(ctx, modelpairs.Options{Python: o.Python, Seed: o.Seed, Count: o.Models, Workers: o.Workers, Variants: true}, func(p *modelpairs.Pair) error {
		if p.Kind == "" || len(p.Variant) == 0 {
			return nil
		}
		t := &target{o: o, how: how, pair: p, rng: rand.New(rand.NewPCG(o.Seed, uint64(p.Number)))}
		if err := t.attack(ctx); err != nil {
			return err
		}
		lock.Lock()
		defer lock.Unlock()
		all.Models += t.Models
		all.Unread += t.Unread
		all.Proved += t.Proved
		all.Put += t.Put
		all.Findings = append(all.Findings, t.Findings...)
		return nil
	})
	sort.Slice(all.Findings, func(i, j int) bool { return all.Findings[i].String() < all.Findings[j].String() })
	all.Wall = time.Since(start)
	return all, err
}

// target is one pair under attack.
type target struct {
	o    ModelOptions
	how  optimize.Options // of searches for proofs
	pair *modelpairs.Pair
	rng  *rand.Rand
	ModelFigures
}

func (t *target) attack(ctx context.Context) error {
	a, b, same, err := t.read()
	if err != nil || a == nil {
		return err
	}
	t.Models++
	proof := func(x, y *model.Model) []byte {
		var p *optimize.Proved
		if why := guarded(func() {
			p, err = optimize.Prove(ctx, x, y, t.how)
		}); why != "" {
			t.found("a search for a proof panics: "+why, nil)
			return nil
		}
		if err != nil || !p.Equal {
			return nil // such as a proof that the checker refused
		}
		return p.Proof
	}
	for what, two := range map[string][2]*model.Model{"A and B": {a, b}, "B and the variant of A": {b, same}} {
		if t.Put++; proof(two[0], two[1]) != nil {
			t.found("a proof is found of "+what, nil)
		}
	}
	true1 := proof(a, same)
	if true1 == nil {
		true1 = proof(a, a)
	}
	if true1 == nil {
		return ctx.Err()
	}
	t.Proved++
	t.put(ctx, "the proof of A and its variant", true1, [2]*model.Model{a, b}, [2]*model.Model{b, a}, [2]*model.Model{b, same}, [2]*model.Model{same, b})
	file, err := readProofFile(true1)
	if err != nil {
		return fmt.Errorf("pair %d: its own proof: %w", t.pair.Number, err)
	}
	use, err := file.laws()
	if err != nil {
		return fmt.Errorf("pair %d: its own proof: %w", t.pair.Number, err)
	}
	for range t.o.Forged {
		bad, what, err := mutate.Entry(t.rng, file.network, use)
		if err != nil {
			break // there is nothing to change
		}
		t.put(ctx, "mutated: "+what, file.with(bad), [2]*model.Model{a, b}, [2]*model.Model{b, same})
	}
	if own := proof(b, b); own != nil {
		if cert := splice(own, file, use); cert != nil {
			t.put(ctx, "spliced: the left side of B, the right side and the proof of A and its variant", cert, [2]*model.Model{b, same}, [2]*model.Model{b, a})
		}
	}
	return ctx.Err()
}

// put asks the checker about a proof for pairs of models, of which all are false.
func (t *target) put(ctx context.Context, how string, cert []byte, pairs ...[2]*model.Model) {
	for _, two := range pairs {
		t.Put++
		var err error
		if why := guarded(func() {
			_, err = optimize.CheckProof(ctx, bytes.NewReader(cert), "forged", two[0], two[1], false)
		}); why != "" {
			t.found("the checker panics ("+why+") on "+how, cert)
		} else if err == nil {
			t.found(how+" is accepted", cert)
		}
	}
}

func (t *target) found(how string, cert []byte) {
	f := ModelFinding{t.pair.Number, t.pair.Operator, t.pair.Kind, how}
	t.Findings = append(t.Findings, f)
	if t.o.Keep == "" {
		return
	}
	dir := filepath.Join(t.o.Keep, fmt.Sprintf("%06d-%s", f.Number, f.Operator))
	if os.MkdirAll(dir, 0o777) != nil {
		return
	}
	for name, raw := range map[string][]byte{"a.onnx": t.pair.A, "b.onnx": t.pair.B, "variant.onnx": t.pair.Variant, "proof": cert, "why": []byte(f.String() + "\n")} {
		_ = os.WriteFile(filepath.Join(dir, name), raw, 0o666)
	}
}

// read reads the three models; the first one is nil if one of them is refused.
func (t *target) read() (a, b, same *model.Model, err error) {
	dir, err := os.MkdirTemp("", "adversary")
	if err != nil {
		return nil, nil, nil, err
	}
	defer os.RemoveAll(dir)
	ms := make([]*model.Model, 3)
	for i, raw := range [][]byte{t.pair.A, t.pair.B, t.pair.Variant} {
		path := filepath.Join(dir, fmt.Sprintf("%d.onnx", i))
		if err := os.WriteFile(path, raw, 0o666); err != nil {
			return nil, nil, nil, err
		}
		if ms[i], _, err = onnx.Read(path, onnx.ReadOptions{}); err != nil {
			t.Unread++
			return nil, nil, nil, nil
		}
	}
	return ms[0], ms[1], ms[2], nil
}

// proofFile is a certificate of two networks.
type proofFile struct {
	axioms  string
	lemmas  []law.CertRule
	network law.CertRule
}

func readProofFile(cert []byte) (*proofFile, error) {
	r, err := law.NewCertReader(bytes.NewReader(cert), "proof")
	if err != nil {
		return nil, err
	}
	f := &proofFile{axioms: r.Axioms}
	for {
		e, lemma, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return f, nil
		case err != nil:
			return nil, err
		case lemma:
			f.lemmas = append(f.lemmas, e)
		default:
			f.network = e
		}
	}
}

// laws are those that the entry of the networks may use.
func (f *proofFile) laws() (map[string]*law.Law, error) {
	ls, err := law.Parse("axioms", []byte(f.axioms))
	if err != nil {
		return nil, err
	}
	use := map[string]*law.Law{}
	for _, l := range ls {
		use[l.Name] = l
	}
	for i := range f.lemmas {
		if use[f.lemmas[i].ID], err = f.lemmas[i].Statement(); err != nil {
			return nil, err
		}
	}
	return use, nil
}

// with is the file with another entry of the networks.
func (f *proofFile) with(entry law.CertRule) []byte {
	var b bytes.Buffer
	w := law.NewCertWriter(&b, f.axioms)
	var err error
	for _, l := range f.lemmas {
		err = errors.Join(err, w.Lemma(l))
	}
	if errors.Join(err, w.Rule(entry), w.Close()) != nil {
		return nil
	}
	return b.Bytes()
}

// splice puts the left side of a model's equation with itself in the place of that of
// another equation, whose instances stay. It is nil where that cannot be written.
func splice(own []byte, f *proofFile, use map[string]*law.Law) []byte {
	o, err := readProofFile(own)
	if err != nil {
		return nil
	}
	left, err := o.network.Statement()
	if err != nil {
		return nil
	}
	right, p, err := f.network.Decode(func(n string) (*law.Law, bool) { l, ok := use[n]; return l, ok })
	if err != nil || len(left.LHS) != len(right.RHS) {
		return nil
	}
	l := *right
	l.LHS, l.Given = left.LHS, slices.Clone(left.Given)
	for _, d := range right.Given {
		i := slices.IndexFunc(l.Given, func(e law.Declaration) bool { return e.Name == d.Name })
		if i < 0 {
			l.Given = append(l.Given, d)
		}
	}
	var cert []byte
	if why := guarded(func() { cert = f.with(law.NewCertRule(strings.Clone(f.network.ID), &l, p)) }); why != "" {
		return nil
	}
	return cert
}
