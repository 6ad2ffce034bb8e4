package peer

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/rules/tasopb"
)

// readTASO reads TASO's protocol buffer. What tasopb.Validate calls a problem is
// a fault of its rule.
func readTASO(f *File, data []byte) {
	c := must.Get(tasopb.Unmarshal(data))
	for i := range c.Rules {
		t := &c.Rules[i]
		r := Rule{Source: oneLine(t.String()), Fault: tasoFault(t)}
		if r.Fault == nil {
			r.TASO, r.Operators = t, operatorsOf(t, nil)
		} else {
			r.Operators = operatorsOf(t, r.Fault.Operators)
		}
		f.add(r)
	}
}

// tasoFault is what is wrong with a rule of TASO's file, or nil.
func tasoFault(t *tasopb.Rule) *Fault {
	var ill, unknown []error
	var ops []string
	for _, p := range t.Problems(tasopb.Allow{}) {
		err := errors.New(p.String())
		if !p.Unknown {
			ill = append(ill, err)
			continue
		}
		unknown = append(unknown, err)
		o := t.Side(p.Side)
		name := "OP_" + o[p.Op].Type.String()
		if ty := o[p.Op].Type; !ty.Known() || ty.Parallel() {
			name = "operator type " + strconv.Itoa(int(o[p.Op].Type))
		}
		ops = append(ops, name)
	}
	slices.Sort(ops)
	ops = slices.Compact(ops)
	switch {
	case len(ill) > 0:
		return &Fault{Kind: IllFormed, Operators: ops, Err: several(ill)}
	case len(unknown) > 0:
		return &Fault{Kind: Unsupported, Operators: ops, Err: several(unknown)}
	}
	return nil
}

// several names the first problems of a rule and counts the others.
func several(errs []error) error {
	const show = 3
	err := errors.Join(errs[:min(show, len(errs))]...)
	text := oneLine(joinLines(err.Error()))
	if n := len(errs) - show; n > 0 {
		return fmt.Errorf("%s (and %d more)", text, n)
	}
	return errors.New(text)
}
