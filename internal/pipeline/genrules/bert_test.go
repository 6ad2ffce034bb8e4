package genrules

import (
	"context"
	"fmt"
	"math/rand"
	"slices"
	"sync"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/interp"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/check"
)

// presets are those of networks.
var presets = []string{"bert", "cnn", "llama"}

// networks are rules over an encoder layer, a convolutional network and a layer of a
// language model, of two operators each: enough for the laws that the tests below look for.
var networks = sync.OnceValues(func() (map[string]*Report, error) {
	out := map[string]*Report{}
	for _, preset := range presets {
		rep, err := Run(context.Background(), Options{MaxOps: 2, Ops: []string{preset}, Seed: 1})
		if err != nil {
			return nil, err
		}
		out[preset] = rep
	}
	return out, nil
})

// wanted are well known rewrites of encoders, of convolutional networks and of language
// models, written by hand.
const wanted = `
# A query's heads are brought to the front and back.
rule bert_heads_back
  given X : [a, b, c, d]
  then  transpose[perm=(0, 2, 1, 3)](transpose[perm=(0, 2, 1, 3)](X)) == X

# Parted and joined features.
rule bert_part_join
  given X : [b, s, h*d]
  then  reshape[shape=[b, s, h*d]](reshape[shape=[b, s, h, d]](X)) == X

# Keys: two permutations are one.
rule bert_keys
  given X : [b, s, h, d]
  then  transpose[perm=(0, 1, 3, 2)](transpose[perm=(0, 2, 1, 3)](X)) == transpose[perm=(0, 2, 3, 1)](X)

# Query, key and value are products with one matrix.
rule bert_qkv
  given X : [b, s, k], W : [k, m], V : [k, n]
  then  concat[axis=2](matmul(X, broadcast[shape=[b, k, m]](W)), matmul(X, broadcast[shape=[b, k, n]](V)))
     == matmul(X, broadcast[shape=[b, k, m+n]](concat[axis=1](W, V)))

# The query of two is a slice of the product.
rule bert_qkv_split
  given X : [b, s, k], W : [k, m], V : [k, n]
  then  slice[axis=2, lo=0, hi=m](matmul(X, broadcast[shape=[b, k, m+n]](concat[axis=1](W, V))))
     == matmul(X, broadcast[shape=[b, k, m]](W))

# A linear layer takes all rows of all batches at once.
rule bert_linear_rows
  given X : [b, s, k], W : [k, n]
  then  matmul(X, broadcast[shape=[b, k, n]](W))
     == reshape[shape=[b, s, n]](matmul(reshape[shape=[b*s, k]](X), W))

# Two linear layers without a function between are one.
rule bert_linear_linear
  given X : [b, s, k], W : [k, m], V : [m, n]
  then  matmul(matmul(X, broadcast[shape=[b, k, m]](W)), broadcast[shape=[b, m, n]](V))
     == matmul(X, broadcast[shape=[b, k, n]](matmul(W, V)))

# Scores are scaled before or after the product.
rule bert_scaled_scores
  given Q : [b, h, s, d], K : [b, h, d, t], A : []
  then  smul(matmul(Q, K), A) == matmul(smul(Q, A), K)

# The scale moves to the weights of the query.
rule bert_scaled_weights
  given X : [b, s, k], W : [k, n], A : []
  then  smul(matmul(X, broadcast[shape=[b, k, n]](W)), A) == matmul(X, broadcast[shape=[b, k, n]](smul(W, A)))

# The scale passes the permutation of heads.
rule bert_scaled_heads
  given X : [b, s, h, d], A : []
  then  smul(transpose[perm=(0, 2, 1, 3)](X), A) == transpose[perm=(0, 2, 1, 3)](smul(X, A))

# The scale passes the change to heads.
rule bert_scaled_part
  given X : [b, s, h*d], A : []
  then  smul(reshape[shape=[b, s, h, d]](X), A) == reshape[shape=[b, s, h, d]](smul(X, A))

# Softmax and heads brought to the front.
rule bert_softmax_heads
  given X : [a, b, c, d]
  then  softmax[axis=3](transpose[perm=(0, 2, 1, 3)](X)) == transpose[perm=(0, 2, 1, 3)](softmax[axis=3](X))

# Softmax of all heads of all batches at once.
rule bert_softmax_rows
  given X : [a, b, c, d]
  then  softmax[axis=2](reshape[shape=[a*b, c, d]](X)) == reshape[shape=[a*b, c, d]](softmax[axis=3](X))

# The transposed scores.
rule bert_scores_transposed
  given Q : [b, h, s, d], K : [b, h, d, t]
  then  transpose[perm=(0, 1, 3, 2)](matmul(Q, K))
     == matmul(transpose[perm=(0, 1, 3, 2)](K), transpose[perm=(0, 1, 3, 2)](Q))

# Heads are batches.
rule bert_heads_batches
  given Q : [b, h, s, d], K : [b, h, d, t]
  then  reshape[shape=[b*h, s, t]](matmul(Q, K))
     == matmul(reshape[shape=[b*h, s, d]](Q), reshape[shape=[b*h, d, t]](K))

# A bias and a residual are added in either order.
rule bert_bias_residual
  given X : [b, s, n], Y : [b, s, n], K : [n]
  then  ewadd(ewadd(X, broadcast[shape=[b, s, n]](K)), Y) == ewadd(ewadd(X, Y), broadcast[shape=[b, s, n]](K))

# Two biases are one.
rule bert_bias_bias
  given X : [b, s, n], K : [n], L : [n]
  then  ewadd(ewadd(X, broadcast[shape=[b, s, n]](K)), broadcast[shape=[b, s, n]](L))
     == ewadd(X, broadcast[shape=[b, s, n]](ewadd(K, L)))

# A bias is added to all rows at once.
rule bert_bias_rows
  given X : [b, s, n], K : [n]
  then  ewadd(reshape[shape=[b*s, n]](X), broadcast[shape=[b*s, n]](K))
     == reshape[shape=[b*s, n]](ewadd(X, broadcast[shape=[b, s, n]](K)))

# Layer normalization of batches side by side.
rule bert_layernorm_batches
  given e : number, X : [a, s, n], Y : [b, s, n], K : [n], L : [n]
  then  layernorm[axis=2, eps=e](concat[axis=0](X, Y), K, L)
     == concat[axis=0](layernorm[axis=2, eps=e](X, K, L), layernorm[axis=2, eps=e](Y, K, L))

# Gelu of all rows at once.
rule bert_gelu_rows
  given X : [b, s, n]
  then  gelu(reshape[shape=[b*s, n]](X)) == reshape[shape=[b*s, n]](gelu(X))

# The scale of channels goes into the kernel.
rule cnn_scale
  given s : stride, p : padding, X : [b, c, h, w], W : [o, c, kh, kw], K : [o]
  let   conv(X, W) = conv2d[stride=s, pad=p](X, W)
  then  ewmul(conv(X, W), broadcast[shape=[b, o, window(h, kh, s, p, 0), window(w, kw, s, p, 1)]](reshape[shape=[o, 1, 1]](K)))
     == conv(X, ewmul(W, broadcast[shape=[o, c, kh, kw]](reshape[shape=[o, 1, 1, 1]](K))))

# Keys and values are one product, cut in two.
rule llama_kv
  given X : [b, s, k], V : [k, m], W : [k, n]
  then  slice[axis=2, lo=0, hi=m](matmul(X, broadcast[shape=[b, k, m+n]](concat[axis=1](V, W))))
     == matmul(X, broadcast[shape=[b, k, m]](V))

# The scale passes rotary positions.
rule llama_rotary_scale
  given X : [b, h, s, 2*d], C : [s, 2*d], S : [s, 2*d], A : []
  let   all(C) = broadcast[shape=[b, h, s, 2*d]](C)
  let   turn(X) = concat[axis=3](neg(slice[axis=3, lo=d, hi=2*d](X)), slice[axis=3, lo=0, hi=d](X))
  let   rope(X) = ewadd(ewmul(X, all(C)), ewmul(turn(X), all(S)))
  then  smul(rope(X), A) == rope(smul(X, A))

# Shared keys are turned once.
rule llama_rotary_repeat
  given X : [b, g, s, 2*d], C : [s, 2*d], S : [s, 2*d]
  let   repeat(X) = reshape[shape=[b, g*r, s, 2*d]](broadcast[shape=[b, g, r, s, 2*d]](reshape[shape=[b, g, 1, s, 2*d]](X)))
  let   turn(X) = concat[axis=3](neg(slice[axis=3, lo=d, hi=2*d](X)), slice[axis=3, lo=0, hi=d](X))
  then  ewadd(ewmul(repeat(X), broadcast[shape=[b, g*r, s, 2*d]](C)), ewmul(turn(repeat(X)), broadcast[shape=[b, g*r, s, 2*d]](S)))
     == repeat(ewadd(ewmul(X, broadcast[shape=[b, g, s, 2*d]](C)), ewmul(turn(X), broadcast[shape=[b, g, s, 2*d]](S))))

# Shared keys are put behind those that are cached before they are repeated.
rule llama_cache_repeat
  given X : [b, g, s, d], Y : [b, g, t, d]
  then  concat[axis=2](reshape[shape=[b, g*r, s, d]](broadcast[shape=[b, g, r, s, d]](reshape[shape=[b, g, 1, s, d]](X))),
                       reshape[shape=[b, g*r, t, d]](broadcast[shape=[b, g, r, t, d]](reshape[shape=[b, g, 1, t, d]](Y))))
     == reshape[shape=[b, g*r, s+t, d]](broadcast[shape=[b, g, r, s+t, d]](reshape[shape=[b, g, 1, s+t, d]](concat[axis=2](X, Y))))

# Normalized heads are brought to the front before or after.
rule llama_rms_heads
  given e : number, X : [b, s, h, d], G : [d]
  let   front(X) = transpose[perm=(0, 2, 1, 3)](X)
  let   root(X) = rsqrt[eps=e](reducemean[axes=(3), keep=1](ewmul(X, X)))
  then  ewmul(ewmul(front(X), broadcast[shape=[b, h, s, d]](root(front(X)))), broadcast[shape=[b, h, s, d]](G))
     == front(ewmul(ewmul(X, broadcast[shape=[b, s, h, d]](root(X))), broadcast[shape=[b, s, h, d]](G)))

# Heads and samples are joined; the mask is repeated for all.
rule llama_mask_rows
  given X : [b, h, s, t], M : [s, t]
  then  ewadd(reshape[shape=[b*h, s, t]](X), broadcast[shape=[b*h, s, t]](M))
     == reshape[shape=[b*h, s, t]](ewadd(X, broadcast[shape=[b, h, s, t]](M)))

# Gates beside each other are one.
rule llama_silu_concat
  given X : [b, s, m], Y : [b, s, n]
  let   silu(X) = ewmul(X, sigmoid(X))
  then  concat[axis=2](silu(X), silu(Y)) == silu(concat[axis=2](X, Y))

# A gain goes into the columns of the weights before it.
rule llama_gain_columns
  given X : [b, s, k], W : [k, n], G : [n]
  then  ewmul(matmul(X, broadcast[shape=[b, k, n]](W)), broadcast[shape=[b, s, n]](G))
     == matmul(X, broadcast[shape=[b, k, n]](ewmul(W, broadcast[shape=[k, n]](G))))
`

