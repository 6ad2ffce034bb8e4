package refute

import (
	"context"
	"encoding/json"
	"github.com/taso-go/taso/internal/lawtext"
	"strings"
	"testing"
)

// Functions that take rationals to other numbers are told apart by bounds.
func TestRefuteReal(t *testing.T) {
	for _, c := range []struct{ law, right string }{
		{"tanh | X : [m, n], Y : [n, k] | | tanh(matmul(X, Y)) == matmul(X, Y)", "1"},
		{"sigmoid | X : [n] | | sigmoid(X) == tanh(X)", "0"},
		{"sigmoid_sum | X : [n], Y : [n] | | sigmoid(ewadd(X, Y)) == ewadd(sigmoid(X), sigmoid(Y))", "1"},
		{"twice | X : [n] | | tanh(tanh(X)) == tanh(X)", "about 0.761594156"},
		{"erf | X : [n] | | erf(X) == tanh(X)", "about 0.761594156"},
		{"gelu | X : [n] | | gelu(X) == relu(X)", "1"},
		{"exp | X : [n], Y : [n] | | exp(ewadd(X, Y)) == ewadd(exp(X), exp(Y))", "about 2"},
		{"log | X : [n] | | log(ewadd(X, X)) == log(X)", "about 0"},
		{"sqrt | X : [n] | | sqrt(ewadd(X, X)) == sqrt(X)", "about 1"},
		{"rsqrt | X : [n] | | rsqrt[eps=1e-05](X) == rsqrt[eps=0.1](X)", "about 3.16227766"},
		{"softmax | X : [n, m] | | softmax[axis=0](X) == softmax[axis=1](X)", ""},
		{"norm | X : [n, m], S : [m], B : [m] | | layernorm[axis=1, eps=0.1](X, S, B) == layernorm[axis=1, eps=0.2](X, S, B)", ""},
		{"elu | X : [n] | | elu[alpha=0.5](X) == elu[alpha=0.25](X)", ""},
		{"variable | f : pointwise1, X : [n] | | tanh(f(X)) == f(X)", ""},
		{"any_act | X : [b, c, h, w], W : [o, c, 1, 1] | | conv2d[pad=valid, act=sigmoid](X, W) == conv2d[pad=valid, act=tanh](X, W)", ""},
		// Seen beyond the numbers of the law only.
		{"clipped | X : [n] | | clip[lo=-128.0, hi=127.0](X) == X", "-129"},
		{"clipped_sum | X : [n], Y : [n] | | clip[lo=-300.0, hi=300.0](ewadd(X, Y)) == ewadd(clip[lo=-300.0, hi=300.0](X), clip[lo=-300.0, hi=300.0](Y))", "301"},
	} {
		l := lawtext.Read(t, c.law)[0]
		w, err := Find(context.Background(), l, Options{})
		if err != nil || w == nil {
			t.Errorf("%s: not refuted (%v)", l.Name, err)
			continue
		}
		if !strings.Contains(w.Right, c.right) {
			t.Errorf("%s: %s on the right, want %s\n%s", l.Name, w.Right, c.right, w)
		}
		b, err := json.Marshal(w)
		if err != nil {
			t.Fatal(err)
		}
		var read Witness
		if err := json.Unmarshal(b, &read); err != nil {
			t.Fatal(err)
		}
		again, err := read.Replay(l)
		if err != nil {
			t.Errorf("%s: %v\n%s", l.Name, err, w)
			continue
		}
		if got, _ := json.Marshal(again); string(got) != string(b) {
			t.Errorf("%s: replayed as\n%s\nwas\n%s", l.Name, got, b)
		}
	}
}

// What holds of the true functions, though not of any in their place, is not
// refuted.
func TestRefuteSparesReal(t *testing.T) {
	for _, text := range []string{
		"odd | X : [n] | | tanh(neg(X)) == neg(tanh(X))",
		"half | X : [n], Y : [n] | | sigmoid(X) == ewadd(sigmoid(X), ewsub(Y, Y))",
		"logistic | X : [n] | | tanh(X) == ewsub(ewadd(sigmoid(ewadd(X, X)), sigmoid(ewadd(X, X))), one[shape=[n]]())",
		"power | X : [n], Y : [n] | | exp(ewadd(X, Y)) == ewmul(exp(X), exp(Y))",
		"inverse | X : [n] | | log(exp(X)) == X",
		"roots | X : [n] | | ewmul(sqrt(X), sqrt(X)) == sqrt(ewmul(X, X))",
		"shift | X : [n], C : [] | | softmax[axis=0](X) == softmax[axis=0](ewadd(X, broadcast[shape=[n]](C)))",
	} {
		l := lawtext.Read(t, text)[0]
		if w, err := Find(context.Background(), l, Options{}); w != nil || err != nil {
			t.Errorf("%s: %v\n%s", l.Name, err, w)
		}
	}
}
