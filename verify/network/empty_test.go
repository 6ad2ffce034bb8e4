package network_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/verify/network"
)

// Tensors without elements are no variables and no terms: an equation that has one is
// about sizes of which no law speaks.
func TestEmpty(t *testing.T) {
	const sum = "c = broadcast[shape=[0, 2]](x)\ns = reducesum[axes=(0)](c)\n"
	for _, c := range []struct{ name, a, b, eq, want string }{
		{"an input that is left out", "x : float32[2]\ne : float32[0]\ny = relu(x)\nreturn y, e", "",
			"given X : [2] then relu(X) == relu(X)", ""},
		{"an input that is a variable", "x : float32[2]\ne : float32[0]\ny = relu(x)\nreturn y, e", "",
			"given X : [2], E : [0] then relu(X) == relu(X)", "variable E of the equation has shape [0]"},
		{"a variable without elements", "x : float32[2]\ny = relu(x)\nreturn y", "",
			"given X : [2], E : [3, 0] then relu(X) == relu(X)", "variable E of the equation has shape [3, 0]"},
		{"an output that is a term", "x : float32[2]\ny = slice[axis=0, lo=1, hi=1](x)\nreturn y, x", "",
			"given X : [2] then (slice[axis=0, lo=1, hi=1](X), X) == (slice[axis=0, lo=1, hi=1](X), X)", "output 0"},
		{"a sum of nothing that is a term", "x : float32[2]\n" + sum + "return s", "",
			"given X : [2] then reducesum[axes=(0)](broadcast[shape=[0, 2]](X)) == reducesum[axes=(0)](broadcast[shape=[0, 2]](X))", "no elements"},
		{"a sum of nothing that is cut", "x : float32[2]\n" + sum + "return s", "",
			"given X : [2], S : [2] then S == S", ""},
		{"another sum of nothing", "x : float32[2]\n" + sum + "return s", "x : float32[2]\nc = broadcast[shape=[0, 3, 2]](x)\ns = reducesum[axes=(0, 1)](c)\nreturn s",
			"given X : [2], S : [2] then S == S", "is not node s"},
		{"the largest of nothing", "x : float32[2]\nc = broadcast[shape=[0, 2]](x)\nm = reducemax[axes=(0)](c)\ny = ewsub(m, m)\nreturn y", "",
			"given X : [2], M : [2] then ewsub(M, M) == ewsub(M, M)", "laws are about real numbers"},
		{"results of other types", "x : float32[2]\ny = slice[axis=0, lo=1, hi=1](x)\nreturn y, x", "x : float32[2]\ny = broadcast[shape=[0, 2]](x)\nreturn y, x",
			"given X : [2] then X == X", "output 0"},
		{"one part of two", "x : float32[2]\ns = split[axis=0, at=0](x)\ny = relu(s.1)\nreturn y", "",
			"given X : [2] then relu(slice[axis=0, lo=0, hi=2](X)) == relu(slice[axis=0, lo=0, hi=2](X))", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.b == "" {
				c.b = c.a
			}
			_, err := network.Check(equation(t, c.eq), read(t, c.a), read(t, c.b))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
