package graph

import "fmt"

// Program is what an operator computes for given sizes: steps over flat element
// arrays, independent of the number type. It is made from the operator's
// definition, see [Op.Program]; package graph/interp runs it over any ring. A
// Program does not change and may be shared.
type Program struct {
	Steps []Step
	Outs  []int // the step that yields each output
}

// StepKind is the kind of a Step.
type StepKind uint8

const (
	// StepGather copies elements: out[i] = X[A[i]], or a constant: A[i] = -1
	// is 0, A[i] = -2 is Num/Den. With more operands Src[i] says which.
	StepGather StepKind = iota
	// StepSumProd is a sum of products:
	// out[i] = Num/Den * sum over j in Start[i]..Start[i+1] of X[A[j]] * Y[B[j]].
	StepSumProd
	// StepSum is out[i] = Num/Den * sum over j of X[A[j]].
	StepSum
	// StepMax is out[i] = max over j of X[A[j]]; the range is never empty.
	StepMax
	// StepAdd is out[i] = X[i] + Y[i].
	StepAdd
	// StepMul is out[i] = X[i] * Y[i].
	StepMul
	// StepScale is out[i] = X[i] * Y[0].
	StepScale
	// StepMap is out[i] = Fn(X[i]) for a pointwise function by name, with its
	// parameters if it has any, see [FuncText].
	StepMap
	// StepConst is out[i] = C[i]/Den, or C[i]/D[i] if there are Ds.
	StepConst
	// StepShift is a number that the steps after it cancel: 0 in exact
	// arithmetic; in arithmetic that rounds, as StepMax, so that exponentials
	// stay in range.
	StepShift
	// StepTake copies elements at places that are themselves elements:
	// out[i] = X[A[i] + Num*k] for k = Y[B[i]], which is at least -Den and below
	// Den; a negative one counts from the end. Where elements are not integers
	// it is the sum over all k from 0 to Den-1 of
	// (iszero(Y[B[i]] - k) + iszero(Y[B[i]] - k + Den)) * X[A[i] + Num*k].
	StepTake
	// StepDirect is out[i] = Direct(More[0][i], More[1][i] ...) in arithmetic that has the
	// function, and X[i] in any other: real numbers are the same there.
	StepDirect
)

// Operand names an operand of a step: input k if >= 0, the result of step
// -1-k if negative.
type Operand int

// Step is one step of a Program.
type Step struct {
	Kind  StepKind
	N     int // number of elements of the result
	X, Y  Operand
	More  []Operand // further operands of a gather (operand 2, 3, ...)
	Src   []int8    // of a gather with several operands: 0 = X, 1 = Y, 2.. = More
	Start []int32
	A, B  []int32
	C, D  []int64 // of a StepConst
	Num   int64
	Den   int64
	Fn    string
	// Direct is the function of a StepDirect.
	Direct *Several
	// Over says which elements a sum or a maximum takes, until they are listed in
	// Start, A and B. See [Op.Loops].
	Over *Ranges
}

// List writes the places down that a sum or a maximum takes. It is an error if
// they are too many, or a maximum is of nothing.
func (st *Step) List() (err error) {
	if st.Over == nil {
		return nil
	}
	if st.Start, st.A, st.B, err = st.Over.lists(st.N, st.Kind == StepSumProd); err != nil {
		return err
	}
	st.Over = nil
	if st.Kind == StepMax || st.Kind == StepShift {
		for i := range st.N {
			if st.Start[i] == st.Start[i+1] {
				return fmt.Errorf("element %d is the largest of no elements", i)
			}
		}
	}
	return nil
}

// Strides are the row-major element strides of a shape.
func Strides(sizes []int) []int {
	st := make([]int, len(sizes))
	n := 1
	for i := len(sizes) - 1; i >= 0; i-- {
		st[i] = n
		n *= sizes[i]
	}
	return st
}

// Each calls f with every index of a shape in row-major order; idx is reused.
func Each(sizes []int, f func(flat int, idx []int)) {
	idx := make([]int, len(sizes))
	n := NumElements(sizes)
	for flat := 0; flat < n; flat++ {
		f(flat, idx)
		for i := len(idx) - 1; i >= 0; i-- {
			idx[i]++
			if idx[i] < sizes[i] {
				break
			}
			idx[i] = 0
		}
	}
}
