package hostile

import (
	"fmt"
	"strings"
)

// Rules are files of rewrite rules in the law language.
func Rules() []Input {
	l := &list{ext: ".rules"}
	rule := func(given, lhs, rhs string) string {
		return "rule r\n  given " + given + "\n  then  " + lhs + " == " + rhs + "\n"
	}
	same := func(given, term string) string { return rule(given, term, term) }
	sizes := func(n int) string {
		return each(4, ", ", func(i int) string { return sum(string(rune('a'+i)), n) })
	}
	combined := func(n int) string { return nest(n, "combine[axis=0](", "X", ")") }
	l.add("product of four sums of 60 sizes", same("X : ["+sizes(60)+"]", combined(3)))
	l.add("product of four sums of 20 sizes", same("X : ["+sizes(20)+"]", combined(3)))
	l.add("20 products of sums", each(20, "\n", func(i int) string {
		return strings.Replace(same("X : ["+sizes(60)+"]", combined(3)), "rule r", fmt.Sprint("rule r", i), 1)
	}))
	l.add("product of 30 sums of two", same("X : ["+each(30, ", ", func(i int) string { return fmt.Sprintf("a%d+b%d", i, i) })+"]", combined(29)))
	l.add("sum of 1000 sizes", same("X : ["+sum("a", 1000)+"]", "relu(X)"))
	l.add("64 sums of 64 sizes", same("X : ["+each(30, ", ", func(int) string { return sum("a", 64) })+"]", "relu(X)"))
	l.add("power of 1000", same("X : ["+strings.Repeat("a*", 1000)+"a]", "relu(X)"))
	l.add("powers of 16 multiplied", same("X : ["+each(30, ", ", func(int) string { return strings.Repeat("a*", 15) + "a" })+"]", combined(29)))
	l.add("size of 400 digits", same("X : ["+strings.Repeat("9", 400)+"]", "relu(X)"))
	l.add("coefficients whose product leaves 63 bits", same("X : [2147483647*a, 2147483647*a, 2147483647*a]", combined(2)))
	l.add("term nested 100,000 deep", same("X : [n]", nest(100_000, "relu(", "X", ")")))
	l.add("term nested 900 deep", same("X : [n]", nest(900, "relu(", "X", ")")))
	l.add("brackets nested 100,000 deep", same("X : "+strings.Repeat("[", 100_000), "X"))
	l.add("size functions nested 900 deep", same("X : ["+nest(900, "window(", "n", ", 3, (2, 2), valid, 0)")+"]", "relu(X)"))
	l.add("sum of 50,000 operands", same("X : [n]", nest(25_000, "ewadd(X, ", "X", ")")))
	l.add("complete tree of depth 14", same("X : [n]", tree(14)))
	l.add("3000 tensors in one rule", same(each(3000, ", ", func(i int) string { return fmt.Sprintf("X%d : [n%d]", i, i) }), "X0"))
	l.add("3000 tensors added", rule(each(3000, ", ", func(i int) string { return fmt.Sprintf("X%d : [n]", i) }), chain(900, false), chain(900, true)))
	l.add("rank 32 transposed", same("X : ["+each(32, ", ", func(i int) string { return fmt.Sprint("n", i) })+"]",
		"transpose[perm=("+each(32, ", ", func(i int) string { return fmt.Sprint(31 - i) })+")](X)"))
	l.add("rank 200", same("X : ["+each(200, ", ", func(i int) string { return fmt.Sprint("n", i) })+"]", "relu(X)"))
	l.add("permutations of rank 30, ten of them", same("X : ["+each(30, ", ", func(i int) string { return fmt.Sprint("n", i) })+"]",
		nest(10, "transpose[perm=("+each(30, ", ", func(i int) string { return fmt.Sprint((i*7 + 3) % 30) })+")](", "X", ")")))
	l.add("40 permutation variables", same("X : [P..], "+each(40, ", ", func(i int) string { return fmt.Sprintf("q%d : perm", i) }),
		each(40, "", func(i int) string { return fmt.Sprintf("transpose[perm=q%d](", i) })+"X"+strings.Repeat(")", 40)))
	l.add("composed permutations nested 200 deep", same("X : [P..], q : perm", "transpose[perm="+nest(200, "after(q, ", "q", ")")+"](X)"))
	l.add("40 padding and stride variables", same(each(40, ", ", func(i int) string { return fmt.Sprintf("p%d : padding, s%d : stride", i, i) })+", X : [b, c, h, w]",
		each(40, "", func(i int) string { return fmt.Sprintf("maxpool[kh=2, kw=2, stride=s%d, pad=p%d](", i, i) })+"X"+strings.Repeat(")", 40)))
	l.add("20 axis runs", same("X : ["+each(20, ", ", func(i int) string { return fmt.Sprint(string(rune('A'+i)), "..") })+"]", "relu(X)"))
	l.add("huge kernel", same("X : [1, 1, 2147483647, 2147483647]", "maxpool[kh=2147483647, kw=2147483647, stride=(1, 1), pad=valid](X)"))
	l.add("huge stride and pads", same("X : [1, 1, 9, 9]", "maxpool[kh=3, kw=3, stride=(2147483647, 2147483647), pad=(2147483647, 2147483647, 2147483647, 2147483647)](X)"))
	l.add("huge tensor", same("X : [65536, 65536, 65536]", "reducesum[axes=(0, 1, 2)](X)"))
	l.add("tensor of zeros of huge size", rule("X : [1]", "fill[shape=[2147483647, 2147483647], value=0.0]()", "fill[shape=[2147483647, 2147483647], value=0.0]()"))
	l.add("conditions that no size meets", "rule r\n  given X : [a, b, c, d]\n  where a < b, b < c, c < d, d < a\n  then  relu(X) == relu(relu(X))\n")
	l.add("500 conditions", "rule r\n  given X : [n]\n  where "+each(500, ", ", func(i int) string { return fmt.Sprintf("%d <= n", i) })+"\n  then  relu(X) == relu(relu(X))\n")
	l.add("3000 rules", each(3000, "\n", func(i int) string {
		return fmt.Sprintf("rule r%d\n  given X : [n%d]\n  then  relu(X) == relu(relu(X))\n", i, i)
	}))
	l.add("3000 unreadable rules", strings.Repeat("rule r\n  given X : [n\n  then\n", 3000))
	l.add("name of a megabyte", same(strings.Repeat("X", 1<<20)+" : [n]", "X"))
	l.add("line of 8 MB", "rule r given X : [n] then X == X #"+strings.Repeat("x", 8<<20))
	l.add("invalid UTF-8", "rule r\xff\xfe\n  given X : [\xc3\x28]\n  then X == X")
	l.add("zero bytes", strings.Repeat("\x00", 1<<16))
	l.add("number attributes", same("X : [n]", "smul(X, fill[shape=[], value=1e308]())")+same("X : [n]", "smul(X, fill[shape=[], value=nan]())"))
	l.add("exponent of 400 digits", same("X : [n]", "smul(X, fill[shape=[], value=1e"+strings.Repeat("9", 400)+"]())"))
	l.add("groups of a huge number", same("X : [1, 2147483647, 3, 3], W : [2147483647, 1, 3, 3]", "conv2d[stride=(1, 1), pad=valid, groups=2147483647](X, W)"))
	return l.all
}

// tree is a complete binary tree of sums.
func tree(depth int) string {
	if depth == 0 {
		return "X"
	}
	t := tree(depth - 1)
	return "ewadd(" + t + ", " + t + ")"
}

// chain adds n tensors, in order or backwards.
func chain(n int, backward bool) string {
	at := func(i int) int {
		if backward {
			return n - 1 - i
		}
		return i
	}
	return each(n-1, "", func(i int) string { return fmt.Sprintf("ewadd(X%d, ", at(i)) }) + fmt.Sprint("X", at(n-1)) + strings.Repeat(")", n-1)
}
