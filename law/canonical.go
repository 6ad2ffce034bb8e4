package law

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
)

// Canonical is the law in canonical form, so that laws which say the same by
// renaming of variables, exchange of the sides, order of commutative operands
// or order of outputs are the same text: the larger side first, variables named
// by first use, bindings that are not used dropped, and of what choices remain
// the one with the least text. Kind, Doc, Tags and Cite stay; the Name too.
//
// A law written => keeps its direction. A law that says no more than that an
// operator is commutative becomes an equation between a term and itself.
func Canonical(l *Law) *Law {
	c := &canonizer{law: l}
	m := c.run()
	if !c.byText {
		return m
	}
	// Operands are ordered by names that are not those of the result, which may order them
	// otherwise. Of the forms that take turns in the end the one with the least text is
	// canonical, so that its own canonical form is the same.
	at, forms, texts := map[string]int{}, []*Law(nil), []string(nil)
	for text := Body(m); ; text = Body(m) {
		first, ok := at[text]
		if ok || len(forms) == maxForms {
			least := first
			for i := first; i < len(texts); i++ {
				if texts[i] < texts[least] {
					least = i
				}
			}
			return forms[least]
		}
		at[text] = len(forms)
		forms, texts = append(forms, m), append(texts, text)
		c := &canonizer{law: m}
		m = c.run()
	}
}

// plainText is the text of l up to renaming of variables, exchange of the sides
// and order of outputs only: a law and its mirror, but not a commuted law.
func plainText(l *Law) string {
	m := *l
	m.Kind, m.Name, m.Doc, m.Tags, m.Cite = Rule, "x", "", nil, nil
	c := &canonizer{law: &m, plain: true}
	return Format(c.run())
}

func (c *canonizer) run() *Law {
	c.law = sized(c.law)
	l := c.law
	sides := [][2][]*Term{{l.LHS, l.RHS}}
	if !l.OneWay {
		switch d := Size(l.LHS...) - Size(l.RHS...); {
		case d < 0:
			sides = [][2][]*Term{{l.RHS, l.LHS}}
		case d == 0:
			sides = append(sides, [2][]*Term{l.RHS, l.LHS})
		}
	}
	for _, s := range sides {
		eachOrder(len(s[0]), func(order []int) {
			left, right := make([]*Term, len(order)), make([]*Term, len(order))
			for i, k := range order {
				left[i], right[i] = s[0][k], s[1][k]
			}
			c.flips(left, right)
		})
	}
	return c.best
}

// sized is a law with the sizes of tensors that no side reads among its
// conditions, where they may be below 1: a law says nothing of such sizes, also
// when the tensor is dropped.
func sized(l *Law) *Law {
	read := map[string]bool{}
	l.EachTerm(func(u *Term) { read[u.Var] = true })
	out := *l
	out.Where = append([]Pred(nil), l.Where...)
	for _, b := range l.Given {
		if b.Sort != "" || read[b.Name] {
			continue
		}
		for _, it := range b.Shape {
			if it.AxisRun == "" && !atLeast1(it.Dim) {
				out.Where = append(out.Where, Pred{Left: graph.Int(1), Rel: "<=", Right: it.Dim})
			}
		}
	}
	return &out
}

// atLeast1 reports that a size is at least 1 whatever its variables are, at sight.
func atLeast1(d graph.Dim) bool {
	terms, least := d.Terms()
	for _, t := range terms {
		if t.Coef < 0 {
			return false
		}
		least += t.Coef
	}
	plain := true
	d.Walk(func(a graph.Atom) { plain = plain && a.Kind == graph.AtomVar })
	return plain && least >= 1
}

// ID is the identity of a law: "r_" and ten digits of the hash of its canonical
// text. The name and the comments are not part of it. A law that is a large
// graph is hashed as it is, with the names it has.
func ID(l *Law) string {
	if !large(l) {
		l = Canonical(l)
	}
	h := sha256.Sum256([]byte(Body(l)))
	return "r_" + hex.EncodeToString(h[:5])
}

// Body is a law's statement: a text that only laws share which say the same with
// the same names, whatever they are called. It is the law in the law language,
// or, of a large graph, with its nodes as a certificate numbers them; in front are the
// definitions of operators that are not built in.
func Body(l *Law) string {
	m := *l
	m.Kind, m.Name, m.Doc, m.Tags, m.Cite = Rule, "x", "", nil, nil
	if !large(l) {
		return Definitions(l) + Format(&m)
	}
	e := NewCertRule("", &m, &Proof{})
	return e.Law + strings.Join(e.Nodes, "\n")
}

// maxWritten is the most operators that a term may have, written out as a tree,
// for its law to be put into canonical form and compared as a text.
const maxWritten = 10_000

func large(l *Law) bool {
	left := 0
	var fits func(t *Term) bool
	fits = func(t *Term) bool {
		left--
		for _, a := range t.Args {
			if left < 0 || !fits(a) {
				return false
			}
		}
		return left >= 0
	}
	for _, ts := range [2][]*Term{l.LHS, l.RHS} {
		for _, t := range ts {
			if left = maxWritten; !fits(t) {
				return true
			}
		}
	}
	return false
}

