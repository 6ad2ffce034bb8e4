package law

import (
	"fmt"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op" // the operators that laws speak of
	"github.com/taso-go/taso/internal/lex"
)

// Parse reads laws from a text in the law language. file names the text in
// places. All faults are reported together, as [Errors] sorted by place; the
// laws without a fault are returned even then.
func Parse(file string, src []byte) ([]*Law, error) { return parse(file, src, nil) }

func parse(file string, src []byte, ops map[string]*graph.Op) ([]*Law, error) {
	p, err := newParser(file, string(src))
	if err != nil {
		return nil, err
	}
	p.ops = ops
	laws := p.laws()
	return laws, p.errs.orNil()
}

// laws reads to the end of the text.
func (p *parser) laws() []*Law {
	var laws []*Law
	section := ""
	p.next()
	for p.tok.Kind != lex.EOF && len(*p.errs) < maxErrors {
		if p.isName("section") {
			p.next()
			if p.tok.Kind != lex.String {
				p.errorf(p.tok.pos, "section: found %s, want its title in quotes", p.tok)
				p.recover()
				continue
			}
			section = p.tok.Text
			p.next()
			continue
		}
		kind, ok := kinds[p.tok.Text]
		if !ok || p.tok.Kind != lex.Name {
			p.errorf(p.tok.pos, "found %s, want axiom, lemma, rule, refute or section", p.tok)
			p.next()
			p.recover()
			continue
		}
		before := len(*p.errs)
		l, err := p.law(kind)
		if err != nil {
			*p.errs = append(*p.errs, *err)
			p.recover()
			continue
		}
		if len(*p.errs) == before {
			l.Section = section
			laws = append(laws, l)
		}
	}
	return laws
}

// ParseLaw reads a text that holds exactly one law.
func ParseLaw(src string) (*Law, error) { return ParseLawOver(nil, src) }

// ParseLawOver is [ParseLaw] for a law that may have operators which are not in
// the registry; a name is looked up among them first.
func ParseLawOver(ops map[string]*graph.Op, src string) (*Law, error) {
	laws, err := parse("", []byte(src), ops)
	return only(laws, err)
}

func only(laws []*Law, err error) (*Law, error) {
	if err != nil {
		return nil, err
	}
	if len(laws) != 1 {
		return nil, Errors{{Pos: Pos{Line: 1, Col: 1}, Msg: fmt.Sprintf("%d laws, want one", len(laws))}}
	}
	return laws[0], nil
}

// parseNumbered is [ParseLaw] for a law over nodes: terms over its variables and
// over the numbers of nodes before them. It returns the nodes too.
func parseNumbered(src string, nodes []string) (*Law, []*Term, error) {
	p, err := newParser("", src)
	if err != nil {
		return nil, nil, err
	}
	p.texts = nodes
	laws := p.laws()
	l, err := only(laws, p.errs.orNil())
	return l, p.nodes, err
}

// ParseTerm reads one term with one output over the variables of given. Tensor
// variables that given does not hold are an error.
func ParseTerm(src string, given []Binding) (*Term, error) {
	return parsePart(src, scopeOf(given), (*parser).single)
}

// ParseDim reads a size, such as "a+2*b".
func ParseDim(src string, given []Binding) (graph.Dim, error) {
	return parsePart(src, scopeOf(given), (*parser).dim)
}

// ParseShape reads a shape, such as "[P.., a, 3]".
func ParseShape(src string, given []Binding) (graph.Shape, error) {
	return parsePart(src, scopeOf(given), (*parser).shape)
}

// ParseValue reads an attribute value of a sort: one of the sorts of variables
// or of an operator's parameters (int, axis, perm, shape).
func ParseValue(src, sort string, given []Binding) (graph.Value, error) {
	return parsePart(src, scopeOf(given), func(p *parser) (graph.Value, *Error) { return p.value(sort) })
}

// scope are the variables that a text is read over.
type scope map[string]*Binding

