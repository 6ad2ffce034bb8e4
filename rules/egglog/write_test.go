package egglog

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/rules"
)

// What rewrites look like, and what is left out and why.
func TestWrite(t *testing.T) {
	for _, c := range []struct {
		law  string
		want []string // lines, in order
		skip []string
	}{
		{`X : [P..], Y : [P..], Z : [P..] then ewadd(ewadd(X, Y), Z) == ewadd(X, ewadd(Y, Z))`, []string{
			`(rewrite (t-ewadd A (t-ewadd B C)) (t-ewadd B (t-ewadd A C)) :ruleset taso)`,
		}, nil},
		// A function of one element is any, or one that is 0 at 0.
		{`f : zero1, X : [b, c, h, w] then enlarge[kh=kh, kw=kw](f(X)) == f(enlarge[kh=kh, kw=kw](X))`, []string{
			`(rewrite (t-enlarge e g (t-map ?-f A)) (t-map ?-f (t-enlarge e g A)) :when ((= (Shape-4 a b c d) (t-shape A)) (t-zero ?-f) (>= e 1) (>= g 1)) :ruleset taso)`,
		}, nil},
		// The place of a cut is a size of an operand.
		{`X : [m, k], A : [k, a], B : [k, b] then (matmul(X, A), matmul(X, B)) == split[axis=1, at=a](matmul(X, concat[axis=1](A, B)))`, []string{
			`(rule ((= o-0 (t-matmul`, `(union o-1 (t-split 0 1 c `,
		}, nil},
		// A sum of sizes is solved for the one that no other pattern tells, which is at least 1.
		{`X : [m, a+b] then concat[axis=1](slice[axis=1, lo=0, hi=a](X), slice[axis=1, lo=a, hi=a+b](X)) == X`, []string{
			`(= (Shape-2 a d-1) (t-shape A))`, `(= c (- d-1 b)) (= d-1 (+ b c))`, `(>= b 1) (>= c 1)`,
		}, nil},
		{`X : [m, n] where k < n then slice[axis=1, lo=0, hi=k](relu(X)) == relu(slice[axis=1, lo=0, hi=k](X))`, []string{
			`:when ((= (Shape-2 a b) (t-shape A)) (>= c 1) (< c b))`,
		}, nil},
		{`q : same, X : [b, c, h, w] then poolmax[kh=3, kw=3, pad=q](relu(X)) == relu(poolmax[kh=3, kw=3, pad=q](X))`, []string{
			`(t-same ?-p)`, `(t-poolmax 3 3 "(1, 1)" ?-p A)`,
		}, nil},
		// What is an input on one side is matched with its shape, apart from the others.
		{`X : [m, n] then transpose(transpose(X)) == X`, []string{
			`(rewrite (t-transpose "(1, 0)" (t-transpose "(1, 0)" A)) A :when ((= (Shape-2 a b) (t-shape A))) :ruleset taso)`,
			`(rewrite A (t-transpose "(1, 0)" (t-transpose "(1, 0)" A)) :when ((= (Shape-2 a b) (t-shape A))) :ruleset taso-inputs)`,
		}, nil},
		// A size of a window is no sum or product.
		{`p : padding, s : stride then poolmax[kh=3, kw=3, stride=s, pad=p](one[shape=[a, b, c, d]]())
		  => relu(one[shape=[a, b, window(c,3,s,p,0), window(d,3,s,p,1)]]())`, nil, []string{"the size window(c,3,s,p,0)"}},
		// One rewrite for each place in up to four axes.
		{`X : [P.., a, S..], Y : [P.., b, S..] then relu(concat[axis=#P](X, Y)) == concat[axis=#P](relu(X), relu(Y))`, []string{
			`(t-concat 3 (t-map "relu" A) (t-map "relu" B))`, `(Shape-4 r0_0 r0_1 r0_2 a)`,
		}, nil},
	} {
		r := ruleOf(t, c.law)
		program, written, skips := Write([]*rules.Rule{r})
		_, body, _ := strings.Cut(string(program), "; "+r.ID())
		if (written == 1) != (len(c.want) > 0) {
			t.Errorf("%s: %d rules written, %v", c.law, written, skips)
		}
		for _, w := range c.want {
			if !strings.Contains(body, w) {
				t.Errorf("%s:\n%s\nwant %s", c.law, body, w)
			}
		}
		var all []string
		for _, s := range skips {
			all = append(all, s.String())
		}
		if (len(all) > 0) != (len(c.skip) > 0) {
			t.Errorf("%s: left out %v", c.law, all)
		}
		for _, w := range c.skip {
			if !strings.Contains(strings.Join(all, "\n"), w) {
				t.Errorf("%s: left out %v, want %s", c.law, all, w)
			}
		}
	}
}

// Shapes are conditions: where they do not fit, nothing is rewritten, and what was made
// has shapes by which it is rewritten again.
func TestConditions(t *testing.T) {
	rs := []*rules.Rule{
		ruleOf(t, `X : [m, k], A : [k, a], B : [k, b] then concat[axis=1](matmul(X, A), matmul(X, B)) == matmul(X, concat[axis=1](A, B))`),
		ruleOf(t, `X : [m, k], Y : [k, n] then transpose(matmul(X, Y)) == matmul(transpose(Y), transpose(X))`),
		ruleOf(t, `X : [m, n] where k < n then slice[axis=1, lo=0, hi=k](relu(X)) == relu(slice[axis=1, lo=0, hi=k](X))`),
	}
	program, _, _ := Write(rs)
	text := string(program) + `
(let $x (t-input "x")) (let $a (t-input "a")) (let $b (t-input "b"))
(let $both (t-concat 1 (t-matmul $x $a) (t-matmul $x $b)))
(let $t (t-transpose "(1, 0)" $both))
(let $cut (t-slice 1 0 4 (t-map "relu" $a)))
(set (t-shape $x) (Shape-2 2 3))
(set (t-shape $a) (Shape-2 3 4))
`
	joined := "(t-matmul $x (t-concat 1 $a $b))"
	turned := `(t-matmul (t-transpose "(1, 0)" (t-concat 1 $a $b)) (t-transpose "(1, 0)" $x))`
	cut := `(t-map "relu" (t-slice 1 0 4 $a))`
	if err := run(t,
		text+"(set (t-shape $b) (Shape-2 3 5))\n(run taso 1)\n(check (= $both "+joined+"))\n(fail (check (= $t "+turned+")))\n(run taso 1)\n(check (= $t "+turned+"))\n"+
			"(check (= (t-shape (t-concat 1 $a $b)) (Shape-2 3 9)))\n(fail (check (= $cut "+cut+")))\n",
		text+"(set (t-shape $b) (Shape-2 4 5))\n(run taso 3)\n(fail (check (= $both "+joined+")))\n",
		text+"(run taso 3)\n(fail (check (= $both "+joined+")))\n",
	); err != nil {
		t.Error(err)
	}
}
