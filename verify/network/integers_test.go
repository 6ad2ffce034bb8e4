package network_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/verify/network"
)

// Integers that operators only take over are terms of an equation as real numbers are; what
// computes with them, or makes another type of them, is not.
func TestIntegers(t *testing.T) {
	const head = "t : float32[6, 2]\ni : int64[4]\n"
	const eq = "given T : [6, 2], I : [4] then "
	for _, c := range []struct{ name, a, b, eq, want string }{
		{"parts of positions",
			"y = gather[axis=0](t, i)\nreturn y",
			"c = replicate[on=2](t)\np = partition[axis=0, on=2](i)\ng = each_gather[axis=0, over=[2]](c, p)\ny = combine[axis=0](g)\nreturn y",
			"gather[axis=0](T, I) == combine[axis=0](each_gather[axis=0, over=[2]](replicate[on=2](T), partition[axis=0, on=2](I)))", ""},
		{"other positions",
			"y = gather[axis=0](t, i)\nreturn y",
			"c = replicate[on=2](t)\np = replicate[on=2](i)\ng = each_gather[axis=0, over=[2]](c, p)\ny = drop(g)\nreturn y",
			"gather[axis=0](T, I) == drop(each_gather[axis=0, over=[2]](replicate[on=2](T), partition[axis=0, on=2](I)))", "second model"},
		{"sums of positions",
			"j = ewadd(i, i)\ny = gather[axis=0](t, j)\nreturn y",
			"j = ewmul(i, i)\ny = gather[axis=0](t, j)\nreturn y",
			"gather[axis=0](T, ewadd(I, I)) == gather[axis=0](T, ewmul(I, I))", "laws do not speak of it"},
		{"sums of members",
			"y = gather[axis=0](t, i)\nreturn y",
			"p = lift[on=2](i)\nj = reduce(p)\ny = gather[axis=0](t, j)\nreturn y",
			"gather[axis=0](T, I) == gather[axis=0](T, reduce(lift[on=2](I)))", "laws do not speak of it"},
		{"first members",
			"y = gather[axis=0](t, i)\nreturn y",
			"p = lift[on=2](i)\nj = drop(p)\ny = gather[axis=0](t, j)\nreturn y",
			"gather[axis=0](T, I) == gather[axis=0](T, drop(lift[on=2](I)))", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := network.Check(equation(t, eq+c.eq), read(t, head+c.a), read(t, head+c.b))
			switch {
			case c.want == "" && err != nil:
				t.Error(err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}
