package models

import (
	"strings"

	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
)

// BuildApart is Build of a rewritten form whose weights are still those of its
// model, with the nodes that compute its weights from them: for all numbers of
// the weights, both are the same function.
func BuildApart(name string, seed uint64) (*model.Model, error) {
	base, variant, _ := strings.Cut(strings.TrimSuffix(name, tinySuffix), "+")
	f, ok := formOf(base, variant)
	if !ok {
		return nil, ErrUnknown
	}
	m, err := Build(base+strings.TrimPrefix(name, base+"+"+variant), seed)
	if err != nil {
		return nil, err
	}
	var out *model.Model
	err = must.Try(func() { out, _, _ = f.apply(m, nil) })
	return out, err
}
