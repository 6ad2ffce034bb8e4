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
	case kind == "divisor" && len(words) == 3: // of h, w, kh, kw and a place
		border, stride, pad := w.value(words[0]), w.value(words[1]), w.value(words[2])
		n = 1
		for axis := range 2 {
			h, k, from := at(axis), at(2+axis), at(4+axis)*stride.Tuple[axis]
			from -= w.before(h, k, stride.Tuple[axis], pad, axis)
			if border.Name == "excluded" {
				k = min(from+k, h) - max(from, 0)
			}
			n *= k
		}
		return n
	case kind == "times":
		return at(0) * w.sizes(rest)[0]
	case kind == "floor":
		return graph.FloorDiv(at(0), w.sizes(rest)[0])
	case name == "group": // of at, outs, groups and channels
		return at(0) / (at(1) / at(2)) * at(3)
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
			for text != "" && (text[0] == 'v' || text[0] == 'f') {
				if step := stepKey.FindStringSubmatch(text); step != nil {
					m *= w.attr(step[1] + ":").Tuple[step[2][0]-'0']
					text = text[len(step[0]):]
					continue
				}
				if text[0] == 'f' {
					w.give("sizes %s", key)
				}
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

// stepKey is the key of step(v, axis), a product's factor; stepText is how it is written.
var (
	stepKey  = regexp.MustCompile(`^f4:step2\(v\d+:(\w+?)6:strided([01]);`)
	stepText = regexp.MustCompile(`^step\((\w+),([01])\)$`)
)

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

// size is that of a variable, of a step, of the length of a run, or a product of such. It is
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
		own := graph.Var(base)
		if step := stepText.FindStringSubmatch(base); step != nil {
			axis := int(step[2][0] - '0')
			m, ok = w.attr(step[1] + ":").Tuple[axis], true
			own = graph.StepOf(graph.VarValue(step[1], graph.SortStride), axis)
		}
		if run, isRun := strings.CutSuffix(base, ".0"); isRun && !ok {
			if r := w.p.Runs[run]; len(r) == 1 {
				m, ok = r[0], true
			}
		}
		if !ok {
			panic(fmt.Sprintf("unknown %d, %s, is bound nowhere", v, name))
		}
		for range k {
			n, d = n*m, d.Mul(own)
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

// value is one of which the key is given: n5:valid, v1:s6:stride, t2,1,1;.
func (w *valuer[V]) value(key string) eval.Attr {
	n := 0
	text := func() string {
		count, rest, _ := strings.Cut(key[1:], ":")
		if _, err := fmt.Sscan(count, &n); err != nil || n > len(rest) {
			w.give("value %s", key)
		}
		return rest[:n]
	}
	switch key[0] {
	case 'n':
		return eval.Attr{Name: text()}
	case 'v':
		a, ok := w.p.Attrs[text()]
		if !ok {
			w.give("value %s", key)
		}
		return a
	}
	_, list, _ := strings.Cut(key, ",")
	return w.attr("(" + strings.TrimSuffix(list, ";") + ")")
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
