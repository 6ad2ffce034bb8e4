package kernel

import "github.com/taso-go/taso/lower"

// epilogue is what a library does to its result before it writes it: + full, one element
// each, + bias, one element a column of a product or a channel of a convolution, then relu.
type epilogue struct {
	full, bias Ref
	relu       bool
	rest       []lower.Step // of the tail, for a chain
}

// absorbed is the longest beginning of a tail that an epilogue can do, where operands of a
// mode are its bias.
func absorbed(tail *lower.Tail, bias lower.Mode) epilogue {
	none := Ref{Value: lower.None}
	e := epilogue{full: none, bias: none}
	if tail == nil {
		return e
	}
	for i, st := range tail.Steps {
		switch {
		case st.Fn == "ewadd" && st.Mode == lower.Full && e.full == none:
			e.full.Value = st.Args[0]
		case st.Fn == "ewadd" && st.Mode == bias && e.bias == none:
			e.bias.Value = st.Args[0]
		case st.Fn == "relu":
			e.relu, e.rest = true, tail.Steps[i+1:]
			return e
		default:
			e.rest = tail.Steps[i:]
			return e
		}
	}
	return e
}

// chained adds what is left of a kernel's tail, as a chain that overwrites the result.
func (b *binder) chained(k *lower.Kernel, rest []lower.Step) error {
	if len(rest) == 0 {
		return nil
	}
	return b.chain(k.Tail, rest, k.Out[0], k.Out[0], true)
}

// finish writes an epilogue on v, element number at of the result, of which bias is the
// place of its bias.
func (s *source) finish(full, bias Ref, relu bool, v, at, place string) (string, error) {
	sum := v
	if full.Value != lower.None {
		sum += " + " + s.pointer(param{float, full, true}) + "[" + at + "]"
	}
	if bias.Value != lower.None {
		sum += " + " + s.pointer(param{float, bias, true}) + "[" + place + "]"
	}
	v = s.name()
	s.line("const float %s = %s;", v, sum)
	if !relu {
		return v, nil
	}
	return s.steps(nil, []lower.Step{{Node: s.b.node, Fn: "relu", Args: [2]lower.ValueID{lower.None, lower.None}}}, v, at, float)
}

// fallback are the calls that f adds, apart.
func (b *binder) fallback(f func() error) ([]Call, error) {
	before := b.calls
	b.calls = nil
	err := f()
	made := b.calls
	b.calls = before
	return made, err
}