// The rules are in the set or follow from it.
func TestNetworkRules(t *testing.T) {
	checkInvariants(t)
	reps, err := networks()
	if err != nil {
		t.Fatal(err)
	}
	goals, err := law.Parse("wanted", []byte(wanted))
	if err != nil {
		t.Fatal(err)
	}
	covered := 0
	for _, preset := range presets {
		var found, open []*law.Law
		for _, r := range reps[preset].Set.Rules {
			found = append(found, r.Law)
		}
		for _, g := range goals {
			if len(g.Name) < len(preset) || g.Name[:len(preset)] != preset {
				continue
			}
			if slices.ContainsFunc(found, func(l *law.Law) bool { return rules.Covers(l, g) }) {
				covered++
				continue
			}
			open = append(open, g)
		}
		vs, err := (&verify.EGraph{Laws: found}).Prove(context.Background(), open)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range vs {
			if v.Status != verify.Proved {
				t.Errorf("%s does not follow from the %d rules of %s: %s", open[i].Name, len(found), preset, v.Reason)
			}
		}
	}
	t.Logf("%d of %d rules are instances of rules of the sets, the others follow", covered, len(goals))
}

// Every rule passes the checker, and both sides are equal on random shapes and
// numbers, which the proof knows nothing of.
func TestNetworkRulesHold(t *testing.T) {
	reps, err := networks()
	if err != nil {
		t.Fatal(err)
	}
	for _, preset := range presets {
		rep := reps[preset]
		use := check.Laws{}
		for _, l := range axioms.ByKind(law.Axiom) {
			use[l.Name] = l
		}
		for _, l := range rep.Set.Lemmas {
			use[l.Law.Name] = l.Law
		}
		if rep.Rules.Proved < 60 {
			t.Errorf("%s: %d rules, want many more", preset, rep.Rules.Proved)
		}
		for _, r := range rep.Set.Rules {
			if _, err := check.Rule(r.Law, r.Proof, use); err != nil {
				t.Errorf("%s: %v", law.Format(r.Law), err)
			}
			equal := 0
			sampleLaw(r.Law, func(n int, v *instance.Valuation) bool {
				out, err := compareAt(r.Law, v, uint64(n))
				switch out {
				case instance.Equal:
					equal++
				case instance.Undefined, instance.NotAnInstance:
				default:
					t.Errorf("%s\nwith %s: %s %v", law.Format(r.Law), v, out, err)
					return false
				}
				return equal < 12
			})
			if equal < 3 {
				t.Errorf("%s\nequal on %d instances only", law.Format(r.Law), equal)
			}
		}
	}
}

