package taso

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// show writes a seam with its parts: (left|at|right).
func (s *seam) show() string {
	if s == nil {
		return "-"
	}
	return fmt.Sprintf("(%s|%s|%s)", s.left.show(), s.at, s.right.show())
}

// seamsOfTerm propagates seams through a term.
func seamsOfTerm(t *testing.T, l *law.Law, u *law.Term) []*seam {
	t.Helper()
	ty := map[*law.Term]graph.Shape{}
	if _, err := law.TypeOf(&graph.Unifier{}, u, l.VarShapes(), ty); err != nil {
		t.Fatal(err)
	}
	var rec func(u *law.Term) []*seam
	rec = func(u *law.Term) []*seam {
		if u.IsVar() {
			return make([]*seam, len(ty[u]))
		}
		var in [][]*seam
		var shapes []graph.Shape
		for _, a := range u.Args {
			in, shapes = append(in, rec(a)), append(shapes, ty[a])
		}
		return seamsOf(u.Op, u.Attrs, in, shapes)[u.Out]
	}
	return rec(u)
}

func TestSeams(t *testing.T) {
	const image = `X : [b, c, h, w], Y : [b, d, h, w], Z : [e, c, h, w], H : [b, c, i, w], V : [o, c, 3, 3], W : [q, c, 3, 3]`
	const matrix = `X : [m, a], Y : [m, b], Z : [m, c], U : [n, a], K : [a, k], L : [a, l], A : []`
	for _, c := range []struct{ given, term, want string }{
		{matrix, `concat[axis=1](X, Y)`, "[- (-|a|-)]"},
		{matrix, `concat[axis=1](concat[axis=1](X, Y), Z)`, "[- ((-|a|-)|a+b|-)]"},
		{matrix, `concat[axis=1](X, concat[axis=1](Y, Z))`, "[- (-|a|(-|b|-))]"},
		{matrix, `split[axis=1, at=a](concat[axis=1](X, concat[axis=1](Y, Z))).1`, "[- (-|b|-)]"},
		{matrix, `split[axis=1, at=a](concat[axis=1](X, concat[axis=1](Y, Z))).0`, "[- -]"},
		{matrix, `transpose(concat[axis=0](X, U))`, "[- (-|m|-)]"},
		{matrix, `matmul(concat[axis=0](X, U), concat[axis=1](K, L))`, "[(-|m|-) (-|k|-)]"},
		{matrix, `matmul(transpose(concat[axis=0](X, U)), concat[axis=0](X, U))`, "[- -]"},
		{matrix, `smul(relu(concat[axis=0](X, U)), A)`, "[(-|m|-) -]"},
		{matrix, `ewadd(concat[axis=0](X, U), concat[axis=0](X, U))`, "[(-|m|-) -]"},
		{matrix, `ewadd(concat[axis=0](X, U), relu(relu(concat[axis=0](U, X))))`, "[(-|m|-) -]"},
		{matrix, `ewmul(K, K)`, "[- -]"},
		{matrix, `ewadd(concat[axis=1](concat[axis=1](X, X), X), concat[axis=1](X, concat[axis=1](X, X)))`, "[- -]"},
		{image, `conv2d[pad=same_upper](concat[axis=0](X, Z), concat[axis=0](V, W))`, "[(-|b|-) (-|o|-) - -]"},
		{image, `poolavg[kh=3, kw=3, pad=same_upper](concat[axis=1](X, Y))`, "[- - - -]"},
		{image, `poolavg[kh=3, kw=3, pad=same_upper](concat[axis=0](X, Z))`, "[(-|b|-) - - -]"},
		{image, `poolmax[kh=3, kw=3, pad=same_upper](concat[axis=2](X, H))`, "[- - (-|h|-) -]"},
		{image, `poolmax[kh=3, kw=3, stride=(2, 2), pad=same_upper](concat[axis=2](X, H))`, "[- - - -]"},
		{image, `poolmax[kh=3, kw=3, pad=valid](concat[axis=2](X, H))`, "[- - - -]"},
		{image, `enlarge[kh=5, kw=5](concat[axis=0](V, W))`, "[(-|o|-) - - -]"},
	} {
		l := parseLaw(t, "rule x given "+c.given+" then "+c.term+" == "+c.term)
		got := []string{}
		for _, s := range seamsOfTerm(t, l, l.LHS[0]) {
			got = append(got, s.show())
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: seams %v, want %s", c.term, got, c.want)
		}
	}
}

// TestTies: where two tensors meet, the position is one only if both agree.
func TestTies(t *testing.T) {
	l := parseLaw(t, `rule x given X : [m, a], U : [n, a] then relu(ewadd(concat[axis=0](X, U), concat[axis=0](U, X))) == relu(ewadd(concat[axis=0](X, U), concat[axis=0](U, X)))`)
	s := seamsOfTerm(t, l, l.LHS[0])[0]
	if len(s.ties) != 1 || s.ties[0] != [2]graph.Dim{graph.Var("m"), graph.Var("n")} {
		t.Errorf("ties %v, want m = n", s.ties)
	}
}