type canonizer struct {
	law   *Law
	plain bool // keep the operands of commutative operators as they are
	// byText: operands were ordered by their texts.
	byText bool
	best   *Law
	text   string

	shapes map[string]graph.Shape // of the law's tensors
}

// eachOrder calls f with every order of n things; of more than four, only with
// the given one.
func eachOrder(n int, f func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if n > 4 {
		f(order)
		return
	}
	Permute(order, func() bool {
		f(order)
		return true
	})
}

// maxForms bounds the forms that are made of one law.
const maxForms = 64

// maxFlips is the most commutative applications whose operand orders are all
// tried; of more, the operands are ordered by text.
const maxFlips = 8

// flips tries the orders of commutative operands.
func (c *canonizer) flips(left, right []*Term) {
	if c.plain {
		c.consider(left, right)
		return
	}
	f := &flipper{flip: map[int]bool{}}
	var apps []int
	seen := map[int]bool{}
	for _, ts := range [2][]*Term{left, right} {
		for _, t := range ts {
			t.Walk(func(u *Term) {
				if u.Op != nil && u.Op.Commutative {
					if k := f.nodes.App(u); !seen[k] && f.nodes.Of(u.Args[0]) != f.nodes.Of(u.Args[1]) {
						seen[k] = true
						apps = append(apps, k)
					}
				}
			})
		}
	}
	n := len(apps)
	if n > maxFlips {
		n, f.byText, c.byText = 0, true, true
	}
	for mask := 0; mask < 1<<n; mask++ {
		clear(f.flip)
		for i := 0; i < n; i++ {
			if mask&(1<<i) != 0 {
				f.flip[apps[i]] = true
			}
		}
		c.consider(f.all(left), f.all(right))
	}
}

// flipper exchanges operands of commutative operators: of the applications in
// flip (by their numbers before any exchange), or of all by their texts.
type flipper struct {
	nodes  Nodes
	flip   map[int]bool
	byText bool
}

func (f *flipper) all(ts []*Term) []*Term {
	out := make([]*Term, len(ts))
	for i, t := range ts {
		out[i] = f.term(t)
	}
	return out
}

func (f *flipper) term(t *Term) *Term {
	if len(t.Args) == 0 {
		return t
	}
	u := *t
	u.Args = make([]*Term, len(t.Args))
	for i, a := range t.Args {
		u.Args[i] = f.term(a)
	}
	if t.Op != nil && t.Op.Commutative {
		if f.byText && u.Args[1].String() < u.Args[0].String() || !f.byText && f.flip[f.nodes.App(t)] {
			u.Args[0], u.Args[1] = u.Args[1], u.Args[0]
		}
	}
	return &u
}

// names hands out names that no other kind of variable has.
type names struct {
	first []string
	used  int
}

func (n *names) next() string {
	k := n.used
	n.used++
	name := n.first[k%len(n.first)]
	if round := k / len(n.first); round > 0 {
		name += strconv.Itoa(round + 1)
	}
	return name
}

var (
	tensorNames = strings.Split("ABCDEFGHIJKLMNO", "")
	runNames    = strings.Split("PQRS", "")
	sizeNames   = strings.Split("abcdeghijklmnoqtvwxyz", "")
	attrNames   = map[string][]string{
		graph.SortStride: {"s"}, graph.SortPadding: {"p"}, graph.SortSame: {"p"}, graph.SortAct: {"r"},
		graph.SortBorder: {"u"}, graph.SortNumber: {"u"}, graph.SortPerm: {"u"}, SortMesh: {"u"}, SortPointwise1: {"f"}, SortZero1: {"f"},
	}
)

// naming collects the new names of one choice.
type naming struct {
	tensors map[string]*Term
	order   []string // tensors by first use, old names
	fns     map[string]string
	attrs   []string // attribute and function variables by first use
	bind    graph.Substitution
	sorts   map[string]string
	pools   map[string]*names
	sizes   names
	runs    names
	vars    map[string]graph.Shape
}

func (n *naming) attr(name string) string {
	key := attrNames[n.sorts[name]]
	if key == nil {
		key = []string{"u"}
	}
	p := n.pools[key[0]]
	if p == nil {
		p = &names{first: key}
		n.pools[key[0]] = p
	}
	n.attrs = append(n.attrs, name)
	return p.next()
}

func (n *naming) size(name string) {
	if _, ok := n.bind.Dims[name]; !ok {
		n.bind.Dims[name] = graph.Var(n.sizes.next())
	}
}

func (n *naming) run(name string) {
	if _, ok := n.bind.Runs[name]; !ok {
		n.bind.Runs[name] = graph.Shape{graph.AxisRun(n.runs.next())}
	}
}

