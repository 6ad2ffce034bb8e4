package cpu

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

// align is the alignment of constants, in bytes: a cache line.
const align = 64

// liveBlocks counts the blocks that are allocated and not released, for tests.
var liveBlocks atomic.Int64

// block is memory outside the Go heap (with cgo). It is released by free, or
// at the latest when the block itself is garbage.
type block struct {
	p     ptr
	bytes int
	clean runtime.Cleanup
}

// newBlock returns a block of bytes, zeroed, that may be read slack elements
// beyond.
func newBlock(bytes int) (*block, error) {
	if err := roomFor(int64(bytes)); err != nil {
		return nil, fmt.Errorf("allocate memory: %w", err)
	}
	b, err := newRawBlock(bytes)
	if err == nil {
		clearBytes(b.p, bytes+4*slack)
	}
	return b, err
}

// newRawBlock returns a block as newBlock does, with any contents. What is not
// written takes no memory yet.
func newRawBlock(bytes int) (*block, error) {
	p, err := allocate(bytes + 4*slack)
	if err != nil {
		return nil, err
	}
	liveBlocks.Add(1)
	b := &block{p: p, bytes: bytes}
	b.clean = runtime.AddCleanup(b, func(p ptr) {
		liveBlocks.Add(-1)
		release(p)
	}, p)
	return b, nil
}

func (b *block) free() {
	if b == nil || b.p == nil {
		return
	}
	b.clean.Stop()
	liveBlocks.Add(-1)
	release(b.p)
	b.p = nil
}

// buffer is the memory of a buffer of the plan.
type buffer struct {
	bytes int
	// mem is the memory of a constant: its own while the plan is compiled, then
	// that of all constants. Other buffers lie in the arena.
	mem  *block
	base ptr
}

func (b *buffer) constant() bool { return b.mem != nil }

// gather moves constants into one block, in their order, which is about that
// of their use: side by side they share large pages, and the processor fetches
// ahead from one into the next. Each old block is released once it is copied,
// so that the constants are not held twice.
func gather(consts []*buffer) error {
	if len(consts) == 0 {
		return nil
	}
	size := 0
	for _, b := range consts {
		size += constantStride(b)
	}
	all, err := newRawBlock(size)
	if err != nil {
		return err
	}
	at := 0
	for _, b := range consts {
		stride := constantStride(b)
		to := bytesPtr(all.p, at)
		copy(bytesAt(to, b.bytes), bytesAt(b.base, b.bytes))
		clearBytes(bytesPtr(to, b.bytes), stride-b.bytes)
		b.mem.free()
		b.mem, b.base = all, to
		at += stride
	}
	clearBytes(bytesPtr(all.p, at), 4*slack)
	return nil
}

// constantStride is the room that a constant takes in bytes: kernels may read
// slack elements beyond it.
func constantStride(b *buffer) int { return roundUp(b.bytes+4*slack, align) }

func roundUp(n, to int) int { return (n + to - 1) / to * to }
