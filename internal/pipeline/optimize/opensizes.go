package optimize

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/weightfacts"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/search"
)

// A model is optimized at certain sizes, where the command line gives them. The file of the result
// leaves open what the model's file does if the steps that led to it are made, and proved, with
// variables for these sizes as well. Proofs at some other sizes would not be enough: a slice that
// cuts what is behind place 100 does nothing at sizes of 1, 2 and 3.

// triesElsewhere are the moves that are tried to prove a result for all sizes where the
// steps cannot be made there.
const triesElsewhere = 2000

// provedOpen proves that a written file computes what the model's file does for all sizes that
// this leaves open. It returns these sizes, or says why there is no such proof.
func (o *Options) provedOpen(ctx context.Context, b *built, path string) (open []graph.SizeVar, why error) {
	if o.Fixed != nil {
		return nil, o.Fixed // tried before
	}
	a, source, err := o.Source.ForAll()
	if err != nil {
		return nil, fmt.Errorf("the model cannot be read for all sizes: %w", err)
	}
	result, err := source.ReadResult(path)
	if err != nil {
		if e := (*onnx.Error)(nil); errors.As(err, &e) {
			e.File = "the result" // it is nowhere yet
		}
		return nil, err
	}
	checked, err := o.provedAt(ctx, b, a, result)
	if err != nil {
		return nil, err
	}
	b.assumed = checked.Assumptions
	return a.Graph.Sizing().Vars(), nil
}

// provedAt proves that two models with dynamic sizes compute the same.
func (o *Options) provedAt(ctx context.Context, b *built, a, result *model.Model) (*Checked, error) {
	laws, proofs, err := shaped(ctx, a, o.Laws)
	if err != nil {
		return nil, err
	}
	maps.Copy(proofs, notShaped(o.Proofs))
	d, err := o.elsewhere(b.by, a, laws)
	if err != nil { // another way may lead there
		all := slices.DeleteFunc(slices.Clone(o.Laws), func(l *law.Law) bool { return shapedLike(l.Name) != "" })
		p, other := Prove(ctx, a, result, Options{Laws: append(all, laws...), Proofs: proofs, Compiled: o.Compiled, Tries: triesElsewhere, Workers: 1, Seed: o.Seed})
		if other == nil && p.Equal {
			return p.Checked, nil
		}
		return nil, err
	}
	var cert bytes.Buffer
	if err := WriteProof(ctx, &cert, d, proofs); err != nil {
		return nil, err
	}
	checked, err := CheckProof(ctx, bytes.NewReader(cert.Bytes()), "proof", a, result, false)
	if err != nil {
		return nil, fmt.Errorf("the proof is not accepted: %w", err)
	}
	return checked, nil
}

// elsewhere makes the moves of a search on the model with other sizes. Laws for the shapes of the
// model are replaced by others of laws.
func (o *Options) elsewhere(found *searching, a *model.Model, laws []*law.Law) (*search.Derivation, error) {
	if found.from != nil {
		return nil, errors.New("steps found by saturation cannot be repeated at other sizes")
	}
	w, err := weightfacts.Of(a)
	if err != nil {
		return nil, err
	}
	w.Whole = o.weights.Whole
	n, err := search.NewNetworkReal(a.Graph, nil, w)
	if err != nil {
		return nil, err
	}
	swaps, err := exchanges()
	if err != nil {
		return nil, err
	}
	n.SwapBy(swaps)
	rw := search.NewRewriter(n.Net, found.rules)
	for i := range found.path {
		if err := makeAgain(rw, n, found.path[i], laws); err != nil {
			return nil, fmt.Errorf("step %d, law %s: %w", i+1, found.path[i].Direction.Law.Law.Name, err)
		}
	}
	return n.Derivation()
}

// makeAgain makes one move at other sizes.
func makeAgain(rw *search.Rewriter, n *search.Network, mv search.Move, laws []*law.Law) error {
	try := func(mv search.Move) (found bool, err error) {
		mark := n.Net.Mark()
		found = rw.Find(&mv, func(m *search.Match) { err = n.Make(rw, m) })
		n.Net.Keep(mark)
		return found, err
	}
	like := shapedLike(mv.Direction.Law.Law.Name)
	if like == "" {
		if found, err := try(mv); found || err != nil {
			return err
		}
		return errors.New("the law does not hold at these sizes")
	}
	for _, l := range laws {
		if shapedLike(l.Name) != like {
			continue
		}
		c, err := rewrite.Compile(l)
		if err != nil {
			return err
		}
		for _, d := range c.Directions {
			mv.Direction = d
			if found, err := try(mv); found || err != nil {
				return err
			}
		}
	}
	return errors.New("the law does not hold at these sizes")
}

// shapedLike is the law that a law for certain shapes is a special case of; "" for others.
func shapedLike(name string) string {
	for _, s := range shapedLaws {
		if strings.HasPrefix(name, s.like+"_shaped_") {
			return s.like
		}
	}
	return ""
}

// notShaped are the proofs of laws that are for all shapes.
func notShaped(proofs map[string]*law.Proof) map[string]*law.Proof {
	out := maps.Clone(proofs)
	maps.DeleteFunc(out, func(name string, _ *law.Proof) bool { return shapedLike(name) != "" })
	return out
}

// SizesText is a choice of open sizes, such as: batch = 2, axis 1 of x = 5.
func SizesText(sizes []onnx.OpenSize) string {
	var parts []string
	for _, o := range sizes {
		name := o.Dim
		if name == "" {
			name = fmt.Sprintf("axis %d of %s", o.Axis, o.Input)
		}
		if text := fmt.Sprintf("%s = %d", name, o.Size); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}
