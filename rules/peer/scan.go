package peer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/internal/must"
)

// pos is a place in a text, both from 1, columns in bytes.
type pos struct{ line, col int }

func (p pos) String() string { return fmt.Sprintf("%d:%d", p.line, p.col) }

// placed is an error at a place of a text.
type placed struct {
	pos pos
	err error
}

func (e *placed) Error() string { return e.pos.String() + ": " + e.err.Error() }
func (e *placed) Unwrap() error { return e.err }

func at(p pos, format string, args ...any) *placed { return &placed{p, fmt.Errorf(format, args...)} }

// placedErrors are errors at several places of a text.
type placedErrors []*placed

func (es placedErrors) Error() string { return es[0].Error() }

// fileError makes an [*Error], or [Errors], of what stopped the reading of a file.
func fileError(file string, data []byte, err error) error {
	at := func(p *placed) *Error {
		return &Error{File: file, Line: p.pos.line, Col: p.pos.col, Source: lineOf(data, p.pos.line), Err: p.err}
	}
	var all placedErrors
	var one *placed
	switch {
	case errors.As(err, &all) && len(all) > 1:
		var out Errors
		for _, p := range all {
			out = append(out, at(p))
		}
		return out
	case len(all) == 1:
		return at(all[0])
	case errors.As(err, &one):
		return at(one)
	}
	return &Error{File: file, Err: err}
}

// lineOf is a line of a text, from 1.
func lineOf(data []byte, line int) string {
	for ; line > 1; line-- {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return ""
		}
		data = data[i+1:]
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i]
	}
	return strings.TrimRight(string(data), "\r")
}

// failAt leaves the reader: what is wrong is at a place of the file.
func failAt(p pos, format string, args ...any) { must.Do(at(p, format, args...)) }

// expr is a term as it is written: a name, a number, or an application.
type expr struct {
	name string
	pos  pos
	call bool // written with parentheses
	args []expr
}

// String is the term in function notation, however it was written.
func (e *expr) String() string {
	var b strings.Builder
	e.write(&b)
	return b.String()
}

func (e *expr) write(b *strings.Builder) {
	b.WriteString(e.name)
	if !e.call {
		return
	}
	b.WriteByte('(')
	for i := range e.args {
		if i > 0 {
			b.WriteByte(',')
		}
		e.args[i].write(b)
	}
	b.WriteByte(')')
}

// pair is a rule as it is written: two terms with a sign between them.
type pair struct {
	pos      pos
	source   string // the text of the rule
	lhs, rhs expr
}

// scanner reads a text from left to right and knows where it is.
type scanner struct {
	src       string
	at        int
	line      int // from 1
	lineStart int
	nodes     int // of the present rule
}

func newScanner(src string) *scanner { return &scanner{src: src, line: 1} }

func (s *scanner) pos() pos { return pos{s.line, s.at - s.lineStart + 1} }

// space skips white space.
func (s *scanner) space() {
	for s.at < len(s.src) {
		switch s.src[s.at] {
		case '\n':
			s.line, s.lineStart = s.line+1, s.at+1
		case ' ', '\t', '\r', '\f':
		default:
			return
		}
		s.at++
	}
}

// skipLine goes to the next line.
func (s *scanner) skipLine() {
	for s.at < len(s.src) && s.src[s.at] != '\n' {
		s.at++
	}
}

func (s *scanner) atEnd() bool {
	s.space()
	return s.at == len(s.src)
}

// take skips a sign if it comes next.
func (s *scanner) take(sign string) bool {
	s.space()
	if strings.HasPrefix(s.src[s.at:], sign) {
		s.at += len(sign)
		return true
	}
	return false
}

// expect skips a sign, which must come next.
func (s *scanner) expect(signs ...string) {
	if !slices.ContainsFunc(signs, s.take) {
		failAt(s.pos(), "found %s; want %s", s.next(), strings.Join(signs, " or "))
	}
}

// next describes what comes next.
func (s *scanner) next() string {
	if s.atEnd() {
		return "the end of the file"
	}
	for _, r := range s.src[s.at:] {
		return fmt.Sprintf("%q", r)
	}
	return ""
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

// word reads a name or number of the bytes that ok accepts.
func (s *scanner) word(ok func(c byte) bool) expr {
	s.space()
	p := s.pos()
	from := s.at
	for s.at < len(s.src) && ok(s.src[s.at]) {
		s.at++
	}
	switch n := s.at - from; {
	case n == 0:
		failAt(p, "found %s; want a term", s.next())
	case n > MaxName:
		failAt(p, "too large: a name of %d bytes, at most %d", n, MaxName)
	}
	s.nodes++
	if s.nodes > MaxNodes {
		failAt(p, "too large: a rule of more than %d names and numbers", MaxNodes)
	}
	return expr{name: s.src[from:s.at], pos: p}
}
