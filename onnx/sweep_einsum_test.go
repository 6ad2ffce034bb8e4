package onnx

import (
	"math"
	"testing"

	"github.com/taso-go/taso/graph"
)

// TestSweepEinsum: sums over letters as products of matrices, and places of extremes.
func TestSweepEinsum(t *testing.T) {
	t.Parallel()
	var vs []*variant
	sizes := map[rune]int{'a': 2, 'b': 3, 'c': 4, 'd': 5, 'i': 3, 'j': 2, 'k': 4, 'n': 1}
	for _, c := range []struct {
		equation string
		terms    []string // the letters of the operands, with those of an ellipsis
	}{
		{"ij,jk->ik", []string{"ij", "jk"}}, {"ij,jk", []string{"ij", "jk"}}, {"ij->ji", []string{"ij"}}, {"ij->", []string{"ij"}},
		{"ij", []string{"ij"}}, {"ba", []string{"ba"}}, {"ii->i", []string{"ii"}}, {"ii", []string{"ii"}}, {"iji->j", []string{"iji"}},
		{"abcd,abkd->abck", []string{"abcd", "abkd"}}, {"abck,abkd->abcd", []string{"abck", "abkd"}}, {"i,j->ij", []string{"i", "j"}},
		{"i,i->", []string{"i", "i"}}, {"ij,ij->ij", []string{"ij", "ij"}}, {"abc,cd->abd", []string{"abc", "cd"}}, {"bnd,dk->bkn", []string{"bnd", "dk"}},
		{"ij,jk,kd->id", []string{"ij", "jk", "kd"}}, {"a,ab,abc->abc", []string{"a", "ab", "abc"}},
		{"...ij,...jk->...ik", []string{"abij", "abjk"}}, {"...ij,jk->...ik", []string{"abij", "jk"}}, {"...i->...", []string{"abi"}},
		{"i...->...i", []string{"iab"}}, {"...ij,...jk", []string{"aij", "ajk"}}, {"a b , b c -> a c", []string{"ab", "bc"}},
		{"...ij,...jk->...ik", []string{"nij", "ajk"}}, {"ij,kj->ik", []string{"ij", "kj"}}, {"ij,jk->k", []string{"ij", "jk"}},
	} {
		var in []operand
		for i, term := range c.terms {
			var dims []int
			for _, r := range term {
				dims = append(dims, sizes[r])
			}
			in = append(in, feed(string(rune('p'+i)), dims...))
		}
		vs = append(vs, variantOf(12, "Einsum", in, z, textAttribute("equation", c.equation)))
	}
	for equation, why := range map[string]string{"ij,jk->iz": "the equation", "ij->i": "for 2 inputs", "ik,jk->ij": "is 2 and 3", "i,j->ij": "for \"x\"", "ij,j3->i": "the equation", "ij,jk->ii": "the equation"} {
		vs = append(vs, variantOf(12, "Einsum", list(feed("x", 3, 2), feed("yy", 2, 3)), z, textAttribute("equation", equation)).fails(why))
	}
	inf := math.Inf(1)
	for _, op := range []string{"ArgMax", "ArgMin"} {
		for _, x := range []operand{feed("x", 3, 4, 2), given("x", 1, 5, 5, -inf, 5, -inf), given("x", inf, 2, inf), given("x", 7),
			given("x", -2147483648, 2147483647, 5, 2147483647, -2147483648).as(graph.Int32), given("x", 3, -128, 127, 127, -128).as(graph.Int8), given("x", 0, 255, 7, 255).as(graph.Uint8)} {
			vs = append(vs, variantOf(13, op, list(x), z), variantOf(13, op, list(x), z, intAttribute("axis", -1), intAttribute("keepdims", 0)),
				variantOf(13, op, list(x), z, intAttribute("select_last_index", 1)))
		}
	}
	hot := given("i", 0, 2, -1, 7, -4)
	for _, as := range []graph.DType{graph.Int64, graph.Float32} {
		vs = append(vs, variantOf(11, "OneHot", list(hot.as(as), whole("d", 3).sized().as(as), feed("x", 2)), z),
			variantOf(11, "OneHot", list(hot.as(as), whole("d", 3).sized().as(as), given("x", 0, -inf)), z, intAttribute("axis", 0)))
	}
	vs = append(vs, variantOf(11, "OneHot", list(given("i", 0.5, 1.75, -0.5, -1.5, 2.25), given("d", 3).sized().held(), feed("x", 2)), z))
	vs = append(vs, variantOf(13, "Hardmax", list(given("x", 1, inf, inf, -inf)), z, intAttribute("axis", 0)))
	sweep(t, vs)
}
