package refute

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/law"
)

func TestRefuteFalseLaws(t *testing.T) {
	for _, c := range []struct{ law, kind string }{
		{"commute | A : [n, n], B : [n, n] | | matmul(A, B) == matmul(B, A)", "values"},
		{"wrong_part | X : [P.., a, S..], Y : [P.., a, S..] | | slice[axis=#P, lo=0, hi=a](concat[axis=#P](X, Y)) == Y", "values"},
		{"concat_commute | X : [a], Y : [b] | | concat[axis=0](X, Y) == concat[axis=0](Y, X)", "values"},
		{"relu_sum | X : [n], Y : [n] | | relu(ewadd(X, Y)) == ewadd(relu(X), relu(Y))", "values"},
		{"relu_smul | X : [P..], C : [] | | relu(smul(X, C)) == smul(relu(X), C)", "values"},
		{"any_twice | f : pointwise1, X : [P..] | | f(f(X)) == f(X)", "values"},
		{"zero_twice | f : zero1, X : [P..] | | f(f(X)) == f(X)", "values"},
		{"pads | s : stride, X : [b, c, h, w] | | poolmax[kh=2, kw=2, stride=s, pad=same_upper](X) == poolmax[kh=2, kw=2, stride=s, pad=same_lower](X)", "values"},
		{"borders | p : same, X : [b, c, h, w] | | poolavg[kh=3, kw=3, pad=p](X) == poolavg[kh=3, kw=3, pad=p, border=excluded](X)", "values"},
		{"iconv_even | X : [b, c, h, w] | | conv2d[pad=same_upper](X, iconv[c=c, kh=2, kw=2]()) == X", "values"},
		{"groups | p : padding, X : [b, 2*c, h, w], V : [2*o, c, 3, 3], W : [2*o, c, 3, 3] | | conv2d[pad=p, groups=2](X, concat[axis=0](V, W)) == concat[axis=1](conv2d[pad=p, groups=2](X, V), conv2d[pad=p, groups=2](X, W))", "values"},
		{"transpose_square | X : [n, n] | | transpose(X) == X", "values"},
		{"one_side | X : [n], Y : [m] | | slice[axis=0, lo=0, hi=n](concat[axis=0](X, slice[axis=0, lo=1, hi=2](Y))) == X", "defined"},
		{"shapes | X : [n], Y : [m] | | concat[axis=0](X, Y) == X", "shape"},
		{"condition | X : [n], Y : [n] | n > 2 | ewadd(X, Y) == ewmul(X, Y)", "values"},
		{"below_zero | e : number, X : [P..] | | clip[lo=0.0, hi=e](relu(X)) == relu(clip[lo=0.0, hi=e](X))", "values"},
		{"outputs | X : [n], Y : [n] | | (relu(X), relu(Y)) == (relu(X), Y)", "values"},
	} {
		l := lawtext.Read(t, c.law)[0]
		w, err := Find(context.Background(), l, Options{})
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
			continue
		}
		if w == nil {
			t.Errorf("%s: not refuted", l.Name)
			continue
		}
		if w.Kind != c.kind {
			t.Errorf("%s: kind %s, want %s", l.Name, w.Kind, c.kind)
		}
		// What is written down is enough to find the same again.
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
		second, err := Find(context.Background(), l, Options{})
		if err != nil || !reflect.DeepEqual(w, second) {
			t.Errorf("%s: another witness the second time", l.Name)
		}
	}
}

func TestRefuteSmallest(t *testing.T) {
	l := lawtext.Read(t, "commute | A : [n, n], B : [n, n] | | matmul(A, B) == matmul(B, A)")[0]
	w, err := Find(context.Background(), l, Options{})
	if err != nil || w == nil {
		t.Fatal(w, err)
	}
	if w.Dims["n"] != 2 {
		t.Errorf("n = %d, want 2", w.Dims["n"])
	}
	for _, in := range w.Inputs {
		for _, v := range in.Values {
			if !strings.Contains(" -1 0 1 2 ", " "+v+" ") {
				t.Errorf("%s has the value %s", in.Term, v)
			}
		}
	}
}

