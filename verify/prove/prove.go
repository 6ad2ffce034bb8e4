package prove

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/memo"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// Effort bounds the search for one proof: the number of eliminations of unknowns, see
// [sums.CertifyWithin].
type Effort int

// The efforts. Each of the 501 axioms, the lemmas and the built-in laws is proved with
// less than Search.
const (
	Glance   Effort = 100
	Search   Effort = 5000
	Thorough Effort = 0 // no bound
)

// Certificate is the answer about a law.
type Certificate struct {
	// Law is what is proved: the law, or, by Show, a weaker one.
	Law *law.Law
	// Proof is accepted by the checker; nil if no proof was found.
	Proof *law.Proof
	// Reason says why no proof was found.
	Reason string
}

// Proved reports whether there is a proof.
func (c Certificate) Proved() bool { return c.Proof != nil }

// Directions reports which directions of a law the certificate shows: of the law that was
// asked about.
func (c Certificate) Directions(of *law.Law) (forward, backward bool) {
	switch {
	case !c.Proved():
		return false, false
	case c.Law.OneWay == of.OneWay:
		return true, !of.OneWay
	}
	forward = law.Same(c.Law, law.OneDirection(of, false))
	return forward, !forward
}

// Prover proves laws and caches the results by what the laws say. The zero Prover is
// ready. Goroutines may share it.
type Prover struct {
	mu    sync.Mutex
	said  law.Statements
	exact memo.Memo[key, Certificate]
	shown memo.Memo[key, Certificate]
	named sync.Map // of named, by name
}

// Shared is the prover of the process.
var Shared Prover

// key is what a law says, and an effort. It is no text: a false law may print as a true one.
type key struct {
	law           int // its number in said
	ordered, real bool
	effort        Effort
}

func (p *Prover) key(l *law.Law, e Effort) key {
	p.mu.Lock()
	defer p.mu.Unlock()
	return key{p.said.Of(l), l.HasTag(law.TagOrdered), l.HasTag(law.TagReal), e}
}

// stored are the proofs of the axioms and lemmas that come with the program, by text.
var stored = sync.OnceValue(func() map[string][]int64 {
	m := map[string][]int64{}
	for _, l := range axioms.Default() {
		if p, ok := axioms.Proof(l.Name); ok {
			m[law.Body(l)] = p
		}
	}
	return m
})

// Certify looks for a proof of a law as it stands. The error is the end of ctx.
func (p *Prover) Certify(ctx context.Context, l *law.Law, e Effort) (Certificate, error) {
	c, err := p.exact.Get(ctx, p.key(l, e), func() (Certificate, error) { return certify(ctx, l, e) })
	c.Law = l
	return c, err
}

func certify(ctx context.Context, l *law.Law, e Effort) (c Certificate, err error) {
	if p, ok := stored()[law.Body(l)]; ok {
		if _, err := meaning.Check(l, p); err == nil {
			return Certificate{Proof: &law.Proof{Meaning: p}}, nil
		}
	}
	f, err := sums.Find(ctx, l, int(e))
	if c.Reason = f.Reason; f.Proof != nil {
		c.Proof = &law.Proof{Meaning: f.Proof}
	}
	return c, err
}

// Show is Certify for a law that may hold in part only. The law of the certificate may be
// one of the true relu and maximum ([law.TagOrdered]), or one direction of l, see
// [sums.Show].
func (p *Prover) Show(ctx context.Context, l *law.Law, e Effort) (Certificate, error) {
	c, err := p.shown.Get(ctx, p.key(l, e), func() (Certificate, error) {
		m, tokens, err := sums.Show(ctx, l, int(e))
		if err != nil || tokens == nil {
			return Certificate{Law: l, Reason: "no proof from operator semantics"}, err
		}
		return Certificate{Law: m, Proof: &law.Proof{Meaning: tokens}}, nil
	})
	if err != nil || c.Law == l {
		return c, err
	}
	// Another law of the same text may have been asked about.
	m := *c.Law
	m.Kind, m.Name, m.Doc, m.Section, m.Cite, m.Pos = l.Kind, l.Name, l.Doc, l.Section, l.Cite, l.Pos
	if m.Tags = l.Tags; c.Law.HasTag(law.TagOrdered) {
		m.Tags = Ordered(l).Tags
	}
	if c.Law = &m; m.OneWay == l.OneWay && len(m.Tags) == len(l.Tags) {
		c.Law = l
	}
	return c, nil
}

// Ordered is a law said to be one of the true relu and maximum.
func Ordered(l *law.Law) *law.Law {
	if l.HasTag(law.TagOrdered) {
		return l
	}
	m := *l
	m.Tags = append(slices.Clone(l.Tags), law.TagOrdered)
	return &m
}

// CertifyAll is Certify for each law, with so many goroutines; 0: one for each processor.
// A law that is not proved is tried again as Ordered.
func (p *Prover) CertifyAll(ctx context.Context, laws []*law.Law, e Effort, workers int) ([]Certificate, error) {
	out := make([]Certificate, len(laws))
	return out, parallel.Each(ctx, parallel.Workers(workers, len(laws)), len(laws), func(_, i int) (err error) {
		if out[i], err = p.Certify(ctx, laws[i], e); err != nil || out[i].Proved() || laws[i].HasTag(law.TagOrdered) {
			return err
		}
		c, err := p.Certify(ctx, Ordered(laws[i]), e)
		if c.Proved() {
			out[i] = c
		}
		return err
	})
}

// named is a law that Lemma named.
type named struct {
	text  string
	proof *law.Proof
}

// Lemma certifies a law and names it by a prefix and the hash of its text. It returns nil if
// there is no proof. The error is the end of ctx, or two laws whose hashes are equal.
func (p *Prover) Lemma(ctx context.Context, prefix string, l *law.Law, e Effort) (*law.Law, error) {
	c, err := p.Certify(ctx, l, e)
	if err != nil || !c.Proved() {
		return nil, err
	}
	text := law.Format(l)
	// A law that says the same in another order has another proof, and another name.
	h := sha256.Sum256([]byte(text))
	l = law.Stated(l)
	l.Name = prefix + hex.EncodeToString(h[:8])
	if have, ok := p.named.LoadOrStore(l.Name, named{text, c.Proof}); ok && have.(named).text != text {
		return nil, fmt.Errorf("laws %s and %s have one name, %s", have.(named).text, text, l.Name)
	}
	return l, nil
}

// Proof is the proof of a law that Lemma named; nil if there is no such law.
func (p *Prover) Proof(name string) *law.Proof {
	have, ok := p.named.Load(name)
	if !ok {
		return nil
	}
	return have.(named).proof
}
