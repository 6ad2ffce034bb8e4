package law

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/define"
)

// definition reads an operator that the text defines, and makes it known to the program. One that
// is known with another definition is a fault.
func (p *parser) definition() {
	at := p.tok
	d, behind, err := define.NewReader(p.file, p.words.Src, at.Token).Definition()
	var fault *define.Error
	switch {
	case errors.As(err, &fault):
		p.fail(Pos{fault.File, fault.Line, fault.Col}, "%s", fault.Msg)
	case err == nil:
		err = define.Register([]*define.Definition{d})
	}
	if err != nil {
		p.fail(at.pos, "%v", err)
	}
	p.ahead = nil
	p.words.Seek(behind, 0)
	p.next()
	p.tok.Doc = behind.Doc
}

// Definitions is the text that defines the operators of laws which are not built in, a line each,
// by name; "" if all are. Parse reads it.
func Definitions(laws ...*Law) string {
	texts := map[string]bool{}
	put := func(op *graph.Op) {
		if op != nil && op.Definition != nil {
			texts[op.Definition.String()+"\n"] = true
		}
	}
	for _, l := range laws {
		l.EachTerm(func(t *Term) { put(t.Op) })
	}
	return strings.Join(slices.Sorted(maps.Keys(texts)), "")
}
