package peer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/rules/tasopb"
)

// WriteTensat writes a rule in Tensat's s-expressions, a line an output. The
// error is for what they cannot say, such as the size of a convolution's kernel,
// and for senseless rules; concat needs the number of its axes here. Tensat has no
// kernel enlarged to a size that is told: it takes the size from another kernel.
func WriteTensat(r *tasopb.Rule) ([]string, error) { return write(notationTensat, r) }

func write(n notation, r *tasopb.Rule) ([]string, error) {
	allow := tasopb.Allow{BareSides: true, FreeVariables: true, Repeated: true}
	if ps := r.Problems(allow); len(ps) > 0 {
		return nil, ps
	}
	var out []string
	for _, m := range r.Mapped {
		w := &writer{notation: n}
		w.tensor(r.SrcOps, tasopb.Tensor{OpID: m.SrcOpID, TsID: m.SrcTsID})
		if n == notationTensat {
			w.text("=>")
		} else {
			w.text("==")
		}
		w.tensor(r.DstOps, tasopb.Tensor{OpID: m.DstOpID, TsID: m.DstTsID})
		if w.err != nil {
			return nil, w.err
		}
		out = append(out, w.b.String())
	}
	return out, nil
}

// maxWritten bounds what is written of an output: shared operators are written
// out each time.
const maxWritten = 1 << 20

type writer struct {
	notation notation
	b        strings.Builder
	err      error
}

func (w *writer) text(s string) {
	if w.err == nil && w.b.Len()+len(s) > maxWritten {
		w.err = fmt.Errorf("too large: a term of more than %d bytes", maxWritten)
	}
	if w.err == nil {
		w.b.WriteString(s)
	}
}

// call writes an application; its arguments write themselves.
func (w *writer) call(name string, args []func()) {
	tensat := w.notation == notationTensat
	switch {
	case tensat && len(args) == 0:
		w.text(name)
		return
	case tensat:
		w.text("(" + name)
	case len(args) == 0:
		w.text(name)
		return
	default:
		w.text(name + "(")
	}
	for i, arg := range args {
		switch {
		case tensat:
			w.text(" ")
		case i > 0:
			w.text(",")
		}
		arg()
	}
	w.text(")")
}

func (w *writer) tensor(ops []tasopb.Operator, x tasopb.Tensor) {
	if w.err != nil {
		return
	}
	if x.OpID < 0 {
		mark := ""
		if w.notation == notationTensat {
			mark = "?"
		}
		w.text(mark + "input_" + strconv.FormatInt(-int64(x.OpID), 10))
		return
	}
	o := &ops[x.OpID]
	args, name, err := w.arguments(ops, o)
	if err != nil {
		w.err = fmt.Errorf("operator %d (%s): %w", x.OpID, o.Type, err)
		return
	}
	if o.Type == tasopb.OpSplit {
		half := fmt.Sprintf("split_%d", x.TsID)
		if w.notation == notationTensat {
			w.call(half, []func(){func() { w.call("split", args) }})
			return
		}
		name = half
	}
	w.call(name, args)
}

// arguments finds the form of the notation that says all of an operator.
func (w *writer) arguments(ops []tasopb.Operator, o *tasopb.Operator) (args []func(), name string, err error) {
	err = errors.New("there is no notation for it")
	if w.notation == notationTensat && o.Type == tasopb.OpEnlarge && len(o.Inputs) == 1 {
		return nil, "", errors.New("the size of an enlarged kernel cannot be said")
	}
	for _, f := range w.forms(o) {
		said := map[tasopb.ParamKey]bool{tasopb.ParamOpType: true, tasopb.ParamNumInputs: true}
		if f.op == tasopb.OpSplit {
			if n, _ := o.Param(tasopb.ParamNumOutputs); n == 2 {
				said[tasopb.ParamNumOutputs] = true
			}
		}
		inputs := o.Inputs
		args, err = nil, nil
		for _, s := range f.slots {
			switch s.kind {
			case slotTensor:
				if len(inputs) == 0 {
					err = errors.New("too few inputs")
					break
				}
				x := inputs[0]
				inputs = inputs[1:]
				args = append(args, func() { w.tensor(ops, x) })
			case slotPerm:
				n, _ := o.Param(tasopb.ParamNumDim)
				code, _ := o.Param(s.key)
				text := formatPerm(code, n)
				if c, m, bad := parsePerm(text); bad != nil || c != code || m != n {
					err = fmt.Errorf("%s is no permutation", text)
				}
				said[s.key], said[tasopb.ParamNumDim] = true, true
				args = append(args, func() { w.text(text) })
			default:
				v, ok := o.Param(s.key)
				if !ok && s.key != tasopb.ParamActi && s.key != tasopb.ParamOutShuffle { // none and 0 if not said
					err = fmt.Errorf("the format wants %s", s.key)
				}
				said[s.key] = true
				args = append(args, func() { w.text(strconv.Itoa(int(v))) })
			}
		}
		if err == nil && len(inputs) > 0 {
			err = errors.New("too many inputs")
		}
		for _, p := range o.Params {
			if err == nil && !said[p.Key] && !implied(o, p, len(f.slots)) {
				err = fmt.Errorf("%s = %d cannot be said", p.Key, p.Value)
			}
		}
		if err == nil {
			return args, f.name, nil
		}
	}
	return nil, "", err
}

// forms are those of an operator, the best first: the shortest in the notation
// of the verifier, the longest in that of Tensat.
func (w *writer) forms(o *tasopb.Operator) []form {
	if o.Type == tasopb.OpSplit {
		return splitForm
	}
	var out []form
	for _, name := range slices.Sorted(maps.Keys(operators)) {
		for _, f := range operators[name] {
			if f.op == o.Type {
				out = append(out, f)
			}
		}
	}
	if w.notation == notationTensat {
		// Of forms for the same tensors, the shorter ones are the verifier's.
		out = slices.DeleteFunc(out, func(f form) bool {
			return slices.ContainsFunc(operators[f.name], func(g form) bool {
				return len(g.slots) > len(f.slots) && g.tensors() == f.tensors()
			})
		})
	}
	slices.SortStableFunc(out, func(f, g form) int {
		if w.notation == notationVerifier {
			f, g = g, f
		}
		return len(g.slots) - len(f.slots)
	})
	return out
}

// implied reports whether a parameter that the form has no place for is what
// the form means.
func implied(o *tasopb.Operator, p tasopb.Parameter, slots int) bool {
	switch {
	case p.Key == tasopb.ParamActi && p.Value == int32(tasopb.ActNone),
		p.Key == tasopb.ParamOutShuffle && p.Value == 0:
		return true
	case o.Type == tasopb.OpTranspose && slots == 1:
		return p.Key == tasopb.ParamNumDim && p.Value == 2 || p.Key == tasopb.ParamPerm && p.Value == 2
	}
	return false
}

// formatPerm is the inverse of parsePerm.
func formatPerm(code, n int32) string {
	axes := make([]string, n)
	for i := n - 1; i >= 0; i-- {
		axes[i] = strconv.Itoa(int(code % n))
		code /= n
	}
	return strings.Join(axes, "_")
}

// tensors counts the arguments that are tensors.
func (f *form) tensors() int {
	n := 0
	for _, s := range f.slots {
		if s.kind == slotTensor {
			n++
		}
	}
	return n
}