// value names an attribute value that is a variable.
func (n *naming) value(v graph.Value) {
	if name, sort, ok := v.Var(); ok {
		if _, ok := n.bind.Attrs[name]; !ok {
			n.bind.Attrs[name] = graph.VarValue(n.attr(name), sort)
		}
	}
	if v.Kind() == graph.KindPerm || v.Kind() == graph.KindAxis {
		for _, p := range v.PermVars() {
			n.value(p.Var)
		}
	}
}

// terms names tensors, runs and attribute variables by first use.
func (n *naming) terms(ts []*Term) {
	for _, t := range ts {
		t.Walk(func(u *Term) {
			if u.Var != "" {
				if n.tensors[u.Var] == nil {
					k := len(n.order)
					pool := names{first: tensorNames, used: k}
					n.tensors[u.Var] = V(pool.next())
					n.order = append(n.order, u.Var)
				}
				return
			}
			if u.Fn != "" {
				if _, ok := n.fns[u.Fn]; !ok {
					n.fns[u.Fn] = n.attr(u.Fn)
				}
			}
			for _, v := range u.Attrs {
				n.value(v)
			}
		})
	}
}

// dims names sizes: axes that are a variable first, then attributes that are,
// then whatever is left in the order of its old name.
func (n *naming) dims(l *Law, left, right []*Term) (rest []string) {
	shape := func(s graph.Shape) {
		for _, it := range s {
			if it.AxisRun != "" {
				n.run(it.AxisRun)
			} else if v, ok := it.Dim.IsVar(); ok {
				n.size(v)
			}
		}
	}
	for _, old := range n.order {
		shape(n.vars[old])
	}
	both := slices.Concat(left, right)
	eachTerm(both, func(u *Term) {
		for _, v := range u.Attrs {
			if d, ok := v.Dim(); ok {
				if name, ok := d.IsVar(); ok {
					n.size(name)
				}
			}
			if s, ok := v.Shape(); ok {
				shape(s)
			}
		}
	})
	seen := map[string]bool{}
	see := func(a graph.Atom) {
		switch a.Kind {
		case graph.AtomAxisRun:
			n.run(a.Name)
		case graph.AtomFunc:
			for _, v := range a.Args {
				n.value(v)
			}
		case graph.AtomVar:
			if _, ok := n.bind.Dims[a.Name]; !ok && !seen[a.Name] {
				seen[a.Name] = true
				rest = append(rest, a.Name)
			}
		}
	}
	for _, old := range n.order {
		n.vars[old].Walk(see)
	}
	eachTerm(both, func(u *Term) {
		for _, v := range u.Attrs {
			v.Walk(see)
		}
	})
	for _, p := range l.Where {
		p.Walk(see)
	}
	sort.Strings(rest)
	return rest
}

// consider names the variables of one choice and keeps the law if its text is
// the least so far.
func (c *canonizer) consider(left, right []*Term) {
	if c.shapes == nil {
		c.shapes = c.law.VarShapes()
	}
	n := &naming{tensors: map[string]*Term{}, fns: map[string]string{}, pools: map[string]*names{},
		sorts: map[string]string{}, vars: c.shapes,
		sizes: names{first: sizeNames}, runs: names{first: runNames}}
	n.bind = graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	for _, b := range c.law.Given {
		n.sorts[b.Name] = b.Sort
	}
	n.terms(left)
	n.terms(right)
	rest := n.dims(c.law, left, right)
	eachOrder(len(rest), func(order []int) {
		m := *n
		m.bind.Dims = maps.Clone(n.bind.Dims)
		for _, k := range order {
			m.size(rest[k])
		}
		l := m.law(c.law, left, right)
		if text := Format(l); c.best == nil || text < c.text {
			c.best, c.text = l, text
		}
	})
}

func (n *naming) law(old *Law, left, right []*Term) *Law {
	l := *old
	l.LHS, l.RHS, l.Given, l.Where = nil, nil, nil, nil
	for _, t := range left {
		l.LHS = append(l.LHS, t.Subst(n.tensors, n.fns, &n.bind))
	}
	for _, t := range right {
		l.RHS = append(l.RHS, t.Subst(n.tensors, n.fns, &n.bind))
	}
	for _, name := range n.attrs {
		to, ok := n.fns[name]
		if !ok {
			to, _, _ = n.bind.Attrs[name].Var()
		}
		l.Given = append(l.Given, Declaration{Name: to, Sort: n.sorts[name]})
	}
	sort.Slice(l.Given, func(i, j int) bool { return l.Given[i].Name < l.Given[j].Name })
	for _, name := range n.order {
		s := n.vars[name].Subst(&n.bind)
		l.Given = append(l.Given, Declaration{Name: n.tensors[name].Var, Shape: s})
	}
	for _, p := range old.Where {
		l.Where = append(l.Where, p.Subst(&n.bind))
	}
	sort.Slice(l.Where, func(i, j int) bool { return l.Where[i].String() < l.Where[j].String() })
	return &l
}
