package axioms

import (
	"embed"
	"sort"
	"strings"
	"sync"

	"github.com/taso-go/taso/law"
)

//go:embed *.axioms
var files embed.FS

// file is one embedded text.
type file struct{ name, text string }

// texts lists the embedded files by name.
var texts = sync.OnceValue(func() []file {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("axioms: " + err.Error())
	}
	var out []file
	for _, e := range entries {
		b, err := files.ReadFile(e.Name())
		if err != nil {
			panic("axioms: " + err.Error())
		}
		out = append(out, file{e.Name(), string(b)})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].name < out[j].name })
	return out
})

var parsed = sync.OnceValue(func() []*law.Law {
	var all []*law.Law
	for _, f := range texts() {
		laws, err := law.Parse(f.name, []byte(f.text))
		if err != nil {
			panic("axioms: embedded text is broken (a test excludes this):\n" + err.Error())
		}
		all = append(all, laws...)
	}
	return all
})

// Default lists all laws: axioms, lemmas and refuted equations, in the order of
// the texts. The laws are shared and must not be changed; the slice is the
// caller's.
func Default() []*law.Law { return append([]*law.Law(nil), parsed()...) }

// ByKind lists the laws of one kind.
func ByKind(kind law.Kind) []*law.Law {
	var out []*law.Law
	for _, l := range parsed() {
		if l.Kind == kind {
			out = append(out, l)
		}
	}
	return out
}

// Text is all texts, one after the other. Parsing it gives Default.
var Text = sync.OnceValue(func() string {
	var b strings.Builder
	for i, f := range texts() {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.text)
	}
	return b.String()
})

// SHA256 is the hash of Text in hexadecimal; certificates name it.
func SHA256() string { return law.HashText(Text()) }