// What agrees and has no general form is reported with its reason, and so is
// what is not proved.
func TestNothingIsDroppedSilently(t *testing.T) {
	reps, err := networks()
	if err != nil {
		t.Fatal(err)
	}
	for preset, rep := range reps {
		for _, u := range rep.Unproved {
			if u.Law == "" || u.Reason == "" {
				t.Errorf("%s: %+v", preset, u)
			}
		}
		if got := rep.Rules.Refuted + rep.Rules.Unknown; got != len(rep.Unproved) {
			t.Errorf("%s: %d refuted or unknown, %d listed", preset, got, len(rep.Unproved))
		}
	}
}

// The rules of sequences, whatever the number of workers.
func TestPresetWorkers(t *testing.T) {
	checkInvariants(t)
	reps, err := networks()
	if err != nil {
		t.Fatal(err)
	}
	for _, preset := range []string{"bert", "llama"}[:sweep.Size(1, 2)] {
		a, b := files(t, reps[preset].Set)
		c, d := files(t, generate(t, Options{MaxOps: 2, Ops: []string{preset}, Seed: 1, Workers: 1}).Set)
		if a != c || b != d {
			t.Errorf("%s: one worker writes other files than one a processor", preset)
		}
	}
}

func ExampleOptions_preset() {
	rep, err := Run(context.Background(), Options{MaxOps: 1, Ops: []string{"bert"}, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rep.Rules.Proved, "rules of one operator")
	// Output: 0 rules of one operator
}

// compareAt evaluates both sides on one instance: modulo a prime, where functions
// are arbitrary, or, if the law is about the relu, with the true one on small
// rationals.
func compareAt(l *law.Law, v *instance.Valuation, seed uint64) (instance.Outcome, error) {
	for _, side := range []*law.Term{l.LHS[0], l.RHS[0]} {
		relu := false
		side.Walk(func(u *law.Term) { relu = relu || u.Op != nil && u.Op.Name == "relu" })
		if relu {
			return instance.Compare[interp.Q](interp.Rational{}, l, v, func(name string, k int) []interp.Q {
				out := make([]interp.Q, k)
				for i, x := range fingerprint.Random(seed, name, k) {
					out[i] = interp.Q{Num: int64(x%7) - 3, Den: 1}
				}
				return out
			})
		}
	}
	return instance.Compare[uint64](fingerprint.Zp{Key: seed}, l, v, func(name string, k int) []uint64 {
		return fingerprint.Random(seed, name, k)
	})
}

// sampleLaw calls f for random instances of a law, until f returns false.
func sampleLaw(l *law.Law, f func(n int, v *instance.Valuation) bool) {
	s := instance.NewSampler(l, instance.Scope{Acts: []graph.Value{graph.NameValue("none"), graph.NameValue("relu")}})
	rng := rand.New(rand.NewSource(1))
	for n := 1; n <= 60; n++ {
		if v, ok := s.Sample(rng); ok && !f(n, v) {
			return
		}
	}
}
