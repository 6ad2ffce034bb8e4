package general

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/law"
)

// Shapes of reshapes and bounds of slices become variables, and stay as in the case where the form
// says so.
func TestShapesAndBounds(t *testing.T) {
	for _, c := range []struct {
		left, right string
		sizes       []int
		form        Form
		want        string // "": no law has this form
	}{
		{"reshape[shape=[6, 35]](reshape[shape=[6, 5, 7]](X))", "reshape[shape=[6, 35]](X)", []int{2, 3, 5, 7}, Form{},
			"reshape[shape=[n1*n2, n6*n7]](reshape[shape=[n1*n2, n6, n7]](X)) == reshape[shape=[n1*n2, n6*n7]](X)"},
		{"reshape[shape=[1, 3]](X)", "transpose(X)", []int{3, 1}, Form{ones: 1}, "given X : [n2, 1]"},
		{"slice[axis=0, lo=1, hi=3](ewadd(X, X))", "ewadd(slice[axis=0, lo=1, hi=3](X), slice[axis=0, lo=1, hi=3](X))", []int{5, 2}, Form{}, "lo=n5-1, hi=n6"},
		{"slice[axis=0, lo=1, hi=3](X)", "slice[axis=0, lo=1, hi=3](X)", []int{5, 2}, Form{cut: 1}, "lo=1, hi=n3"},
	} {
		p := &Pair{Sizes: map[string][]int{"X": c.sizes}}
		for side, text := range map[*[]*law.Term]string{&p.Left: c.left, &p.Right: c.right} {
			u, err := law.ParseTerm(text, []law.Declaration{{Name: "X"}})
			if err != nil {
				t.Fatal(err)
			}
			*side = []*law.Term{u}
		}
		l, err := p.Law(c.form)
		if err != nil {
			t.Errorf("%s == %s: %v", c.left, c.right, err)
			continue
		}
		if text := strings.Join(strings.Fields(law.Format(l)), " "); !strings.Contains(text, c.want) {
			t.Errorf("%s\nwant %s", text, c.want)
		}
	}
}
