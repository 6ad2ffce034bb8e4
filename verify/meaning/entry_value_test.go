package meaning_test

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
)

// valuer evaluates normal forms at a point of a law, as their definition says and by
// no code of the engine: sums go through all integer points, and what functions of
// integers are is said here once more.
type valuer[V any] struct {
	f     eval.Field[V]
	law   *law.Law
	p     *eval.Point
	cells *eval.Cells[V]
	space *graph.Space
	env   map[graph.Sym]int64 // indices and bound variables
	work  int
}

// unable is why a normal form is not evaluated; what else is thrown is wrong with it.
type unable string

func (u unable) Error() string { return string(u) }

// at is the entry at an index.
func (w *valuer[V]) at(e meaning.Entry, idx []int64) (v V, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case unable:
			err = r
		case string:
			err = errors.New(r)
		default:
			panic(r)
		}
	}()
	w.env, w.work = map[graph.Sym]int64{}, 0
	for i, s := range e.At {
		w.env[s] = idx[i]
	}
	return w.nf(e.NF), nil
}

func (w *valuer[V]) give(format string, args ...any) { panic(unable(fmt.Sprintf(format, args...))) }

func (w *valuer[V]) index(e graph.Index) int64 {
	n := e.Constant()
	for i := range e.Len() {
		v, k := e.Term(i)
		n += k * w.sym(v)
	}
	return n
}

// known reports whether an expression has no variable that has no value yet.
func (w *valuer[V]) known(e graph.Index, open map[graph.Sym]bool) bool {
	ok := true
	w.space.Walk(e, func(v graph.Sym) { ok = ok && !open[v] })
	return ok
}

func (w *valuer[V]) sym(v graph.Sym) int64 {
	if n, ok := w.env[v]; ok {
		return n
	}
	name, args, fn := w.space.App(v)
	if !fn {
		return w.size(v, name)
	}
	at := func(i int) int64 { return w.index(args[i]) }
	kind, rest, _ := strings.Cut(name, " ")
	var n int64
	switch words := valueWords.FindAllString(rest, -1); {
	case name == "max0":
		return max(at(0), 0)
	case name == "*":
		n = 1
		for i := range args {
			n *= at(i)
		}
		return n
	case strings.HasPrefix(kind, "divisor"):
		w.give("divisors")
	case kind == "digit": // of a size, a stride and the size of all
		d := w.sizes(rest)
		return graph.FloorDiv(at(0), d[1]) % d[0]
	case kind == "join":
		for i, d := range w.sizes(rest) {
			n = n*d + at(i)
		}
		return n
	case kind == "axis":
		var axis int
		if _, err := fmt.Sscanf(rest, "%d of", &axis); err != nil {
			w.give("function %s", name)
		}
		y, x, _ := strings.Cut(rest[strings.Index(rest, "of ")+3:], " in ")
		for i, d := range w.sizes(y) {
			n = n*d + at(i)
		}
		of := w.sizes(x)
		for i := len(of) - 1; i > axis; i-- {
			n /= of[i]
		}
		return n % of[axis]
	case name == "group": // of at, outs, groups and channels
		return at(0) / (at(1) / at(2)) * at(3)
	case name == "groups of":
		return graph.FloorDiv(at(0), at(1)) * at(2)
	case scan(name, "div%d", &n):
		return graph.FloorDiv(at(0), n)
	case scan(name, "count%d", &n):
		lo, hi := at(0), at(int(n))
		for i := range args {
			if int64(i) < n {
				lo = max(lo, at(i))
			} else {
				hi = min(hi, at(i))
			}
		}
		if hi <= lo {
			panic(fmt.Sprintf("the count of an empty range, %d to %d", lo, hi))
		}
		return hi - lo
	case kind == "window" && len(words) == 3:
		axis := axisOf(words[2])
		return w.windows(at(0), at(1), w.stride(words[0], axis), w.attr(words[1]), axis)
	case kind == "strided" && len(words) == 2:
		return -graph.FloorDiv(-at(0), w.stride(words[0], axisOf(words[1])))
	case kind == "start" && len(words) == 3:
		axis := axisOf(words[2])
		stride := w.stride(words[0], axis)
		return at(2)*stride - w.before(at(0), at(1), stride, w.attr(words[1]), axis)
	}
	w.give("function %s", name)
	return 0
}