func scopeOf(given []Binding) scope {
	s := make(scope, len(given))
	for i := range given {
		s[given[i].Name] = &given[i]
	}
	return s
}

func parsePart[T any](src string, given scope, f func(*parser) (T, *Error)) (T, error) {
	p, err := newParser("", src)
	if err != nil {
		var zero T
		return zero, err
	}
	p.given = given
	return part(p, f)
}

// part reads a text that is part of a law to its end.
func part[T any](p *parser, f func(*parser) (T, *Error)) (T, error) {
	var zero T
	p.words.Part = true
	p.next()
	out, err := f(p)
	if err == nil && p.tok.Kind != lex.EOF {
		err = p.fault(p.tok.pos, "found %s after the end", p.tok)
	}
	if err != nil {
		*p.errs = append(*p.errs, *err)
	}
	if e := p.errs.orNil(); e != nil {
		return zero, e
	}
	return out, nil
}

// Limits of what the parser reads. They are far above any law that means
// something and keep hostile input from taking memory without bound.
const (
	maxFileSize  = 64 << 20 // bytes
	maxNameLen   = 256      // bytes of an identifier
	maxInt       = 1 << 31  // of a written number, and of a coefficient
	maxDepth     = 1000     // of nested terms and values
	maxDimTerms  = 64       // summands of a size
	maxDimFactor = 16       // factors of a summand
	maxTermSize  = 100_000  // operators of a term written out as a tree
	maxErrors    = 10_000
)

var kinds = map[string]Kind{"axiom": Axiom, "lemma": Lemma, "rule": Rule, "refute": Refute}

// reserved words cannot be names of variables.
var reserved = map[string]bool{
	"axiom": true, "lemma": true, "rule": true, "refute": true, "section": true,
	"given": true, "where": true, "and": true, "let": true, "then": true, "cite": true,
}

// parser reads by recursive descent. A fault of form ends a law and is
// returned; a fault of meaning (an unknown operator, say) is noted in errs and
// reading goes on, so that one run reports all of them.
type parser struct {
	file  string
	words lex.Lexer
	tok   token
	ahead *token
	errs  *Errors
	depth int

	ops    map[string]*graph.Op // beside those of the registry
	given  scope
	macros map[string]*macro
	texts  []string // of the nodes over which the law is read
	nodes  []*Term
	size   treeSizes
}

// macro is a "let".
type macro struct {
	params []string
	body   []*Term
}

func newParser(file, src string) (*parser, error) {
	var errs Errors
	if len(src) > maxFileSize {
		errs.add(Pos{File: file, Line: 1, Col: 1}, "text of %d bytes, at most %d are read", len(src), maxFileSize)
		return nil, errs
	}
	p := &parser{file: file, errs: &errs, size: treeSizes{}}
	p.words = lex.Lexer{Src: src, MaxInt: maxInt, MaxName: maxNameLen, Hash: true,
		Fault: func(line, col int, format string, args ...any) { p.errorf(Pos{file, line, col}, format, args...) }}
	return p, nil
}

// token is one word of the text and its place.
type token struct {
	lex.Token
	pos Pos
}

func (p *parser) word() token {
	t := p.words.Next()
	return token{t, Pos{p.file, t.Line, t.Col}}
}

func (p *parser) next() {
	if p.ahead != nil {
		p.tok, p.ahead = *p.ahead, nil
		return
	}
	p.tok = p.word()
}

func (p *parser) peek() token {
	if p.ahead == nil {
		t := p.word()
		p.ahead = &t
	}
	return *p.ahead
}

