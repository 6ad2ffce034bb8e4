package graph

// Sliding windows at symbolic places.

// strideOf is a literal stride along an axis.
func strideOf(v Value, axis int) (int64, bool) {
	st, ok := v.Tuple()
	if !ok || len(st) != 2 || st[axis] < 1 {
		return 0, false
	}
	return st[axis], true
}

// padsOf are the pads before and behind that do not depend on sizes.
func (s *Space) padsOf(pad Value, axis int) (before, behind Index, ok bool) {
	if p, isTuple := pad.Tuple(); isTuple && len(p) == 4 {
		return IndexInt(p[axis]), IndexInt(p[axis+2]), true
	}
	if n, isName := pad.Name(); isName && n == Valid {
		return Index{}, Index{}, true
	}
	if name, _, isVar := pad.Var(); isVar {
		if p, known := s.pads[name]; known {
			return p[axis], p[axis+2], true
		}
	}
	return Index{}, Index{}, false
}

// windowOut is the number of windows; [WindowOut] says which.
func (s *Space) windowOut(h, k Index, stride, pad Value, axis int) Index {
	if isSame(pad) {
		return s.strided(h, stride, axis)
	}
	st, literal := strideOf(stride, axis)
	if before, behind, ok := s.padsOf(pad, axis); ok && literal {
		return s.Div(h.Add(before).Add(behind).Sub(k), st).AddInt(1)
	}
	s.LeaveValueOpen(stride)
	if name, sort, isVar := pad.Var(); isVar {
		if _, known := s.pads[name]; !known {
			s.leave(sort, name)
		}
	}
	return s.Func("window "+sorted(stride)+" "+sorted(pad)+" "+axisName(axis), nil, h, k)
}

func (s *Space) strided(h Index, stride Value, axis int) Index {
	if st, ok := strideOf(stride, axis); ok {
		return s.Div(h.AddInt(st-1), st)
	}
	s.LeaveValueOpen(stride)
	return s.Func("strided "+sorted(stride)+" "+axisName(axis), func(_ *Space, out Index, args []Index) []Fact {
		is := []Guard{{E: args[0].AddInt(-1)}}
		return []Fact{{If: is, Any: []Guard{{E: out.AddInt(-1)}}}, {If: is, Any: []Guard{{E: args[0].Sub(out)}}}}
	}, h)
}

// sorted is a value with its sort if it is a variable: values that are written
// alike are equal.
func sorted(v Value) string {
	switch name, sort, ok := v.Var(); {
	case ok && isIdent(name):
		return name + ":" + sort
	case ok || v.kind == KindName && !isIdent(v.str):
		return v.Key()
	}
	return v.String()
}

func axisName(axis int) string { return [...]string{"vertical", "horizontal"}[axis&1] }

// Window is the position, in the image, of the first cell of window number at
// of windows of extent k over size h; it is negative where the window begins in
// the border. Where the window is defined it reaches over a cell of the image.
//
// That every window reaches over a cell: window i begins at i*s - before. In SAME
// padding, before + behind = t = max((n-1)*s + k - h, 0) for the n = ceil(h/s)
// windows, so t < k, since (n-1)*s < h. Any pads are therefore smaller than the
// kernel, so the first window ends inside; the last one begins at most at
// (n-1)*s < h in SAME padding, and at h - k + behind < h otherwise.
func (s *Space) Window(h, k Index, stride, pad Value, axis int, at Index) Index {
	if name, sort, ok := pad.Var(); ok && sort == SortPadding {
		s.fits = append(s.fits, Fit{name, axis, k})
	}
	st, literal := strideOf(stride, axis)
	if n, ok := h.Const(); ok && n == 1 && isSame(pad) {
		st, stride, literal = 1, TupleValue(1, 1), true // there is one window only
	}
	if literal {
		if before, ok := s.before(h, k, st, stride, pad, axis); ok {
			return at.Scale(st).Sub(before)
		}
	}
	s.LeaveValueOpen(stride)
	if name, sort, ok := pad.Var(); ok {
		if _, known := s.pads[name]; !known {
			s.leave(sort, name)
		}
	}
	valid := pad == NameValue(Valid)
	inside := func(s *Space, start Index, args []Index) []Fact {
		h, k, at := args[0], args[1], args[2]
		out := s.windowOut(h, k, stride, pad, axis)
		is := []Guard{{E: at}, GuardLt(at, out)}
		if valid {
			return []Fact{{If: is, Any: []Guard{{E: start}}}, {If: is, Any: []Guard{GuardLe(start.Add(k), h)}}}
		}
		return []Fact{{If: is, Any: []Guard{GuardLt(start, h)}}, {If: is, Any: []Guard{GuardLe(IndexInt(1), start.Add(k))}}}
	}
	if k1, ok := k.Const(); ok && k1 == 1 && valid && literal && st == 1 {
		return at
	}
	return s.Func("start "+sorted(stride)+" "+sorted(pad)+" "+axisName(axis), inside, h, k, at)
}

// before is the padding before the image where it is known.
func (s *Space) before(h, k Index, st int64, stride, pad Value, axis int) (Index, bool) {
	if b, _, ok := s.padsOf(pad, axis); ok {
		return b, true
	}
	name, ok := pad.Name()
	if !ok {
		return Index{}, false
	}
	total := k.AddInt(-1) // with stride 1 there are h windows
	if st != 1 {
		out := s.strided(h, stride, axis)
		total = s.Max0(out.AddInt(-1).Scale(st).Add(k).Sub(h))
	}
	half := s.Div(total, 2)
	switch name {
	case SameUpper:
		return half, true
	case SameLower:
		return total.Sub(half), true
	}
	return Index{}, false
}

// MaxLiteralGroups is how many groups of channels are told apart one by one.
const MaxLiteralGroups = 8

// Group is one way in which a channel may be grouped: where If holds, the
// group's input channels begin at Start.
type Group struct {
	If    []Guard
	Start Index
}

// Groups says where the input channels of output channel at begin, for groups
// groups of c input channels and outs output channels in all. The cases
// exclude one another, and one always holds.
func (s *Space) Groups(groups, outs, c Dim, at Index) []Group {
	n, literal := groups.Const()
	size := s.Size(c)
	switch {
	case literal && n == 1:
		return []Group{{}}
	case groups == outs:
		if k, ok := c.Const(); ok {
			return []Group{{Start: at.Scale(k)}}
		}
	case literal && n > 1 && n <= MaxLiteralGroups:
		var per Index
		if d, ok := outs.divExact(n); ok {
			per = s.Size(d)
		} else {
			per = s.Div(s.Size(outs), n)
		}
		var out []Group
		for q := int64(0); q < n; q++ {
			out = append(out, Group{
				If:    []Guard{GuardLe(per.Scale(q), at), GuardLt(at, per.Scale(q+1))},
				Start: size.Scale(q),
			})
		}
		return out
	}
	s.LeaveOpen(groups)
	var start Index
	if per, ok := outs.Quo(groups); ok {
		start = s.Times(s.Quotient(at, per), c) // whole groups come out: parts of a tensor that begin at one are numbered alike
	} else {
		start = s.Func("group", nil, at, s.Size(outs), s.Size(groups), size)
	}
	// The channels of a group are channels.
	is := []Guard{{E: at}, GuardLt(at, s.Size(outs))}
	s.facts = append(s.facts,
		Fact{If: is, Any: []Guard{{E: start}}},
		Fact{If: is, Any: []Guard{GuardLe(start.Add(size), s.Size(groups.Mul(c)))}})
	return []Group{{Start: start}}
}
