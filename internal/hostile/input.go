package hostile

import (
	"fmt"
	"strings"
)

// Input is one hostile file.
type Input struct {
	Name string // what is hostile about it
	Ext  string // of its file, with the dot
	Data []byte
}

// list collects inputs of one kind of file.
type list struct {
	ext string
	all []Input
}

func (l *list) add(name, text string) { l.all = append(l.all, Input{name, l.ext, []byte(text)}) }

// each joins f(0), ..., f(n-1).
func each(n int, sep string, f func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = f(i)
	}
	return strings.Join(parts, sep)
}

// sum is p0 + p1 + ... of n size variables.
func sum(p string, n int) string {
	return each(n, "+", func(i int) string { return fmt.Sprint(p, i) })
}

// nest is open, n times, then inner, then close, n times.
func nest(n int, open, inner, end string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(end, n)
}
