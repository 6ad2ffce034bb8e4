package cpu

import (
	"testing"
	"unsafe"
)

// TestChainRows: operands whose rows lie apart, in rows and pieces of a chain that are
// others than theirs.
func TestChainRows(t *testing.T) {
	const rows, length = 3, 2520 // more than a piece
	for _, k := range allTables() {
		for _, n := range []int{4, 7, 360, 1260, 2520} {
			apart := n + 5
			count := rows * length / n
			x, y, ops := mustBlock(t, count*apart), mustBlock(t, rows*length), mustBlock(t, 2*int(unsafe.Sizeof(chainOp{}))/4)
			from := f32(x.p, count*apart)
			for i := range from {
				from[i] = float32(i%1009) - 500
			}
			second := 2 // elements further on
			copy(unsafe.Slice((*chainOp)(ops.p), 2), []chainOp{
				{code: opTake, mode: modeRows, p: x.p, n: n, apart: apart},
				{code: opRSub, mode: modeRows, p: at(x.p, second), n: n, apart: apart},
			})
			k.chain(y.p, y.p, rows, length, 1, ops.p, 2)
			for i, got := range f32(y.p, rows*length) {
				place := i/n*apart + i%n
				if want := from[place+second] - from[place]; got != want {
					t.Fatalf("%s: rows of %d: element %d is %v, want %v", k.name(), n, i, got, want)
				}
			}
		}
	}
}

func mustBlock(t *testing.T, n int) *block {
	t.Helper()
	b, err := newBlock(4 * n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.free)
	return b
}
