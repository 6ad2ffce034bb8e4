package graph

import "fmt"

// Names of the size functions of windowed operators.
const (
	fnWindow  = "window"  // window(h, k, stride, pad, axis): the output size
	fnStrided = "strided" // strided(h, stride, axis): h divided by the stride, rounded up
	fnStep    = "step"    // step(s, axis): what a stride or dilation is along the axis, at least 1
)

// Pad names. SAME padding pads so that the output has ceil(h/stride) cells;
// with an odd total the extra cell goes to the bottom/right in same_upper
// (ONNX SAME_UPPER, TASO's generator) and to the top/left in same_lower (ONNX
// SAME_LOWER, TASO's runtime and verifier). valid pads nothing. Explicit pads
// are tuples (top, left, bottom, right).
const (
	SameUpper = "same_upper"
	SameLower = "same_lower"
	Valid     = "valid"
)

// Sorts of attribute variables.
const (
	SortStride  = "stride"  // a pair of positive integers, of a dilation too
	SortPadding = "padding" // same_upper, same_lower, valid or explicit pads
	SortSame    = "same"    // same_upper or same_lower
	SortAct     = "act"     // none, relu, ...
	SortBorder  = "border"  // counted, excluded
)

// WindowOut is the output size along axis (0 = height, 1 = width) of a window
// of size k that slides over a tensor of size h.
func WindowOut(h, k Dim, stride, pad Value, axis int) Dim {
	return fold(fnWindow, []Value{DimValue(h), DimValue(k), stride, pad, IntValue(int64(axis))})
}

// StepOf is how many cells a stride or dilation steps along axis.
func StepOf(step Value, axis int) Dim { return fold(fnStep, []Value{step, IntValue(int64(axis))}) }

// Extent is the number of cells along axis from the first to the last that a window of k
// cells reads which are a dilation apart.
func Extent(k Dim, dilation Value, axis int) Dim {
	return k.Sub(Int(1)).Mul(StepOf(dilation, axis)).Add(Int(1))
}

func isSame(pad Value) bool {
	if n, ok := pad.Name(); ok {
		return n == SameUpper || n == SameLower
	}
	_, sort, ok := pad.Var()
	return ok && sort == SortSame
}

func axisArg(v Value) (int, bool) {
	d, _ := v.Dim()
	n, ok := d.Const()
	return int(n), ok && (n == 0 || n == 1)
}

func foldWindow(args []Value) (Dim, bool) {
	h, _ := args[0].Dim()
	k, _ := args[1].Dim()
	stride, pad := args[2], args[3]
	axis, ok := axisArg(args[4])
	if !ok {
		return Dim{}, false
	}
	if isSame(pad) {
		return fold(fnStrided, []Value{args[0], stride, args[4]}), true
	}
	if pads, ok := pad.Tuple(); ok && len(pads) == 4 {
		// A window over a padded image is one over a larger image.
		h = h.Add(Int(pads[axis])).Add(Int(pads[axis+2]))
		return fold(fnWindow, []Value{DimValue(h), args[1], stride, NameValue(Valid), args[4]}), true
	}
	if n, ok := pad.Name(); !ok || n != Valid {
		return Dim{}, false
	}
	n, ok := strideOf(stride, axis)
	if !ok || n < 1 {
		return Dim{}, false
	}
	room := h.Sub(k)
	if n == 1 {
		return room.Add(Int(1)), true
	}
	if _, ok := k.Const(); !ok {
		if out, ok := room.Sub(Int(constant(room))).divExact(n); ok {
			return out.Add(Int(FloorDiv(constant(room), n) + 1)), true
		}
		return Dim{}, false
	}
	// As many windows as steps, rounded up, over the places where one begins.
	return fold(fnStrided, []Value{DimValue(room.Add(Int(1))), stride, args[4]}), true
}

func constant(d Dim) int64 { _, c := d.Terms(); return c }

// foldStrided takes multiples of a known stride out of the quotient, so that equal sizes are
// written alike: strided(3*h+2, 2) is h+1+strided(h, 2). Of what remains, coefficients and the
// number are 0 to s-1. So it is at least 1, as size functions are taken to be: the size of a tensor
// of h rows in windows of 2 is strided(h+1, 2)-1, which is 0 for one row.
func foldStrided(args []Value) (Dim, bool) {
	d, _ := args[0].Dim()
	axis, ok := axisArg(args[2])
	s, known := strideOf(args[1], axis)
	if !ok || !known || s <= 0 || d.TooLarge() {
		return Dim{}, false
	}
	if s == 1 {
		return d, true
	}
	terms, c := d.Terms()
	by := func(n int64) (quo, rem int64) {
		quo = FloorDiv(n, s)
		return quo, n - quo*s
	}
	quo, rem := by(c)
	out, rest := Int(quo), Int(rem)
	for _, t := range terms {
		whole, part := t, t
		whole.Coef, part.Coef = by(t.Coef)
		out, rest = out.Add(whole.Dim()), rest.Add(part.Dim())
	}
	if n, number := rest.Const(); number {
		return out.Add(Int(min(n, 1))), true
	}
	return out.Add(Func(fnStrided, DimValue(rest), TupleValue(int(s), int(s)), IntValue(0))), true
}