// sizes are those of the key of a shape without runs: 2[d1+3*v1:av2:bc;d2; is [3*a*bc+1, 2].
func (w *valuer[V]) sizes(key string) (out []int64) {
	_, text, _ := strings.Cut(key, "[")
	number := func(prefix byte) int64 {
		n, i := int64(0), 1
		for i < len(text) && (text[i] == '-' || text[i] >= '0' && text[i] <= '9') {
			i++
		}
		if _, err := fmt.Sscan(text[min(1, len(text)):min(i, len(text))], &n); err != nil || text[0] != prefix {
			w.give("sizes %s", key)
		}
		text = text[i:]
		return n
	}
	for text != "" {
		sum := number('d')
		for strings.HasPrefix(text, "+") {
			m := number('+')
			text = strings.TrimPrefix(text, "*")
			for strings.HasPrefix(text, "v") {
				n := number('v')
				name := text[1 : 1+n]
				text = text[1+n:]
				k, ok := w.p.Sizes[name]
				if !ok {
					w.give("sizes %s", key)
				}
				m *= k
			}
			sum += m
		}
		if !strings.HasPrefix(text, ";") {
			w.give("sizes %s", key)
		}
		text = text[1:]
		out = append(out, sum)
	}
	return out
}

var valueWords = regexp.MustCompile(`\([^)]*\)|\S+`)

func scan(text, format string, n *int64) bool {
	k, err := fmt.Sscanf(text, format, n)
	return k == 1 && err == nil && text == fmt.Sprintf(format, *n)
}

func axisOf(word string) int {
	if word == "horizontal" {
		return 1
	}
	return 0
}

// size is that of a variable, of the length of a run, or a product of such. It is
// checked that the unknown is the one that the space has for it.
func (w *valuer[V]) size(v graph.Sym, name string) int64 {
	n, d := int64(1), graph.Int(1)
	for _, part := range strings.Split(name, "*") {
		base, exp, _ := strings.Cut(part, "^")
		k := int64(1)
		if exp != "" && !scan(exp, "%d", &k) {
			w.give("size %s", name)
		}
		m, ok := w.p.Sizes[base]
		if run, isRun := strings.CutSuffix(base, ".0"); isRun && !ok {
			if r := w.p.Runs[run]; len(r) == 1 {
				m, ok = r[0], true
			}
		}
		if !ok {
			panic(fmt.Sprintf("unknown %d, %s, is bound nowhere", v, name))
		}
		for range k {
			n, d = n*m, d.Mul(graph.Var(base))
		}
	}
	if own, _ := w.space.Size(d).IsSym(); own != v {
		panic(fmt.Sprintf("unknown %d, %s, is bound nowhere", v, name))
	}
	return n
}

// attr is a value as functions of windows name it.
func (w *valuer[V]) attr(word string) eval.Attr {
	if name, _, isVar := strings.Cut(word, ":"); isVar {
		a, ok := w.p.Attrs[name]
		if !ok {
			w.give("variable %s", name)
		}
		return a
	}
	if !strings.HasPrefix(word, "(") {
		return eval.Attr{Name: word}
	}
	var t []int64
	for _, s := range strings.Split(strings.Trim(word, "()"), ",") {
		n := int64(0)
		if _, err := fmt.Sscan(s, &n); err != nil {
			w.give("value %s", word)
		}
		t = append(t, n)
	}
	return eval.Attr{Tuple: t}
}

func (w *valuer[V]) stride(word string, axis int) int64 { return w.attr(word).Tuple[axis] }

// windows is how many windows of k cells there are.
func (w *valuer[V]) windows(h, k, stride int64, pad eval.Attr, axis int) int64 {
	if strings.HasPrefix(pad.Name, "same") {
		return (h + stride - 1) / stride
	}
	if pad.Tuple != nil {
		h += pad.Tuple[axis] + pad.Tuple[axis+2]
	}
	return graph.FloorDiv(h-k, stride) + 1
}

// before is how many cells of the border come before an image.
func (w *valuer[V]) before(h, k, stride int64, pad eval.Attr, axis int) int64 {
	total := max((w.windows(h, k, stride, pad, axis)-1)*stride+k-h, 0)
	switch {
	case pad.Tuple != nil:
		return pad.Tuple[axis]
	case pad.Name == "same_upper":
		return total / 2
	case pad.Name == "same_lower":
		return (total + 1) / 2
	}
	return 0
}

func (w *valuer[V]) holds(g graph.Guard) bool {
	n := w.index(g.E)
	return n == 0 || n > 0 && !g.Eq
}

// reach is how far variables go that no single guard bounds.
const reachable = 9

