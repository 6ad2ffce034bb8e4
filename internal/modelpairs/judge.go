package modelpairs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// Answer is how an answer about a pair compares with the truth.
type Answer int

const (
	// Right: equal or agree of equal models, differ of different ones.
	Right Answer = iota
	// WrongEqual: different models are equal or agree.
	WrongEqual
	// WrongDiffer: equal models differ.
	WrongDiffer
	// NotKnown: the answer is "unknown" or nothing was compared, or the second model is
	// not read although the first one is.
	NotKnown
	// NotRead: the first model is not read completely.
	NotRead
)

func (a Answer) String() string {
	return [...]string{"right", "wrong equal", "wrong differ", "not known", "not read"}[a]
}

// Outcome is the answer about a pair.
type Outcome struct {
	Answer  Answer
	Why     string // what was said
	Seconds float64
}

// Judge compares the models of a pair as `taso verify` does. The files are written to dir.
func Judge(ctx context.Context, p *Pair, dir string) (o Outcome, err error) {
	start := time.Now()
	defer func() {
		if e := recover(); e != nil {
			err = fmt.Errorf("judge pair %d: panic: %v", p.Number, e)
		}
		o.Seconds = time.Since(start).Seconds()
	}()
	a, whyA, err := read(filepath.Join(dir, "a.onnx"), p.A)
	if err != nil {
		return o, err
	}
	b, whyB, err := read(filepath.Join(dir, "b.onnx"), p.B)
	if err != nil {
		return o, err
	}
	if a == nil {
		return Outcome{Answer: NotRead, Why: whyA}, nil
	}
	if b == nil {
		return Outcome{Answer: NotKnown, Why: whyB}, nil
	}
	r, err := verifymodels.Run(ctx, verifymodels.Options{A: a, B: b, Seed: p.seed()})
	var mismatch *verifymodels.Mismatch
	verdict := verifymodels.ModelsDiffer
	switch {
	case errors.As(err, &mismatch):
		o.Why = err.Error()
	case ctx.Err() != nil:
		return o, ctx.Err()
	case err != nil:
		return Outcome{Answer: NotKnown, Why: err.Error()}, nil
	default:
		verdict, o.Why = r.Verdict, string(r.Verdict)
		if len(r.Unreached) > 0 {
			o.Why += ": " + strings.Join(r.Unreached, "; ")
		} else if r.Exact.Why != "" || r.Numbers.Why != "" {
			o.Why += ": " + r.Exact.Why + "; " + r.Numbers.Why
		}
	}
	switch verdict {
	case verifymodels.ModelsEqual, verifymodels.ModelsAgree:
		if !p.Equal {
			o.Answer = WrongEqual
		}
	case verifymodels.ModelsDiffer:
		if p.Equal {
			o.Answer = WrongDiffer
		}
	default:
		o.Answer = NotKnown
	}
	if (whyA != "" || whyB != "") && o.Answer == NotKnown {
		o = Outcome{Answer: NotKnown, Why: o.Why + " (" + whyA + " / " + whyB + ")"}
		if whyA != "" {
			o.Answer = NotRead
		}
	}
	return o, nil
}

// seed is that of the comparison, another one for each pair.
func (p *Pair) seed() uint64 { return uint64(p.Number) }

// read reads a model; where it is not read, or in part only, it says why.
func read(path string, raw []byte) (*model.Model, string, error) {
	if err := os.WriteFile(path, raw, 0o666); err != nil {
		return nil, "", fmt.Errorf("write pair: %w", err)
	}
	m, r, err := onnx.Read(path, onnx.ReadOptions{})
	if err != nil {
		return nil, strings.ReplaceAll(err.Error(), path+": ", ""), nil
	}
	for _, o := range r.Opaque {
		return m, fmt.Sprintf("opaque %s (%s)", o.Op, o.Reason), nil
	}
	return m, "", nil
}
