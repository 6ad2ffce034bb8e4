//go:build linux

package cpu

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"syscall"
	"testing"
	"unsafe"

	"github.com/taso-go/taso/backends"
	"pgregory.net/rapid"
)

// fence is memory between two pages that nobody may touch. The elements end
// slack before the second one; slack, and what is left of the first page, hold a
// pattern.
type fence struct {
	mem   []byte
	front []byte
	back  []byte
	base  ptr
}

const pattern = 0x7fc0dead // a NaN

func newFence(t testing.TB, bytes int) *fence {
	t.Helper()
	page := os.Getpagesize()
	inner := roundUp(bytes+4*slack, page)
	mem, err := syscall.Mmap(-1, 0, inner+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range [][]byte{mem[:page], mem[page+inner:]} {
		if err := syscall.Mprotect(end, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	body := mem[page : page+inner]
	first := inner - 4*slack - bytes
	f := &fence{mem: mem, front: body[:first], back: body[inner-4*slack:], base: unsafe.Pointer(&body[first])}
	f.fill()
	return f
}

// words are the pattern's places, whole words from the end backwards.
func words(b []byte) []uint32 {
	b = b[len(b)%4:]
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), len(b)/4)
}

func (f *fence) fill() {
	for _, b := range [][]byte{f.front, f.back} {
		for i, w := 0, words(b); i < len(w); i++ {
			w[i] = pattern
		}
	}
}

// touched says whether somebody wrote outside the elements.
func (f *fence) touched() error {
	for k, b := range [][]byte{f.front, f.back} {
		for i, w := range words(b) {
			if w != pattern {
				return fmt.Errorf("written outside, %s, word %d of %d: %#x", []string{"before", "behind"}[k], i, len(b)/4, w)
			}
		}
	}
	return nil
}

func (f *fence) close() { _ = syscall.Munmap(f.mem) }

// runFenced runs a plan with each buffer of its arena, each constant and each
// step's scratch in memory of its own, fenced.
func runFenced(t testing.TB, p *Plan, in []backends.Tensor) ([]backends.Tensor, error) {
	fences := map[*buffer]*fence{}
	home := map[*buffer]ptr{}
	defer func() {
		for b, f := range fences {
			b.base = home[b]
			f.close()
		}
	}()
	move := func(b *buffer) {
		if fences[b] == nil {
			f := newFence(t, b.bytes)
			if b.constant() {
				copy(bytesAt(f.base, b.bytes), bytesAt(b.base, b.bytes))
			} else {
				for i := range b.bytes / 4 {
					i32(f.base, b.bytes/4)[i] = pattern
				}
			}
			fences[b], home[b], b.base = f, b.base, f.base
		}
	}
	for _, v := range append(append([]*value{}, p.inputs...), p.outputs...) {
		if v != nil {
			move(v.buf)
		}
	}
	for _, s := range p.steps {
		for _, b := range slices.Concat(s.writes, s.reads) {
			move(b)
		}
	}
	for _, s := range p.steps {
		if s.tail == nil {
			continue
		}
		if err := s.tail.settle(); err != nil {
			return nil, err
		}
	}
	p.feed(in)
	for _, s := range p.steps {
		n := 4 * s.scratch
		scratch := newFence(t, roundUp(n, align)) // scratch is aligned
		for i := range n / 4 {
			i32(scratch.base, n/4)[i] = pattern
		}
		err := s.run(scratch.base)
		if err == nil {
			if err = scratch.touched(); err != nil {
				err = fmt.Errorf("scratch: %w", err)
			}
		}
		scratch.close()
		for b, f := range fences {
			if e := f.touched(); e != nil && err == nil {
				err = fmt.Errorf("buffer of %d bytes: %w", b.bytes, e)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("step of node %s: %w", p.g.Name(s.node), err)
		}
	}
	var out []backends.Tensor
	for _, v := range p.outputs {
		out = append(out, backends.Tensor{Sizes: v.Sizes, F32: append([]float32(nil), f32(v.ptr(), v.Elements())...)})
	}
	return out, nil
}

// TestFences: no kernel reads further than slack behind what it is given, none
// writes outside of it, and none takes what it reads there or in fresh scratch
// for a number. A read too far ends the test program.
func TestFences(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := application(rt)
		k := rapid.SampledFrom(allTables()).Draw(rt, "kernels")
		b := &Backend{t: k}
		m := load(t, text)
		plan, err := b.Compile(context.Background(), m, backends.CompileOptions{NoFuse: rapid.Bool().Draw(rt, "no fusion")})
		if err != nil {
			rt.Fatalf("%v in:\n%s", err, text)
		}
		defer plan.Close()
		var in []backends.Tensor
		for _, id := range m.Graph.Inputs() {
			if !m.Graph.IsWeight(id) {
				x, err := backends.Random(uint64(id), m.Graph.Type(id.Out(0)))
				if err != nil {
					rt.Fatal(err)
				}
				in = append(in, x)
			}
		}
		want, err := plan.Run(context.Background(), in)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := runFenced(t, plan.(*Plan), in)
		if err != nil {
			rt.Fatalf("%s: %v in:\n%s", k.name(), err, text)
		}
		for i := range want {
			for j, w := range want[i].F32 {
				if math.Float32bits(got[i].F32[j]) != math.Float32bits(w) {
					rt.Fatalf("%s: output %d, element %d: %v between fences, %v in the arena, in:\n%s", k.name(), i, j, got[i].F32[j], w, text)
				}
			}
		}
	})
}

// TestFence: a fence sees what it is for.
func TestFence(t *testing.T) {
	f := newFence(t, 100)
	defer f.close()
	if err := f.touched(); err != nil {
		t.Error(err)
	}
	for _, at := range []int{-1, 25} {
		p := (*float32)(unsafe.Add(f.base, 4*at))
		old := *p
		*p = 1
		if f.touched() == nil {
			t.Errorf("a write at %d was not seen", at)
		}
		*p = old
		if *p == *p {
			t.Errorf("element %d is %v, want the pattern", at, *p)
		}
		f.fill()
	}
}