func foldStep(args []Value) (Dim, bool) {
	axis, ok := axisArg(args[1])
	if !ok {
		return Dim{}, false
	}
	n, ok := strideOf(args[0], axis)
	return Int(n), ok
}

// WindowPads is the padding (before, after) along axis of a window of size k
// over size h, all concrete.
func WindowPads(h, k int, stride, pad Value, axis int) (before, after int, err error) {
	st, ok := stride.Tuple()
	if !ok || len(st) != 2 || st[axis] < 1 {
		return 0, 0, fmt.Errorf("stride %s: want two positive numbers", stride)
	}
	if pads, ok := pad.Tuple(); ok && len(pads) == 4 {
		return int(pads[axis]), int(pads[axis+2]), nil
	}
	name, _ := pad.Name()
	if name == Valid {
		return 0, 0, nil
	}
	s := int(st[axis])
	out := (h + s - 1) / s
	total := max((out-1)*s+k-h, 0)
	switch name {
	case SameUpper:
		return total / 2, total - total/2, nil
	case SameLower:
		return total - total/2, total / 2, nil
	}
	return 0, 0, fmt.Errorf("padding %s is not known", pad)
}

// CheckSteps requires a stride or dilation, which is named in the error, to be two
// positive numbers or a variable.
func CheckSteps(what string, v Value) error {
	if t, ok := v.Tuple(); ok && len(t) == 2 && t[0] >= 1 && t[1] >= 1 || v.Kind() == KindVar {
		return nil
	}
	return fmt.Errorf("%s %s: want two positive numbers", what, v)
}

// CheckWindow requires attribute values stride and pad to be well formed and
// the window to fit: an output of at least one cell, pads smaller than the
// kernel (so that no window lies wholly outside). It returns the output size.
//
// Where pad is a variable, f.Needs cannot say that its pads are smaller than
// the kernel: whoever derives definedness from Needs adds that condition.
func CheckWindow(f *Unifier, h, k Dim, stride, pad Value, axis int) (Dim, error) {
	if err := CheckSteps("stride", stride); err != nil {
		return Dim{}, err
	}
	switch pad.Kind() {
	case KindTuple:
		ps, _ := pad.Tuple()
		if len(ps) != 4 {
			return Dim{}, fmt.Errorf("padding %s: want (top, left, bottom, right)", pad)
		}
		for _, i := range []int{axis, axis + 2} {
			if ps[i] < 0 {
				return Dim{}, fmt.Errorf("padding %s is negative", pad)
			}
			if err := f.Le(Int(ps[i]).Add(Int(1)), k); err != nil {
				return Dim{}, fmt.Errorf("padding %s is not smaller than the kernel: %w", pad, err)
			}
		}
	case KindName:
		if n, _ := pad.Name(); n != SameUpper && n != SameLower && n != Valid {
			return Dim{}, fmt.Errorf("padding %s is not known", pad)
		}
	case KindVar:
	default:
		return Dim{}, fmt.Errorf("padding %s is not known", pad)
	}
	h, k = f.Norm(h), f.Norm(k)
	out := WindowOut(h, k, stride, pad, axis)
	// A window that need not fit for every size: a kernel of one cell always does, where
	// there are cells.
	if !f.empty && (isSame(pad) || k == Int(1)) {
		return out, nil
	}
	_, isVar := out.soleFunc()
	if isVar {
		// window(h, k, s, p) >= 1 exactly when the padded input holds the kernel.
		f.need(Need{Int(1), "<=", out})
		return out, nil
	}
	if err := f.Le(Int(1), out); err != nil {
		return Dim{}, fmt.Errorf("window of %s does not fit into %s: %w", k, h, err)
	}
	return out, nil
}

// soleFunc reports whether d is just one function value.
func (d Dim) soleFunc() (Atom, bool) {
	if d.c == 0 && d.p != nil && len(d.p.terms) == 1 {
		t := d.p.terms[0]
		if t.coef == 1 && len(t.atoms) == 1 && t.atoms[0].Kind == AtomFunc {
			return t.atoms[0], true
		}
	}
	return Atom{}, false
}
