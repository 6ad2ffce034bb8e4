package adversary

import (
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/internal/adversary/eval"
	"github.com/taso-go/taso/law"
)

// Conditions as the audit prints them, read again: what is printed has to
// suffice, whatever was proved. "X[1]" is axis 1 of a given tensor, an axis run
// counting as one.

// words is a condition in words about a law.
type words struct {
	law   *law.Law
	parts []string
	both  bool // the claim is about where both sides are defined
}

// readWords splits a condition; ok is false where a part is not understood.
func readWords(l *law.Law, text string) (w *words, ok bool) {
	w = &words{law: l}
	depth, from := 0, 0
	for i, c := range text {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				w.parts = append(w.parts, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	w.parts = append(w.parts, strings.TrimSpace(text[from:]))
	w.parts = slices.DeleteFunc(w.parts, func(s string) bool {
		if s == "both sides are defined" {
			w.both = true
			return true
		}
		return false
	})
	p := &eval.Point{Sizes: map[string]int64{}, Runs: map[string][]int64{}, Attrs: map[string]eval.Attr{}}
	sizes, runs := variables(l)
	for _, n := range sizes {
		p.Sizes[n] = 1
	}
	for _, n := range runs {
		p.Runs[n] = nil
	}
	for _, b := range l.Given {
		if vs := values[b.Sort]; vs != nil {
			p.Attrs[b.Name], _ = p.Attr(vs[0])
		}
	}
	_, ok = w.hold(p)
	return w, ok
}

// hold evaluates the condition at a point.
func (w *words) hold(p *eval.Point) (holds, ok bool) {
	for _, part := range w.parts {
		h, ok := w.part(p, part)
		if !ok {
			return false, false
		}
		if !h {
			return false, true
		}
	}
	return true, true
}

func (w *words) part(p *eval.Point, part string) (holds, ok bool) {
	border := func(name string) (bool, bool) {
		for _, b := range w.law.Given {
			if b.Sort == "border" && p.Attrs[b.Name].Name != name {
				return false, true
			}
		}
		return true, true
	}
	same := func(name string) (bool, bool) {
		for _, b := range w.law.Given {
			if b.Sort == "same" && p.Attrs[b.Name].Name != name {
				return false, true
			}
		}
		return true, true
	}
	switch part {
	case "averages include padding":
		return border("counted")
	case "averages exclude padding":
		return border("excluded")
	case "SAME padding is same_upper":
		return same("same_upper")
	case "SAME padding is same_lower":
		return same("same_lower")
	}
	for _, rel := range []string{" <= ", " divides ", " = "} {
		left, right, found := strings.Cut(part, rel)
		if !found {
			continue
		}
		if a, isAttr := p.Attrs[left]; isAttr && rel == " = " {
			return a.String() == right, true
		}
		l, okl := w.number(p, left)
		r, okr := w.number(p, right)
		if !okl || !okr {
			return false, false
		}
		switch rel {
		case " <= ":
			return l <= r, true
		case " divides ":
			return l > 0 && r%l == 0, true
		}
		return l == r, true
	}
	return false, false
}

// number evaluates a size in words: axes of tensors become their sizes, then it
// is a size of the law language.
func (w *words) number(p *eval.Point, text string) (int64, bool) {
	for _, b := range w.law.Given {
		if b.Sort != "" {
			continue
		}
		for i, it := range b.Shape {
			if it.AxisRun != "" {
				continue
			}
			place := b.Name + "[" + strconv.Itoa(i) + "]"
			n, err := p.Dim(it.Dim)
			if err != nil {
				return 0, false
			}
			at := strings.Index(text, place)
			for at >= 0 {
				if at > 0 && isName(text[at-1]) {
					return 0, false
				}
				text = text[:at] + strconv.FormatInt(n, 10) + text[at+len(place):]
				at = strings.Index(text, place)
			}
		}
	}
	d, err := law.ParseDim(text, w.law.Given)
	if err != nil {
		return 0, false
	}
	n, err := p.Dim(d)
	return n, err == nil
}

func isName(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
