package define

import (
	"fmt"
	"math"
)

// Sizes is the shape of the result for operands of these shapes, computed from the text alone: the
// checker of proofs compares networks with it. Sizes are from 1 to 2^31 - 1.
func (d *Definition) Sizes(in [][]int) ([]int, error) {
	bad := fmt.Errorf("operator %s: shapes %v do not fit %s", d.Name, in, d)
	if len(in) != len(d.operands) {
		return nil, bad
	}
	at := map[string]int64{}
	value := func(l linear) int64 {
		n := l.c
		for _, f := range l.t {
			n += f.k * at[f.name] // at most 16 products below 2^51
		}
		return n
	}
	for i, s := range in {
		if d.shaped && len(s) != len(d.operands[i].shape) || !d.shaped && len(s) != len(in[0]) {
			return nil, bad
		}
		for k, n := range s {
			if n < 1 || n > math.MaxInt32 || !d.shaped && n != in[0][k] {
				return nil, bad
			}
		}
	}
	if !d.shaped {
		return in[0], nil
	}
	axes, err := d.order()
	if err != nil {
		return nil, err
	}
	for _, p := range axes {
		s, n := d.operands[p.operand].shape[p.axis], int64(in[p.operand][p.axis])
		if s.gives() {
			if _, known := at[s.t[0].name]; !known {
				at[s.t[0].name] = (n - s.c) / s.t[0].k
				if at[s.t[0].name] < 1 {
					return nil, bad
				}
			}
		}
		if value(s) != n {
			return nil, bad
		}
	}
	out := make([]int, len(d.out))
	for k, s := range d.out {
		n := value(s)
		if n < 1 || n > math.MaxInt32 {
			return nil, bad
		}
		out[k] = int(n)
	}
	return out, nil
}