// points calls f at every integer point over that meets all guards.
func (w *valuer[V]) points(over []graph.Sym, dom []graph.Guard, f func()) {
	open := map[graph.Sym]bool{}
	for _, v := range over {
		if _, bound := w.env[v]; bound {
			panic(fmt.Sprintf("variable %d is bound twice", v))
		}
		open[v] = true
	}
	var rec func(left []graph.Guard)
	rec = func(left []graph.Guard) {
		if w.work++; w.work > 200_000 {
			w.give("too many points")
		}
		var rest []graph.Guard
		for _, g := range left {
			if !w.known(g.E, open) {
				rest = append(rest, g)
			} else if !w.holds(g) {
				return
			}
		}
		if len(open) == 0 {
			f()
			return
		}
		// The variable with the fewest values.
		best, lo, hi, far := graph.Sym(0), int64(0), int64(0), true
		for _, v := range over {
			if !open[v] {
				continue
			}
			l, h, some := int64(-reachable), int64(reachable), 0
			delete(open, v)
			for _, g := range rest {
				k := g.E.Coef(v)
				e := g.E.AddScaled(v.Index(), -k)
				if k == 0 || !w.known(e, open) || w.space.Mentions(e, v) {
					continue
				}
				n := w.index(e) // k*v + n >= 0
				if least := -graph.FloorDiv(n*sign(k), abs(k)); (k > 0 || g.Eq) && (some&1 == 0 || least > l) {
					l, some = least, some|1
				}
				if most := graph.FloorDiv(n*-sign(k), abs(k)); (k < 0 || g.Eq) && (some&2 == 0 || most < h) {
					h, some = most, some|2
				}
			}
			open[v] = true
			if best == 0 || far && some == 3 || far == (some != 3) && h-l < hi-lo {
				best, lo, hi, far = v, l, h, some != 3
			}
		}
		delete(open, best)
		for n := lo; n <= hi; n++ {
			w.env[best] = n
			rec(rest)
		}
		delete(w.env, best)
		open[best] = true
	}
	rec(dom)
}

func sign(k int64) int64 {
	if k < 0 {
		return -1
	}
	return 1
}

func abs(k int64) int64 { return k * sign(k) }

func (w *valuer[V]) nf(n meaning.NF) V {
	sum := w.f.Int(0)
	for _, t := range n {
		w.points(t.Over, t.Dom, func() { sum = w.f.Add(sum, w.product(t)) })
	}
	return sum
}

func (w *valuer[V]) product(t meaning.Term) V {
	if !t.Num.Num().IsInt64() || !t.Num.Denom().IsInt64() {
		w.give("number %s", t.Num)
	}
	p := w.f.Mul(w.f.Int(t.Num.Num().Int64()), w.f.Inv(w.f.Int(t.Num.Denom().Int64())))
	for _, f := range t.Facs {
		x := w.index(f.E)
		if f.Exp < 0 && x == 0 {
			panic("a divisor is 0")
		}
		for range abs(int64(f.Exp)) {
			if f.Exp > 0 {
				p = w.f.Mul(p, w.f.Int(x))
			} else {
				p = w.f.Mul(p, w.f.Inv(w.f.Int(x)))
			}
		}
	}
	for _, a := range t.Atoms {
		p = w.f.Mul(p, w.atom(a))
	}
	return p
}

func (w *valuer[V]) atom(a meaning.Atom) V {
	switch a.Kind {
	case meaning.Read:
		idx := make([]int64, len(a.At))
		for i, e := range a.At {
			idx[i] = w.index(e)
		}
		v, ok := w.cells.Given(a.Name, idx)
		if !ok {
			panic(fmt.Sprintf("%s%v is read", a.Name, idx))
		}
		return v
	case meaning.Apply:
		return w.apply(a.Fn.Value(), w.nf(a.Arg))
	}
	var out V
	n := 0
	for _, p := range a.Pieces {
		w.points(p.Over, p.Dom, func() {
			v := w.nf(p.Body)
			if n++; n == 1 {
				out = v
			} else {
				out = w.f.Larger(out, v)
			}
		})
	}
	if n == 0 {
		panic("a maximum of nothing")
	}
	return out
}

func (w *valuer[V]) apply(fn graph.Value, x V) V {
	if name, sort, isVar := fn.Var(); isVar {
		if sort == graph.SortAct {
			if name = w.p.Attrs[name].Name; name == "none" {
				return x
			}
			return w.f.Func(name, nil, x)
		}
		for _, d := range w.law.Given {
			if d.Name == name {
				return w.cells.Variable(name, d.Sort == law.SortZero1, x)
			}
		}
		w.give("function %s", name)
	}
	text, _ := fn.Name()
	name, rest, has := strings.Cut(text, "(")
	var params []string
	if has {
		params = strings.Split(strings.TrimSuffix(rest, ")"), ", ")
	}
	for i, p := range params {
		if v, _, isVar := strings.Cut(p, ":"); isVar {
			params[i] = w.p.Attrs[v].Number
		}
	}
	switch name {
	case graph.IsZero:
		if w.f.Same(x, w.f.Int(0)) {
			return w.f.Int(1)
		}
		return w.f.Int(0)
	case "number":
		w.give("number %s", text)
	}
	return w.f.Func(name, params, x)
}
