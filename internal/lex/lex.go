// Package lex cuts a text into names, numbers, strings in quotes and punctuation, for
// the readers of laws and of graphs.
package lex

import (
	"fmt"
	"strconv"
	"strings"
)

// Kind says what a Token is.
type Kind uint8

// The kinds of tokens. EOF is the end of the text, and every token after it.
const (
	EOF Kind = iota
	Name
	Int
	String
	Punct
)

// Token is one word of a text.
type Token struct {
	Kind Kind
	Text string // the name, the digits, the unquoted string, or the punctuation
	Num  int64  // of an Int
	At   int    // where it starts, in bytes
	Line int    // from 1
	Col  int    // from 1, in bytes
	// Doc is the comment lines directly above, for the first word of a line.
	Doc []string
}

// String is the token for messages.
func (t Token) String() string {
	switch t.Kind {
	case EOF:
		return "the end of the text"
	case String:
		return strconv.Quote(t.Text)
	}
	return fmt.Sprintf("%q", t.Text)
}

// Is reports whether t is this punctuation.
func (t Token) Is(punct string) bool { return t.Kind == Punct && t.Text == punct }

// IsName reports whether t is this name.
func (t Token) IsName(s string) bool { return t.Kind == Name && t.Text == s }

// Lexer cuts a text into tokens, one at a time.
type Lexer struct {
	Src string
	// MaxInt is the largest number, MaxName the most bytes of a name.
	MaxInt  int64
	MaxName int
	// Hash: "#" before a letter is punctuation; otherwise it begins a comment. Part
	// says that this is so at the start of a line too.
	Hash, Part bool
	// Slash: "/" and "^" are punctuation.
	Slash bool
	// Fault is told of what is no token, which is then left out.
	Fault func(line, col int, format string, args ...any)

	at        int
	line      int // from 0
	lineStart int
	doc       []string // comment block being read
	docLine   int      // line of its last comment
}

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// Seek goes on n bytes behind the start of a token.
func (l *Lexer) Seek(t Token, n int) {
	l.at, l.line, l.lineStart = t.At+n, t.Line-1, t.At-t.Col+1
}

// Next is the next token.
func (l *Lexer) Next() Token {
	for {
		l.space()
		t := Token{At: l.at, Line: l.line + 1, Col: l.at - l.lineStart + 1}
		if l.at >= len(l.Src) {
			return t
		}
		if len(l.doc) > 0 && l.docLine == l.line-1 {
			t.Doc = l.doc
		}
		switch c := l.Src[l.at]; {
		case isLetter(c):
			l.name(&t)
		case isDigit(c):
			l.number(&t)
		case c == '"':
			l.str(&t)
		default:
			l.punct(&t)
		}
		if t.Kind != EOF {
			return t
		}
	}
}

func (l *Lexer) fault(t *Token, format string, args ...any) { l.Fault(t.Line, t.Col, format, args...) }

// space skips blanks and comments and remembers a comment block.
func (l *Lexer) space() {
	for l.at < len(l.Src) {
		switch l.Src[l.at] {
		case '\n':
			l.at++
			l.line++
			l.lineStart = l.at
		case ' ', '\t', '\r':
			l.at++
		case '#':
			if !l.comment() {
				return
			}
		default:
			return
		}
	}
}

// comment skips a comment: false if "#" is none.
func (l *Lexer) comment() bool {
	whole := strings.TrimSpace(l.Src[l.lineStart:l.at]) == ""
	if l.Hash && (l.Part || !whole) && l.at+1 < len(l.Src) && isLetter(l.Src[l.at+1]) {
		return false
	}
	text, _, _ := strings.Cut(l.Src[l.at:], "\n")
	if whole {
		if l.docLine != l.line-1 {
			l.doc = nil
		}
		l.doc = append(l.doc, strings.TrimPrefix(strings.TrimRight(text[1:], " \t\r"), " "))
		l.docLine = l.line
	}
	l.at += len(text)
	return true
}

// while is the text from here on of which each byte is accepted.
func (l *Lexer) while(accept func(byte) bool) string {
	start := l.at
	for l.at < len(l.Src) && accept(l.Src[l.at]) {
		l.at++
	}
	return l.Src[start:l.at]
}

func (l *Lexer) name(t *Token) {
	t.Kind, t.Text = Name, l.while(func(c byte) bool { return isLetter(c) || isDigit(c) })
	if len(t.Text) > l.MaxName {
		l.fault(t, "name of %d bytes, at most %d are allowed", len(t.Text), l.MaxName)
		t.Text = t.Text[:l.MaxName]
	}
}

func (l *Lexer) number(t *Token) {
	t.Kind, t.Text = Int, l.while(isDigit)
	n, err := strconv.ParseInt(t.Text, 10, 64)
	if err != nil || n > l.MaxInt {
		if len(t.Text) > 20 {
			t.Text = t.Text[:20] + "..."
		}
		l.fault(t, "number %s is more than %d", t.Text, l.MaxInt)
		n = 0
	}
	t.Num = n
}

func (l *Lexer) str(t *Token) {
	for i := l.at + 1; i < len(l.Src) && l.Src[i] != '\n'; i++ {
		switch l.Src[i] {
		case '\\':
			i++
		case '"':
			s, err := strconv.Unquote(l.Src[l.at : i+1])
			if err != nil {
				l.fault(t, "string is not well formed")
			}
			t.Kind, t.Text = String, s
			l.at = i + 1
			return
		}
	}
	l.fault(t, "string has no end")
	l.at++
}

var puncts = []string{"==", "=>", "!=", "<=", ">=", "..",
	"[", "]", "(", ")", ",", ":", "=", "<", ">", "%", "+", "-", "*", "#", ".", "/", "^"}

// plainPuncts are the puncts that need no Slash, the first ones.
const plainPuncts = 21

func (l *Lexer) punct(t *Token) {
	for i, p := range puncts {
		if (l.Slash || i < plainPuncts) && strings.HasPrefix(l.Src[l.at:], p) {
			t.Kind, t.Text = Punct, p
			l.at += len(p)
			return
		}
	}
	r := []rune(l.Src[l.at:min(len(l.Src), l.at+4)])[0]
	l.fault(t, "unexpected character %q", r)
	l.at = min(l.at+len(string(r)), len(l.Src))
}
