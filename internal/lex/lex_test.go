package lex_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/internal/lex"
)

func Example() {
	l := lex.Lexer{Src: "# A law.\nrule r [P.., 12] # end\n  \"a b\" #P", MaxInt: 100, MaxName: 10, Hash: true}
	for t := l.Next(); t.Kind != lex.EOF; t = l.Next() {
		fmt.Print(t.Line, ":", t.Col, " ", t, " ", t.Doc, "; ")
	}
	// Output: 2:1 "rule" [A law.]; 2:6 "r" [A law.]; 2:8 "[" [A law.]; 2:9 "P" [A law.]; 2:10 ".." [A law.]; 2:12 "," [A law.]; 2:14 "12" [A law.]; 2:16 "]" [A law.]; 3:3 "a b" []; 3:9 "#" []; 3:10 "P" [];
}

// What is no token is reported with its place and left out; after Seek the text is
// read again.
func TestFaults(t *testing.T) {
	var faults []string
	l := lex.Lexer{Src: "a ! 999\n\"x\\q\" \"y\n#b", MaxInt: 100, MaxName: 3, Fault: func(line, col int, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("%d:%d %s", line, col, fmt.Sprintf(format, args...)))
	}}
	var first lex.Token
	words := ""
	for w := l.Next(); w.Kind != lex.EOF; w = l.Next() {
		if first.Kind == lex.EOF {
			first = w
		}
		words += w.Text + "|"
	}
	if want := "a|999||y|"; words != want {
		t.Errorf("words %s, want %s", words, want)
	}
	want := []string{"1:3 unexpected character '!'", "1:5 number 999 is more than 100", "2:1 string is not well formed", "2:7 string has no end"}
	if fmt.Sprint(faults) != fmt.Sprint(want) {
		t.Errorf("faults %q, want %q", faults, want)
	}
	l.Seek(first, 2)
	if w := l.Next(); w.Num != 0 || w.Kind != lex.Int || w.Line != 1 || w.Col != 5 {
		t.Errorf("after going back: %v at %d:%d", w, w.Line, w.Col)
	}
}
