package plan

import (
	"context"
	"crypto/sha256"
	"encoding/binary"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/internal/memo"
)

// solutions are those of problems, by what is in them.
type solutions = memo.Memo[[sha256.Size]byte, *extract.Result]

// solved solves a problem, if it is not among those that are known; nil: none are.
func solved(ctx context.Context, known *solutions, p *extract.Problem, steps int64) (*extract.Result, error) {
	if known == nil {
		return extract.Solve(ctx, p, extract.Options{Steps: steps})
	}
	var cancelled *extract.Result
	res, err := known.Get(ctx, contents(p, steps), func() (*extract.Result, error) {
		res, err := extract.Solve(ctx, p, extract.Options{Steps: steps})
		if err == nil && res.Stop == extract.StopCancelled {
			cancelled, err = res, ctx.Err()
		}
		return res, err
	})
	if cancelled != nil { // the best so far, which is not for others
		return cancelled, nil
	}
	return res, err
}

// contents is all that is in a problem, as a key: of as many bytes as a hash has, since problems are
// large and there are many.
func contents(p *extract.Problem, steps int64) [sha256.Size]byte {
	b := binary.AppendVarint(nil, steps)
	b = binary.AppendVarint(b, int64(p.Classes))
	b = binary.AppendVarint(b, p.MaxBytes)
	for _, n := range p.Nodes {
		b = binary.AppendVarint(b, int64(n.Class))
		b = binary.AppendVarint(b, int64(len(n.Children)))
		for _, c := range n.Children {
			b = binary.AppendVarint(b, int64(c))
		}
		b = binary.AppendVarint(b, n.Cost)
		b = binary.AppendVarint(b, n.Bytes)
		b = binary.AppendVarint(b, int64(n.Kind))
	}
	for _, c := range p.Roots {
		b = binary.AppendVarint(b, int64(c))
	}
	return sha256.Sum256(b)
}
