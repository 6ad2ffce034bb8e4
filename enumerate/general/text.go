package general

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// Text is the pair as [ParsePair] reads it: a line that names the tensors of kernels, and
// a law whose tensors have the sizes of the case.
func (p *Pair) Text() string {
	l := &law.Law{Kind: law.Rule, Name: "pair", LHS: p.Left, RHS: p.Right}
	head := "weights"
	for _, v := range law.Vars(append(slices.Clone(p.Left), p.Right...)...) {
		l.Given = append(l.Given, law.Declaration{Name: v, Shape: graph.Sizes(p.Sizes[v]...)})
		if p.Weight[v] {
			head += " " + v
		}
	}
	return head + "\n" + law.Format(l)
}

// ParsePair reads what Text writes. The error says what is wrong with it.
func ParsePair(text string) (*Pair, error) {
	head, rest, _ := strings.Cut(text, "\n")
	names := strings.Fields(head)
	if len(names) == 0 || names[0] != "weights" {
		return nil, fmt.Errorf("pair: the first line is %q, want weights and names", head)
	}
	l, err := law.ParseLawOver(CompositeOps(), rest)
	if err != nil {
		return nil, fmt.Errorf("pair: %w", err)
	}
	p := &Pair{Left: l.LHS, Right: l.RHS, Sizes: map[string][]int{}, Weight: map[string]bool{}}
	for _, b := range l.Given {
		sizes, ok := b.Shape.Concrete()
		if !ok || b.Sort != "" {
			return nil, fmt.Errorf("pair: %s has no sizes", b.Name)
		}
		p.Sizes[b.Name] = sizes
	}
	for _, n := range names[1:] {
		if _, ok := p.Sizes[n]; !ok {
			return nil, fmt.Errorf("pair: there is no tensor %s", n)
		}
		p.Weight[n] = true
	}
	for _, v := range law.Vars(append(slices.Clone(p.Left), p.Right...)...) {
		if _, ok := p.Sizes[v]; !ok {
			return nil, fmt.Errorf("pair: %s has no sizes", v)
		}
	}
	return p, nil
}

// String is the form as [ParseForm] reads it: a number for each field, and the letters of sizes.
func (fm Form) String() string {
	text := fmt.Sprintf("%d %d %d %d %d %d", fm.window, fm.kernel, fm.cut, fm.groups, fm.ones, fm.tie)
	if fm.sizes != "" {
		text += " " + fm.sizes
	}
	return text
}

// ParseForm reads what [Form.String] writes. The error says that there is no such form.
func ParseForm(text string) (Form, error) {
	var fm Form
	words := strings.Fields(text)
	fields := [6]*int{&fm.window, &fm.kernel, &fm.cut, &fm.groups, &fm.ones, &fm.tie}
	if len(words) == len(fields)+1 {
		fm.sizes = words[len(fields)]
		words = words[:len(fields)]
	}
	ok := len(words) == len(fields)
	for i, most := range [6]int{lastWindow, lastKernel, 1, 1, 1, 1} {
		if ok {
			n, err := strconv.Atoi(words[i])
			ok = err == nil && n >= 0 && n <= most
			*fields[i] = n
		}
	}
	for _, c := range fm.sizes {
		ok = ok && (c == asInCase || c == anySize || c == oddSize || c >= firstShared && c <= lastOdd)
	}
	if !ok || fm.sizes != "" && fm.kernel != lastKernel || fm.String() != text {
		return Form{}, fmt.Errorf("there is no form %q", text)
	}
	return fm, nil
}
