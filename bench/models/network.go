package models

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/model"
)

// Network is a built-in model with what its builder knows of it.
type Network struct {
	*model.Model
	Batch int // samples that its inputs hold
	// Layers are its repeated parts, in order. What is before, between and behind them
	// (a stem, an embedding, a classifier) is in none.
	Layers []Layer
}

// Layer is a part of a network that stands there several times, alike or nearly so: a
// layer of a transformer, a block of convolutions, a step of a recurrent layer.
type Layer struct {
	Name string // begins the names of its nodes, and an underscore follows
	// Nodes are its applications of operators, in order. Nodes of different layers differ.
	Nodes []graph.NodeID
}

// builder makes a network.
type builder interface{ build(seed uint64) *Network }

// batched is a builder that takes any number of samples; batch is the one it has.
type batched interface {
	builder
	batch() int
	withBatch(samples int) builder
}

// Options are how a model is built.
type Options struct {
	// Batch is the number of samples, the first axis of what the caller feeds, or what it
	// begins with; 0: the one of the model's source. Only models for which [Batched] holds
	// take another.
	Batch int
	// Seed decides the numbers of the weights.
	Seed uint64
}

// BuildNetwork is [Build] with another batch, and with the layers. Rewritten forms have
// none.
func BuildNetwork(name string, o Options) (*Network, error) {
	rewrite, b, doc, err := find(name)
	if err != nil {
		return nil, fmt.Errorf("build model %q: %w", name, err)
	}
	if o.Batch != 0 {
		at, ok := b.(batched)
		if !ok || rewrite != nil {
			return nil, fmt.Errorf("build model %s: batch %d: its sizes are fixed", name, o.Batch)
		}
		if o.Batch < 1 || o.Batch > graph.MaxSize {
			return nil, fmt.Errorf("build model %s: batch %d is not a size", name, o.Batch)
		}
		b = at.withBatch(o.Batch)
	}
	n, err := try(b, o.Seed)
	if err == nil && rewrite != nil {
		err = must.Try(func() { n = &Network{Model: rewrite.built(n.Model)} })
	}
	if err != nil {
		return nil, fmt.Errorf("build model %s: %w", name, err)
	}
	n.Name, n.Doc, n.Batch = name, doc, batchOf(b)
	return n, nil
}

// batchOf is how many samples a builder's network takes.
func batchOf(b builder) int {
	if at, ok := b.(batched); ok {
		return at.batch()
	}
	return 1
}

// Batched reports whether [BuildNetwork] takes a batch for the model of a name.
func Batched(name string) bool {
	rewrite, b, _, err := find(name)
	_, ok := b.(batched)
	return err == nil && rewrite == nil && ok
}

// find is the builder that a name stands for, the rewriting behind it, if any, and what
// the model is.
func find(name string) (rewrite *form, b builder, doc string, err error) {
	whole, tiny := strings.CutSuffix(name, tinySuffix)
	base, variant, rewritten := strings.Cut(whole, "+")
	for _, e := range slices.Concat(entries, further) {
		if e.name != base {
			continue
		}
		b, doc = e.build, e.doc
		if tiny {
			b = e.tiny
		}
		if rewritten {
			f, ok := formOf(base, variant)
			if !ok {
				break
			}
			rewrite, doc = &f, f.doc
		}
		if tiny {
			doc += " (small sizes)"
		}
		return rewrite, b, doc, nil
	}
	var known []string
	for _, n := range slices.Concat(Names(), Further()) {
		known = append(known, n, n+tinySuffix)
	}
	for _, v := range Variants("") {
		known = append(known, v.Name, v.Name+tinySuffix)
	}
	return nil, nil, "", fmt.Errorf("%w%s", ErrUnknown, suggest.OneOf(name, known))
}

func try(b builder, seed uint64) (n *Network, err error) {
	defer must.Catch(&err)
	return b.build(seed), nil
}
