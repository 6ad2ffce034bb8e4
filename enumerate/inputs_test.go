package enumerate

import (
	"context"
	"testing"
)

// Inputs that count as joined are split at their seams, in terms of few operators, and not
// where every graph is asked for.
func TestJoined(t *testing.T) {
	u, err := New([]string{"poolavg", "split"})
	if err != nil {
		t.Fatal(err)
	}
	counts := func(exhaustive bool) (with [4]int) {
		s := NewSession(Options{Universe: u, Workers: 1, Exhaustive: exhaustive})
		st := newStore(u, 0)
		j := u.first(t, "j")
		for n := 1; n <= 3; n++ {
			if _, _, err := level(context.Background(), s, n, how{}); err != nil {
				t.Fatal(err)
			}
			for _, c := range s.codes[s.starts[n]:s.starts[n+1]] {
				st.eachInput(c, func(k uint8) {
					if int(k) == j {
						with[n]++
					}
				})
			}
		}
		return with
	}
	if got := counts(false); got[1] < 5 || got[2] < 5 || got[3] != 0 {
		t.Errorf("%v terms by operators, want the pool and four splits, more of 2 and none of 3", got)
	}
	if got := counts(true); got != [4]int{} {
		t.Errorf("%v terms by operators where every graph is asked for, want none", got)
	}
	// TASO's generator has none.
	if u, err = New([]string{"taso"}); err != nil {
		t.Fatal(err)
	}
	for _, ty := range u.Types {
		if ty.Most > 0 {
			t.Errorf("TASO's generator has the input %s", ty.Name)
		}
	}
}
