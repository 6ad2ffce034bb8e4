package enumerate

import (
	"bytes"
	"context"
	"fmt"
	"testing"
)

// workerOf is a worker of a session before level n.
func workerOf(t testing.TB, n int, names ...string) *Worker {
	t.Helper()
	opt := Options{Universe: universe(t, 2, names...), Seed: 1}
	s := NewSession(opt)
	for lv := 1; lv < n; lv++ {
		if _, _, err := level(context.Background(), s, lv, how{}); err != nil {
			t.Fatal(err)
		}
	}
	var state bytes.Buffer
	if err := s.Save(&state); err != nil {
		t.Fatal(err)
	}
	w, err := NewWorker(opt, &state)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// What is no encoding of a term is an error, and everything else has a fingerprint.
func FuzzEvaluate(f *testing.F) {
	w := workerOf(f, 2, "matmul", "ewadd", "transpose", "concat", "split", "poolmax", "conv2d")
	n := 0
	_, err := w.Walk(context.Background(), 1, 4, func(code []byte) error {
		if n++; n < 30 {
			f.Add(bytes.Clone(code))
		}
		return nil
	})
	if err != nil || n < 30 {
		f.Fatal(n, err)
	}
	f.Add([]byte{2, 0, 1, 1, 0})
	f.Fuzz(func(t *testing.T, record []byte) {
		terms := 0
		nothing := func([]byte) error { return nil }
		err := w.Fork().Evaluate(record, Sink{Term: func(b []byte) error {
			terms++
			if len(b) != TermSize || !bytes.Equal(b[:CodeSize], record) {
				t.Errorf("%x becomes %x", record, b)
			}
			return nil
		}, Print: nothing, Symmetry: nothing})
		if (err == nil) != (terms == 1) {
			t.Errorf("%d terms, error %v", terms, err)
		}
	})
}

// A level found in two shares by a worker that has the session's state only.
func ExampleNewWorker() {
	u, err := New([]string{"ewadd", "transpose"})
	if err != nil {
		fmt.Println(err)
		return
	}
	opt := Options{Universe: u, Seed: 1}
	var state bytes.Buffer
	if err := NewSession(opt).Save(&state); err != nil {
		fmt.Println(err)
		return
	}
	w, err := NewWorker(opt, &state)
	if err != nil {
		fmt.Println(err)
		return
	}
	terms := 0
	nothing := func([]byte) error { return nil }
	for share := range 2 {
		_, err := w.Walk(context.Background(), share, 2, func(code []byte) error {
			return w.Evaluate(code, Sink{Term: func([]byte) error { terms++; return nil }, Print: nothing, Symmetry: nothing})
		})
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(w.Next(), terms)
	// Output: 1 6
}
