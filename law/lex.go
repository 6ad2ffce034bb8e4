package law

import (
	"fmt"
	"strconv"
	"strings"
)

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

type tokKind uint8

const (
	tokEOF tokKind = iota
	tokName
	tokInt
	tokString
	tokPunct
)

// token is one word of the text. Text is the name, the digits, the unquoted
// string, or the punctuation.
type token struct {
	kind tokKind
	text string
	num  int64
	pos  Pos
	doc  []string // comment lines directly above, for the first word of a line
}

func (t token) String() string {
	switch t.kind {
	case tokEOF:
		return "the end of the text"
	case tokString:
		return strconv.Quote(t.text)
	}
	return fmt.Sprintf("%q", t.text)
}

// lexer cuts a text into tokens, one at a time.
type lexer struct {
	file      string
	src       string
	at        int
	line      int
	lineStart int
	errs      *Errors
	part      bool     // the text is part of a law: "#P" at its start is a size
	doc       []string // comment block being read
	docLine   int      // line of its last comment
}

func newLexer(file, src string, errs *Errors) *lexer {
	return &lexer{file: file, src: src, line: 1, errs: errs}
}

func (l *lexer) pos() Pos { return Pos{File: l.file, Line: l.line, Col: l.at - l.lineStart + 1} }

func (l *lexer) errorf(p Pos, format string, args ...any) {
	if len(*l.errs) < maxErrors {
		l.errs.add(p, format, args...)
	}
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// next is the next token; faulty characters are reported and left out.
func (l *lexer) next() token {
	for {
		l.space()
		if l.at >= len(l.src) {
			return token{kind: tokEOF, pos: l.pos()}
		}
		t := token{pos: l.pos()}
		if l.docLine == l.line-1 {
			t.doc = l.doc
		}
		c := l.src[l.at]
		switch {
		case isLetter(c):
			l.name(&t)
			return t
		case isDigit(c):
			l.number(&t)
			return t
		case c == '"':
			if l.str(&t) {
				return t
			}
		default:
			if l.punct(&t) {
				return t
			}
			r := []rune(l.src[l.at:min(len(l.src), l.at+4)])[0]
			l.errorf(t.pos, "unexpected character %q", r)
			l.at += max(1, len(string(r)))
			if l.at > len(l.src) {
				l.at = len(l.src)
			}
		}
	}
}

// space skips blanks and comments and remembers a comment block.
func (l *lexer) space() {
	for l.at < len(l.src) {
		switch l.src[l.at] {
		case '\n':
			l.at++
			l.line++
			l.lineStart = l.at
		case ' ', '\t', '\r':
			l.at++
		case '#':
			// "#P" is the length of a run; a comment has a blank or nothing
			// after its mark, or stands at the start of a line.
			if !l.comment() {
				return
			}
		default:
			return
		}
	}
}

func (l *lexer) comment() bool {
	if l.at+1 < len(l.src) && isLetter(l.src[l.at+1]) && (l.part || strings.TrimSpace(l.src[l.lineStart:l.at]) != "") {
		return false
	}
	whole := strings.TrimSpace(l.src[l.lineStart:l.at]) == ""
	end := strings.IndexByte(l.src[l.at:], '\n')
	if end < 0 {
		end = len(l.src)
	} else {
		end += l.at
	}
	if whole {
		if l.docLine != l.line-1 {
			l.doc = nil
		}
		text := strings.TrimRight(l.src[l.at+1:end], " \t\r")
		l.doc = append(l.doc, strings.TrimPrefix(text, " "))
		l.docLine = l.line
	}
	l.at = end
	return true
}

func (l *lexer) name(t *token) {
	start := l.at
	for l.at < len(l.src) && (isLetter(l.src[l.at]) || isDigit(l.src[l.at])) {
		l.at++
	}
	t.kind, t.text = tokName, l.src[start:l.at]
	if len(t.text) > maxNameLen {
		l.errorf(t.pos, "name of %d bytes, at most %d are allowed", len(t.text), maxNameLen)
		t.text = t.text[:maxNameLen]
	}
}

func (l *lexer) number(t *token) {
	start := l.at
	for l.at < len(l.src) && isDigit(l.src[l.at]) {
		l.at++
	}
	t.kind, t.text = tokInt, l.src[start:l.at]
	n, err := strconv.ParseInt(t.text, 10, 64)
	if err != nil || n > maxInt {
		if len(t.text) > 20 {
			t.text = t.text[:20] + "..."
		}
		l.errorf(t.pos, "number %s is more than %d", t.text, int64(maxInt))
		n = 0
	}
	t.num = n
}

func (l *lexer) str(t *token) bool {
	for i := l.at + 1; i < len(l.src) && l.src[i] != '\n'; i++ {
		if l.src[i] == '\\' {
			i++
			continue
		}
		if l.src[i] == '"' {
			s, err := strconv.Unquote(l.src[l.at : i+1])
			if err != nil {
				l.errorf(t.pos, "string is not well formed")
			}
			t.kind, t.text = tokString, s
			l.at = i + 1
			return true
		}
	}
	l.errorf(t.pos, "string has no end")
	l.at++
	return false
}

var puncts = []string{"==", "=>", "!=", "<=", ">=", "..",
	"[", "]", "(", ")", ",", ":", "=", "<", ">", "%", "+", "-", "*", "#", "."}

func (l *lexer) punct(t *token) bool {
	for _, p := range puncts {
		if strings.HasPrefix(l.src[l.at:], p) {
			t.kind, t.text = tokPunct, p
			l.at += len(p)
			return true
		}
	}
	return false
}