// What fails between whole numbers only is found whatever the random numbers are.
func TestRefuteBetween(t *testing.T) {
	l := lawtext.Read(t, "between | A : [] | | ewadd(A, relu(ewmul(A, A))) == relu(ewadd(A, ewmul(A, A)))")[0]
	for seed := range uint64(10) {
		if w, err := Find(context.Background(), l, Options{Seed: seed}); err != nil || w == nil {
			t.Errorf("seed %d: not refuted, %v", seed, err)
		}
	}
}

func TestRefuteSparesTrueLaws(t *testing.T) {
	for _, l := range append(read(t, "axioms"), read(t, "true")...) {
		w, err := Find(context.Background(), l, Options{Bindings: 150})
		if err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		if w != nil {
			t.Errorf("%s", w)
		}
	}
}

func TestRefuteOneWay(t *testing.T) {
	both := lawtext.Read(t, "l | X : [n] | | slice[axis=0, lo=1, hi=2](ewadd(X, X)) == ewadd(slice[axis=0, lo=1, hi=2](X), slice[axis=0, lo=1, hi=2](X))")[0]
	if w, err := Find(context.Background(), both, Options{}); w != nil || err != nil {
		t.Error(w, err)
	}
	split := lawtext.Read(t, "l | X : [n] | | split[axis=0, at=1](X).0 => slice[axis=0, lo=0, hi=1](X)")[0]
	if w, err := Find(context.Background(), split, Options{}); w != nil || err != nil {
		t.Error(w, err)
	}
	split.LHS, split.RHS = split.RHS, split.LHS
	w, err := Find(context.Background(), split, Options{})
	if err != nil || w == nil || w.Kind != "defined" || w.Dims["n"] != 1 {
		t.Error(w, err)
	}
}

func TestReplayRejects(t *testing.T) {
	l := lawtext.Read(t, "commute | A : [n, n], B : [n, n] | | matmul(A, B) == matmul(B, A)")[0]
	fresh := func() *Witness {
		w, err := Find(context.Background(), l, Options{})
		if err != nil || w == nil {
			t.Fatal(w, err)
		}
		return w
	}
	for name, spoil := range map[string]func(w *Witness){
		"equal sides":     func(w *Witness) { w.Inputs[1].Values = w.Inputs[0].Values },
		"missing values":  func(w *Witness) { w.Inputs[0].Values = w.Inputs[0].Values[1:] },
		"not a number":    func(w *Witness) { w.Inputs[0].Values[0] = "x" },
		"other tensor":    func(w *Witness) { w.Inputs[0].Term = "Z" },
		"size of nothing": func(w *Witness) { delete(w.Dims, "n") },
		"no size":         func(w *Witness) { w.Dims["n"] = 0 },
	} {
		w := fresh()
		spoil(w)
		if now, err := w.Replay(l); err == nil {
			t.Errorf("%s: accepted: %s", name, now)
		}
	}
}

func TestRefuteStops(t *testing.T) {
	l := lawtext.Read(t, "l | X : [a, b, c, d] | | relu(relu(X)) == relu(X)")[0]
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Find(ctx, l, Options{}); err == nil {
		t.Error("no error")
	}
	l.Given = append(l.Given, law.Declaration{Name: "g", Sort: "mesh"})
	if _, err := Find(context.Background(), l, Options{}); err == nil || !strings.Contains(err.Error(), "mesh") {
		t.Error(err)
	}
}

func ExampleFind() {
	l, _ := law.ParseLaw("refute transpose_square given X : [n, n] then transpose(X) == X")
	w, err := Find(context.Background(), l, Options{})
	fmt.Print(w)
	fmt.Println(err)
	_, err = w.Replay(l)
	fmt.Println(err)
	// Output:
	// counterexample to transpose_square
	//   where n = 2
	//   given
	//     X : [2 2] = [0 0 1 0]
	//   left side
	//     transpose(X) : [2 2] = [0 1 0 0]
	//   output 0 at [0 1] is 1 on the left, 0 on the right
	// <nil>
	// <nil>
}

func BenchmarkRefute(b *testing.B) {
	l := lawtext.Read(b, "commute | A : [n, n], B : [n, n] | | matmul(A, B) == matmul(B, A)")[0]
	for b.Loop() {
		if w, err := Find(context.Background(), l, Options{}); w == nil || err != nil {
			b.Fatal(err)
		}
	}
}
