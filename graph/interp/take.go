package interp

import "github.com/taso-go/taso/graph"

// Integers is a ring that can tell which integer an element is, if it is one.
type Integers[T any] interface{ Integer(x T) (int64, bool) }

// Tables is a ring of Integers in which an element that is the number of no row of
// a table reads all rows: the sum of the rows times these weights.
type Tables[T any] interface {
	Dots[T]
	// Weights are the weights of the n rows for an element; nil: there are none.
	Weights(at T, n int) []T
}

// Outside names the function of an element that is the place of no element: what is
// read there. No ring has to know it.
const Outside = "outside"

// take copies elements at places that are given by elements. An element that is no
// integer in range yields an unknown function of it, or what [Tables] says.
func take[T any](r Ring[T], st *graph.Step, x, y, out []T) {
	ints, known := r.(Integers[T])
	if !known {
		takeAny(r, st, x, y, out)
		return
	}
	tables, mixes := r.(Tables[T])
	weights := map[int32][]T{}   // of the rows, by the place in y
	columns := map[int32][]int{} // places in out that mix the same column of x
	var order []int32
	for i := range out {
		b := st.B[i]
		k, ok := ints.Integer(y[b])
		if k < 0 {
			k += st.Den
		}
		if ok && k >= 0 && k < st.Den {
			out[i] = x[int64(st.A[i])+st.Num*k]
			continue
		}
		if mixes && weights[b] == nil {
			weights[b] = tables.Weights(y[b], int(st.Den))
		}
		if weights[b] == nil {
			out[i] = r.Fn(Outside, y[b])
			continue
		}
		if columns[st.A[i]] == nil {
			order = append(order, st.A[i])
		}
		columns[st.A[i]] = append(columns[st.A[i]], i)
	}
	column := make([]T, st.Den)
	for _, a := range order {
		for k := range column {
			column[k] = x[int(a)+int(st.Num)*k]
		}
		for _, i := range columns[a] {
			out[i] = tables.Dot(weights[st.B[i]], column)
		}
	}
}

// takeAny is the sum over all places in a ring whose elements may be no integers.
func takeAny[T any](r Ring[T], st *graph.Step, x, y, out []T) {
	for i := range out {
		at := y[st.B[i]]
		out[i] = r.Rat(0, 1)
		for k := range int(st.Den) {
			front := r.Fn(graph.IsZero, r.Add(at, r.Rat(int64(-k), 1)))
			end := r.Fn(graph.IsZero, r.Add(at, r.Rat(st.Den-int64(k), 1)))
			out[i] = r.Add(out[i], r.Mul(r.Add(front, end), x[int(st.A[i])+int(st.Num)*k]))
		}
	}
}