func (p *parser) fault(pos Pos, format string, args ...any) *Error {
	return &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

func (p *parser) errorf(pos Pos, format string, args ...any) {
	if len(*p.errs) < maxErrors {
		p.errs.add(pos, format, args...)
	}
}

func (p *parser) isName(s string) bool { return p.tok.IsName(s) }
func (p *parser) is(s string) bool     { return p.tok.Is(s) }

func (p *parser) want(s, where string) *Error {
	if !p.is(s) {
		return p.fault(p.tok.pos, "%s: found %s, want %q", where, p.tok, s)
	}
	p.next()
	return nil
}

// ident takes a name that is not reserved.
func (p *parser) ident(what string) (string, Pos, *Error) {
	t := p.tok
	if t.Kind != lex.Name {
		return "", t.pos, p.fault(t.pos, "%s: found %s, want a name", what, t)
	}
	if reserved[t.Text] {
		return "", t.pos, p.fault(t.pos, "%s: %s is a word of the language", what, t.Text)
	}
	p.next()
	return t.Text, t.pos, nil
}

// enter guards recursion.
func (p *parser) enter() *Error {
	p.depth++
	if p.depth > maxDepth {
		return p.fault(p.tok.pos, "nested more than %d deep", maxDepth)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// recover skips to the next law or section.
func (p *parser) recover() {
	p.depth = 0
	for p.tok.Kind != lex.EOF {
		if p.tok.Kind == lex.Name {
			if _, ok := kinds[p.tok.Text]; ok || p.tok.Text == "section" {
				return
			}
		}
		p.next()
	}
}

// law reads from the kind's keyword on.
func (p *parser) law(kind Kind) (*Law, *Error) {
	l := &Law{Kind: kind, Pos: p.tok.pos, Doc: joinDoc(p.tok.Doc)}
	p.given, p.macros = scope{}, map[string]*macro{}
	clear(p.size)
	p.next()
	var err *Error
	if l.Name, _, err = p.ident(kind.String()); err != nil {
		return nil, err
	}
	where := kind.String() + " " + l.Name
	if p.is("[") {
		if err := p.tags(l, where); err != nil {
			return nil, err
		}
	}
	if p.isName("given") {
		if err := p.bindings(l); err != nil {
			return nil, err
		}
	}
	if p.isName("where") {
		for first := true; first || p.isName("and"); first = false {
			p.next()
			pr, err := p.pred()
			if err != nil {
				return nil, err
			}
			l.Where = append(l.Where, pr)
		}
	}
	for p.isName("let") {
		if err := p.let(); err != nil {
			return nil, err
		}
	}
	if !p.isName("then") {
		return nil, p.fault(p.tok.pos, "%s: found %s, want then", where, p.tok)
	}
	p.next()
	if err := p.readNodes(); err != nil {
		return nil, err
	}
	if l.LHS, err = p.term(); err != nil {
		return nil, err
	}
	rel := p.tok
	if !p.is("==") && !p.is("=>") {
		return nil, p.fault(rel.pos, "%s: found %s, want == or =>", where, rel)
	}
	l.OneWay = p.is("=>")
	p.next()
	if l.RHS, err = p.term(); err != nil {
		return nil, err
	}
	if len(l.LHS) != len(l.RHS) && len(l.LHS) > 0 && len(l.RHS) > 0 {
		p.errorf(rel.pos, "%s: %d outputs on the left, %d on the right", where, len(l.LHS), len(l.RHS))
	}
	if p.isName("cite") {
		for first := true; first || p.is(","); first = false {
			p.next()
			key, _, err := p.ident("cite")
			if err != nil {
				return nil, err
			}
			l.Cite = append(l.Cite, key)
		}
	}
	p.oneKind(l)
	return l, nil
}

// oneKind reports names that stand for things of two kinds: a size that is an
// attribute or a function variable too, an axis run that is a tensor.
func (p *parser) oneKind(l *Law) {
	sizes, runs := Variables(l)
	for _, name := range append(sizes, runs...) {
		if b := p.given[name]; b != nil {
			p.errorf(b.Pos, "given %s: the name stands for a size or an axis run too", name)
		}
	}
}

func joinDoc(lines []string) string {
	s := ""
	for i, line := range lines {
		if i > 0 {
			s += "\n"
		}
		s += line
	}
	return s
}

func (p *parser) tags(l *Law, where string) *Error {
	for first := true; first || p.is(","); first = false {
		p.next()
		name, pos, err := p.ident(where + ": tag")
		if err != nil {
			return err
		}
		if oldTags[name] {
			continue
		}
		if name != TagOrdered {
			p.errorf(pos, "%s: unknown tag %s", where, name)
		}
		l.Tags = append(l.Tags, name)
	}
	return p.want("]", where+": tags")
}

func (p *parser) bindings(l *Law) *Error {
	for first := true; first || p.is(","); first = false {
		p.next()
		name, pos, err := p.ident("given")
		if err != nil {
			return err
		}
		b := Binding{Name: name, Pos: pos}
		if err := p.want(":", "given "+name); err != nil {
			return err
		}
		if p.is("[") {
			if b.Shape, err = p.shape(); err != nil {
				return err
			}
			if !isUpper(name) {
				p.errorf(pos, "tensor %s: a tensor's name begins with a capital letter", name)
			}
		} else {
			sort := p.tok
			if sort.Kind != lex.Name || reserved[sort.Text] {
				return p.fault(sort.pos, "given %s: found %s, want a shape or a sort", name, sort)
			}
			p.next()
			if !knownSorts[sort.Text] {
				p.errorf(sort.pos, "given %s: unknown sort %s", name, sort.Text)
			}
			b.Sort = sort.Text
			if isUpper(name) {
				p.errorf(pos, "variable %s : %s: the name of what is not a tensor begins with a small letter", name, b.Sort)
			}
		}
		if _, ok := graph.Lookup(name); ok {
			p.errorf(pos, "given %s: that is an operator", name)
		}
		if isValueName(name) {
			p.errorf(pos, "given %s: that is a value of attributes", name)
		}
		if p.given[name] != nil {
			p.errorf(pos, "given %s: bound twice", name)
			continue
		}
		l.Given = append(l.Given, b)
		p.given[name] = &b
	}
	return nil
}

func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

var relations = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

func (p *parser) pred() (Pred, *Error) {
	var pr Pred
	var err *Error
	if pr.Left, err = p.dim(); err != nil {
		return pr, err
	}
	if p.is("%") {
		p.next()
		m, err := p.dim()
		if err != nil {
			return pr, err
		}
		pr.Mod = &m
	}
	if p.tok.Kind != lex.Punct || !relations[p.tok.Text] {
		return pr, p.fault(p.tok.pos, "where: found %s, want one of == != < <= > >=", p.tok)
	}
	pr.Rel = p.tok.Text
	p.next()
	pr.Right, err = p.dim()
	return pr, err
}

func (p *parser) let() *Error {
	p.next()
	name, pos, err := p.ident("let")
	if err != nil {
		return err
	}
	if _, ok := graph.Lookup(name); ok || p.macros[name] != nil || p.given[name] != nil {
		p.errorf(pos, "let %s: the name is taken", name)
	}
	if err := p.want("(", "let "+name); err != nil {
		return err
	}
	m := &macro{}
	var own []*Binding
	for {
		param, at, err := p.ident("let " + name)
		if err != nil {
			return err
		}
		for _, q := range m.params {
			if q == param {
				p.errorf(at, "let %s: %s is named twice", name, param)
			}
		}
		m.params = append(m.params, param)
		own = append(own, &Binding{Name: param})
		if !p.is(",") {
			break
		}
		p.next()
	}
	if err := p.want(")", "let "+name); err != nil {
		return err
	}
	if err := p.want("=", "let "+name); err != nil {
		return err
	}
	// Parameters hide the law's own names while the body is read.
	outer := p.given
	p.given = make(scope, len(outer)+len(own))
	for k, b := range outer {
		p.given[k] = b
	}
	for _, b := range own {
		p.given[b.Name] = b
	}
	m.body, err = p.term()
	p.given = outer
	if err != nil {
		return err
	}
	p.macros[name] = m
	return nil
}
