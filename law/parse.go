package law

import (
	"fmt"
	"maps"
	"slices"
	"strings"

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
		before := len(*p.errs)
		read := p.try(func() {
			kind, ok := kinds[p.tok.Text]
			switch {
			case p.takeName("section"):
				if p.tok.Kind != lex.String {
					p.fail(p.tok.pos, "section: found %s, want its title in quotes", p.tok)
				}
				section = p.tok.Text
				p.next()
				return
			case p.tok.IsName("op"):
				p.definition()
				return
			case !ok || p.tok.Kind != lex.Name:
				p.fail(p.tok.pos, "found %s, want axiom, lemma, rule, refute, section or op", p.tok)
			}
			if l := p.law(kind); len(*p.errs) == before {
				l.Section = section
				laws = append(laws, l)
			}
		})
		if !read {
			p.skip()
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
func ParseTerm(src string, given []Declaration) (*Term, error) {
	return parsePart(src, scopeOf(given), (*parser).single)
}

// ParseDim reads a size, such as "a+2*b".
func ParseDim(src string, given []Declaration) (graph.Dim, error) {
	return parsePart(src, scopeOf(given), (*parser).dim)
}

// ParseShape reads a shape, such as "[P.., a, 3]".
func ParseShape(src string, given []Declaration) (graph.Shape, error) {
	return parsePart(src, scopeOf(given), (*parser).shape)
}

// ParseValue reads an attribute value of a sort: one of the sorts of variables
// or of an operator's parameters (int, axis, perm, shape).
func ParseValue(src, sort string, given []Declaration) (graph.Value, error) {
	return parsePart(src, scopeOf(given), func(p *parser) graph.Value { return p.value(sort) })
}

// scope are the variables that a text is read over.
type scope map[string]*Declaration

func scopeOf(given []Declaration) scope {
	s := make(scope, len(given))
	for i := range given {
		s[given[i].Name] = &given[i]
	}
	return s
}

func parsePart[T any](src string, given scope, f func(*parser) T) (out T, err error) {
	p, err := newParser("", src)
	if err != nil {
		return out, err
	}
	p.given = given
	return part(p, f)
}

// part reads a text that is part of a law to its end.
func part[T any](p *parser, f func(*parser) T) (out T, err error) {
	p.words.Part = true
	p.next()
	p.try(func() {
		t := f(p)
		if p.tok.Kind != lex.EOF {
			p.fail(p.tok.pos, "found %s after the end", p.tok)
		}
		if len(*p.errs) == 0 {
			out = t
		}
	})
	return out, p.errs.orNil()
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

// parser reads by recursive descent. A fault of form ends a law: fail panics with
// it, and try notes it. A fault of meaning (an unknown operator, say) is noted in
// errs and reading goes on, so that one run reports all of them.
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

// fail ends what try reads.
func (p *parser) fail(pos Pos, format string, args ...any) {
	panic(&Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Form: true})
}

// try reads something; false if that failed.
func (p *parser) try(read func()) (ok bool) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *Error:
			*p.errs = append(*p.errs, *e)
		default:
			panic(e)
		}
	}()
	read()
	return true
}

func (p *parser) errorf(pos Pos, format string, args ...any) {
	if len(*p.errs) < maxErrors {
		p.errs.add(pos, format, args...)
	}
}

func (p *parser) is(s string) bool { return p.tok.Is(s) }

// take reads punctuation, if it is next, and takeName a name.
func (p *parser) take(s string) bool {
	ok := p.tok.Is(s)
	if ok {
		p.next()
	}
	return ok
}

func (p *parser) takeName(s string) bool {
	ok := p.tok.IsName(s)
	if ok {
		p.next()
	}
	return ok
}

func (p *parser) want(s, where string) {
	if !p.take(s) {
		p.fail(p.tok.pos, "%s: found %s, want %q", where, p.tok, s)
	}
}

// ident takes a name that is not reserved.
func (p *parser) ident(what string) (string, Pos) {
	t := p.tok
	if t.Kind != lex.Name {
		p.fail(t.pos, "%s: found %s, want a name", what, t)
	}
	if reserved[t.Text] {
		p.fail(t.pos, "%s: %s is a word of the language", what, t.Text)
	}
	p.next()
	return t.Text, t.pos
}

// enter guards recursion.
func (p *parser) enter() {
	p.depth++
	if p.depth > maxDepth {
		p.fail(p.tok.pos, "nested more than %d deep", maxDepth)
	}
}

func (p *parser) leave() { p.depth-- }

