package optimize

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/weightfacts"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/search"
)

// SizesOf are the dynamic sizes that the equation of a proof is about, by name, with the ranges that
// its conditions say and the steps that its inputs have; nil if all its sizes are numbers. A reader
// of the models needs them before the proof can be checked, which is not done here.
func SizesOf(r io.Reader, name string) (map[string]graph.SizeVar, error) {
	c, err := law.NewCertReader(r, name)
	if err != nil {
		return nil, err
	}
	for {
		e, lemma, err := c.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if lemma || e.ID != search.EquationName {
			continue
		}
		eq, err := e.Statement()
		if err != nil {
			return nil, err
		}
		names, _ := law.Variables(eq)
		if len(names) == 0 {
			return nil, nil
		}
		sizes := map[string]graph.SizeVar{}
		for _, n := range names {
			sizes[n] = graph.SizeVar{Range: graph.Range{Lo: 1, Hi: graph.Unbounded}}
		}
		for _, in := range eq.Given {
			for _, it := range in.Shape {
				terms, rest := it.Dim.Terms()
				if rest != 0 || len(terms) != 1 || len(terms[0].Atoms) != 1 || terms[0].Coef > graph.Unbounded {
					continue
				}
				n := terms[0].Atoms[0].Name
				if s, ok := sizes[n]; ok && terms[0].Atoms[0].Kind == graph.AtomVar && s.Step == 0 {
					s.Step = int(terms[0].Coef)
					sizes[n] = s
				}
			}
		}
		for _, p := range eq.Where {
			n, isVar := p.Left.IsVar()
			end, isNumber := p.Right.Const()
			if s, ok := sizes[n]; ok && isVar && isNumber && p.Mod == nil {
				switch p.Rel {
				case ">=":
					s.Lo = max(s.Lo, end)
				case "<=":
					s.Hi = min(s.Hi, end)
				}
				sizes[n] = s
			}
		}
		return sizes, nil
	}
}

// Provable reports whether the checker can follow a model with dynamic sizes: that it is itself is
// proved and checked. It cannot where shapes are equal for reasons that only the reader knows,
// such as a size that is 1 in the whole range of a variable.
func Provable(ctx context.Context, m *model.Model) error {
	w, err := weightfacts.Of(m)
	if err != nil {
		return err
	}
	n, err := search.NewNetworkReal(m.Graph, nil, w)
	if err != nil {
		return err
	}
	d, err := n.Derivation()
	if err != nil {
		return err
	}
	var cert bytes.Buffer
	if err := WriteProof(ctx, &cert, d, nil); err != nil {
		return err
	}
	_, err = CheckProof(ctx, &cert, "proof", m, m, false)
	return err
}