// skip goes to the next law or section.
func (p *parser) skip() {
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

// Reserved reports whether a word of the language cannot be the name of a variable.
func Reserved(name string) bool { return reserved[name] }

// law reads from the kind's keyword on.
func (p *parser) law(kind Kind) *Law {
	l := &Law{Kind: kind, Pos: p.tok.pos, Doc: strings.Join(p.tok.Doc, "\n")}
	p.given, p.macros = scope{}, map[string]*macro{}
	clear(p.size)
	p.next()
	l.Name, _ = p.ident(kind.String())
	where := kind.String() + " " + l.Name
	if p.take("[") {
		p.tags(l, where)
	}
	for more := p.takeName("given"); more; more = p.take(",") {
		p.binding(l)
	}
	for more := p.takeName("where"); more; more = p.takeName("and") {
		l.Where = append(l.Where, p.pred())
	}
	for p.takeName("let") {
		p.let()
	}
	if !p.takeName("then") {
		p.fail(p.tok.pos, "%s: found %s, want then", where, p.tok)
	}
	p.readNodes()
	l.LHS = p.term()
	rel := p.tok
	l.OneWay = p.take("=>")
	if !l.OneWay && !p.take("==") {
		p.fail(rel.pos, "%s: found %s, want == or =>", where, rel)
	}
	l.RHS = p.term()
	if len(l.LHS) != len(l.RHS) && len(l.LHS) > 0 && len(l.RHS) > 0 {
		p.errorf(rel.pos, "%s: %d outputs on the left, %d on the right", where, len(l.LHS), len(l.RHS))
	}
	for more := p.takeName("cite"); more; more = p.take(",") {
		key, _ := p.ident("cite")
		l.Cite = append(l.Cite, key)
	}
	p.oneKind(l)
	return l
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

func (p *parser) tags(l *Law, where string) {
	for more := true; more; more = p.take(",") {
		name, pos := p.ident(where + ": tag")
		if oldTags[name] {
			continue
		}
		if name != TagOrdered && name != TagParallel && name != TagReal {
			p.errorf(pos, "%s: unknown tag %s", where, name)
		}
		l.Tags = append(l.Tags, name)
	}
	p.want("]", where+": tags")
}

func (p *parser) binding(l *Law) {
	name, pos := p.ident("given")
	b := Declaration{Name: name, Pos: pos}
	p.want(":", "given "+name)
	if p.is("[") {
		b.Shape = p.shape()
		if !isUpper(name) {
			p.errorf(pos, "tensor %s: a tensor's name begins with a capital letter", name)
		}
	} else {
		sort := p.tok
		if sort.Kind != lex.Name || reserved[sort.Text] {
			p.fail(sort.pos, "given %s: found %s, want a shape or a sort", name, sort)
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
	if builtIn(name) {
		p.errorf(pos, "given %s: that is an operator", name)
	}
	if isValueName(name) {
		p.errorf(pos, "given %s: that is a value of attributes", name)
	}
	if p.given[name] != nil {
		p.errorf(pos, "given %s: bound twice", name)
		return
	}
	l.Given = append(l.Given, b)
	p.given[name] = &b
}

// builtIn reports whether a name is that of a built-in operator, which nothing else may have. Names
// of laws hide operators that a text defines: a law is read in the same way whatever is defined.
func builtIn(name string) bool {
	op, ok := graph.Lookup(name)
	return ok && op.Definition == nil
}

func isUpper(name string) bool { return name != "" && name[0] >= 'A' && name[0] <= 'Z' }

var relations = map[string]bool{"==": true, "!=": true, "<": true, "<=": true, ">": true, ">=": true}

func (p *parser) pred() Pred {
	pr := Pred{Left: p.dim()}
	if p.take("%") {
		m := p.dim()
		pr.Mod = &m
	}
	if p.tok.Kind != lex.Punct || !relations[p.tok.Text] {
		p.fail(p.tok.pos, "where: found %s, want one of == != < <= > >=", p.tok)
	}
	pr.Rel = p.tok.Text
	p.next()
	pr.Right = p.dim()
	return pr
}

func (p *parser) let() {
	name, pos := p.ident("let")
	if builtIn(name) || p.macros[name] != nil || p.given[name] != nil {
		p.errorf(pos, "let %s: the name is taken", name)
	}
	where := "let " + name
	p.want("(", where)
	m := &macro{}
	// Parameters hide the law's own names while the body is read.
	outer := p.given
	inner := maps.Clone(outer)
	for more := true; more; more = p.take(",") {
		param, at := p.ident(where)
		if slices.Contains(m.params, param) {
			p.errorf(at, "let %s: %s is named twice", name, param)
		}
		m.params = append(m.params, param)
		inner[param] = &Declaration{Name: param}
	}
	p.want(")", where)
	p.want("=", where)
	p.given = inner
	m.body = p.term()
	p.given = outer
	p.macros[name] = m
}
