package dl

import (
	"errors"
	"fmt"
)

// A Ref is an address in a plan: base number Base of the table that the plan runs
// with, plus Offset bytes. Base < 0: none.
type Ref struct {
	Base   int32
	_      int32
	Offset int64
}

// None is no address.
var None = Ref{Base: -1}

// At is an offset of bytes from a base.
func At(base int, offset int64) Ref { return Ref{Base: int32(base), Offset: offset} }

// Math is how the libraries compute with float32 operands.
type Math string

// Ways to compute. Sums are of float32 in all of them. cuDNN has no bfloat16 for
// float32 tensors: there its convolutions are as for TF32.
const (
	Float32  Math = ""         // products of float32
	TF32     Math = "tf32"     // operands rounded to 10 bits of mantissa
	Float16  Math = "float16"  // operands rounded to float16
	BFloat16 Math = "bfloat16" // operands rounded to bfloat16
)

// codes are the constants of abi.h for cuBLASLt and cuDNN.
func (m Math) codes() (compute, convolution int, err error) {
	switch m {
	case Float32:
		return compute32F, mathFMA, nil
	case TF32:
		return computeTF32, mathDefault, nil
	case Float16:
		return compute16F, mathConversion, nil
	case BFloat16:
		return compute16BF, mathDefault, nil
	}
	return 0, 0, fmt.Errorf("unknown math mode %q", string(m))
}

// Of abi.h, which a test compares.
const (
	compute32F     = 68
	compute16F     = 74
	compute16BF    = 75
	computeTF32    = 77
	mathDefault    = 0
	mathConversion = 2
	mathFMA        = 3
)

// A Matmul is D = A*B + C + Bias, then relu, of float32 matrices stored row by row:
// A [M, K], B [K, N], C and D [M, N], Bias [N], Batch times. The relu of NaN is 0, in
// cuBLASLt as in cuDNN.
type Matmul struct {
	M, N, K, Batch     int // Batch 0 is 1
	A, B, C, D, Bias   Ref // C, Bias: may be None
	TransA, TransB     bool
	LDA, LDB, LDC, LDD int64 // elements from a stored row to the next
	StrideA, StrideB   int64 // elements from one of the batch to the next; 0: the same
	StrideC, StrideD   int64
	Relu               bool
	Math               Math
}

// A Conv is Y = conv(X, W) + Bias + Z, then relu, of dense float32 tensors: X [N, C,
// H, W], W [K, C/Groups, R, S], Bias [K], Y and Z [N, K, OutH, OutW]. Padding is the
// same on both sides.
type Conv struct {
	N, C, H, W           int
	K, R, S              int
	OutH, OutW           int
	PadH, PadW           int
	StrideH, StrideW     int
	DilationH, DilationW int
	Groups               int
	X, Filter, Bias      Ref // Bias: may be None
	Z, Y                 Ref // Z: may be None
	Relu                 bool
	Math                 Math
}

// A Plan is a list of calls on a device.
type Plan struct {
	d         *Device
	p         handle // nil: closed
	n         int
	bases     int // the tables of bases have at least so many
	bound     int64
	workspace int64 // bytes that it has
	zeros     int64
	at, zero  Ptr
	old       []Ptr // outgrown, but graphs may hold them
	stale     bool  // what it needs may have changed
	graphs    map[*Graph]bool
}

// NewPlan makes an empty plan. bound is how much workspace in bytes the libraries'
// algorithms may need.
func (d *Device) NewPlan(bound int64) (*Plan, error) {
	p := &Plan{d: d, bound: max(bound, 0), graphs: map[*Graph]bool{}}
	err := d.Do(func() error {
		h, f := sysPlan(d.dev, p.bound)
		if f != nil {
			return d.fail(f)
		}
		p.p = h
		d.plans[p] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// do runs f on the device's thread if the plan is open.
func (p *Plan) do(f func() error) error {
	return p.d.Do(func() error {
		if p.p == nil {
			return fmt.Errorf("plan: %w", ErrClosed)
		}
		return f()
	})
}

// add appends a call with its operands.
func (p *Plan) add(refs []Ref, f func() *failure) error {
	return p.do(func() error {
		for _, r := range refs {
			p.bases = max(p.bases, int(r.Base)+1)
		}
		if err := p.d.fail(f()); err != nil {
			return err
		}
		p.n++
		p.stale = true
		return nil
	})
}

// need says that an operand is missing.
func need(what string, refs ...Ref) error {
	for i, r := range refs {
		if r.Base < 0 {
			return fmt.Errorf("%s: operand %d has no base", what, i)
		}
	}
	return nil
}

// Launch appends the launch of a kernel: grid and block in x, y, z, shared bytes of
// dynamic shared memory, and arguments, which are addresses (None is 0).
func (p *Plan) Launch(f Function, grid, block [3]int, shared int, args []Ref) error {
	var dims [6]uint32
	for i, n := range append(grid[:], block[:]...) {
		if n < 1 || n > 1<<31-1 {
			return fmt.Errorf("launch: grid %v, block %v", grid, block)
		}
		dims[i] = uint32(n)
	}
	if f.m == nil || f.m.d != p.d {
		return errors.New("launch: the kernel is not of this device")
	}
	return p.add(args, func() *failure { return sysLaunch(p.p, f.f, dims, shared, args) })
}

// Matmul appends a product by cuBLASLt. The error is an ErrUnsupported if the library
// cannot do it; the plan is as before then.
func (p *Plan) Matmul(m Matmul) error {
	if !p.d.libs.Has(CuBLASLt) {
		return fmt.Errorf("product: no cuBLASLt: %w", ErrUnsupported)
	}
	if err := need("product", m.A, m.B, m.D); err != nil {
		return err
	}
	m.Batch = max(m.Batch, 1)
	compute, _, err := m.Math.codes()
	if err != nil {
		return fmt.Errorf("product: %w", err)
	}
	err = p.add([]Ref{m.A, m.B, m.C, m.D, m.Bias}, func() *failure { return sysMatmul(p.p, m, compute) })
	if err != nil {
		return fmt.Errorf("product of [%d, %d] and [%d, %d], %d times: %w", m.M, m.K, m.K, m.N, m.Batch, err)
	}
	return nil
}

// Conv appends a convolution by cuDNN. The error is an ErrUnsupported if the library
// cannot do it; the plan is as before then.
func (p *Plan) Conv(c Conv) error {
	if !p.d.libs.Has(CuDNN) {
		return fmt.Errorf("convolution: no cuDNN: %w", ErrUnsupported)
	}
	if err := need("convolution", c.X, c.Filter, c.Y); err != nil {
		return err
	}
	for i, r := range []Ref{c.X, c.Filter, c.Y, c.Z, c.Bias} {
		if r.Base >= 0 && r.Offset%convAlign != 0 {
			return fmt.Errorf("convolution: operand %d begins %d bytes behind a base, no multiple of %d: %w", i, r.Offset, convAlign, ErrUnsupported)
		}
	}
	if c.Groups < 1 || c.C%c.Groups != 0 {
		return fmt.Errorf("convolution: %d groups of %d channels", c.Groups, c.C)
	}
	_, math, err := c.Math.codes()
	if err != nil {
		return fmt.Errorf("convolution: %w", err)
	}
	err = p.add([]Ref{c.X, c.Filter, c.Bias, c.Z, c.Y}, func() *failure { return sysConv(p.p, c, math) })
	if err != nil {
		return fmt.Errorf("convolution of [%d, %d, %d, %d] by [%d, %d, %d, %d]: %w", c.N, c.C, c.H, c.W, c.K, c.C/c.Groups, c.R, c.S, err)
	}
	return nil
}

// convAlign is the alignment in bytes of operands of convolutions. cuDNN chooses its
// algorithms without looking at addresses, and the fast ones read 16 bytes at a time.
const convAlign = 16

// Fill appends setting bytes to a value.
func (p *Plan) Fill(to Ref, value byte, bytes int64) error {
	if err := need("fill", to); err != nil {
		return err
	}
	return p.add([]Ref{to}, func() *failure { return sysPlanFill(p.p, to, value, bytes) })
}

// Copy appends a copy of bytes on the device; the two may not overlap.
func (p *Plan) Copy(to, from Ref, bytes int64) error {
	if err := need("copy", to, from); err != nil {
		return err
	}
	return p.add([]Ref{to, from}, func() *failure { return sysPlanCopy(p.p, to, from, bytes) })
}

// Len is the number of calls.
func (p *Plan) Len() int {
	n := 0
	_ = p.d.on(func() error { n = p.n; return nil }) // closed: none
	return n
}

// Choices says how many algorithms call number i can be done by, and which is taken.
func (p *Plan) Choices(i int) (n, choice int, err error) {
	err = p.do(func() error {
		if err := p.has(i); err != nil {
			return err
		}
		n, choice = sysChoices(p.p, i)
		return nil
	})
	return n, choice, err
}

func (p *Plan) has(i int) error {
	if i < 0 || i >= p.n {
		return fmt.Errorf("no call %d in a plan of %d", i, p.n)
	}
	return nil
}

// Choose takes another algorithm for a call. Graphs captured before keep theirs.
func (p *Plan) Choose(i, choice int) error {
	return p.do(func() error {
		if err := p.has(i); err != nil {
			return err
		}
		if n, _ := sysChoices(p.p, i); choice < 0 || choice >= n {
			return fmt.Errorf("call %d: no choice %d of %d", i, choice, n)
		}
		sysChoose(p.p, i, choice)
		p.stale = true
		return nil
	})
}

// Workspace tells the bytes of workspace that the plan holds, and the bound on them,
// which is less than NewPlan's where memory was short.
func (p *Plan) Workspace() (bytes, bound int64, err error) {
	err = p.do(func() error {
		if err := p.fit(); err != nil {
			return err
		}
		bytes, bound = p.workspace, p.bound
		return nil
	})
	return bytes, bound, err
}

// fit gives the plan the workspace that it needs. Where memory is short, the bound is
// halved and the algorithms are listed anew, until there is none left to give.
func (p *Plan) fit() error {
	for p.stale {
		workspace, zeros := sysNeed(p.p)
		err := p.grow(workspace, zeros)
		if err == nil {
			sysGive(p.p, p.at, p.workspace, p.zero)
			p.stale = false
			return nil
		}
		var short *MemoryError
		if !errors.As(err, &short) || workspace <= p.workspace {
			return err
		}
		bound := max(p.workspace, workspace/2)
		if bound < leastWorkspace {
			bound = 0
		}
		if f := sysBound(p.p, bound); f != nil {
			// The plan still has its calls, but not what to run them with.
			sysBound(p.p, p.bound)
			if more := p.d.fail(f); !errors.Is(more, ErrUnsupported) {
				return more
			}
			return fmt.Errorf("call %d has no algorithm with less workspace: %w", f.at, err)
		}
		p.bound = bound
	}
	return nil
}

// leastWorkspace is the least bound that is tried before none, in bytes.
const leastWorkspace = 64 << 10

// grow makes the workspace and the zeros at least so large.
func (p *Plan) grow(workspace, zeros int64) error {
	if workspace > p.workspace {
		at, err := p.d.alloc(workspace, "workspace")
		if err != nil {
			return err
		}
		p.old = append(p.old, p.at)
		p.at, p.workspace = at, workspace
	}
	if zeros > p.zeros {
		at, err := p.d.alloc(zeros, "zeros for a bias")
		if err != nil {
			return err
		}
		if err := p.d.fill(at, 0, zeros); err != nil {
			return errors.Join(err, p.d.free(at))
		}
		p.old = append(p.old, p.zero)
		p.zero, p.zeros = at, zeros
	}
	return nil
}

// check looks at a table of bases.
func (p *Plan) check(bases []Ptr) error {
	if len(bases) < p.bases {
		return fmt.Errorf("a plan with %d bases got %d", p.bases, len(bases))
	}
	for i, b := range bases {
		if b%256 != 0 {
			return fmt.Errorf("base %d at %#x is not a multiple of 256", i, uint64(b))
		}
	}
	return nil
}

// ready makes the plan fit to run with tables of bases.
func (p *Plan) ready(tables ...[]Ptr) error {
	for _, t := range tables {
		if err := p.check(t); err != nil {
			return err
		}
	}
	return p.fit()
}

// Issue puts the plan's calls on the device's stream, without waiting.
func (p *Plan) Issue(bases []Ptr) error {
	return p.do(func() error {
		if err := p.ready(bases); err != nil {
			return err
		}
		return p.d.fail(sysIssue(p.p, bases))
	})
}

// Run issues the plan's calls and waits for them.
func (p *Plan) Run(bases []Ptr) error {
	return p.do(func() error {
		if err := p.ready(bases); err != nil {
			return err
		}
		return p.d.fail(sysRun(p.p, bases))
	})
}

// Profile runs the plan with an event behind each call, and returns the milliseconds
// of each.
func (p *Plan) Profile(bases []Ptr) ([]float32, error) {
	var ms []float32
	err := p.do(func() error {
		if err := p.ready(bases); err != nil {
			return err
		}
		if p.n == 0 {
			return nil
		}
		ms = make([]float32, p.n)
		return p.d.fail(sysProfile(p.p, bases, ms))
	})
	if err != nil {
		return nil, err
	}
	return ms, nil
}

// A Graph is captured work, to be replayed. It needs its plan to stay open.
type Graph struct {
	p *Plan
	g handle // nil: closed
}

// Capture captures one issue of the plan for each table of bases, one behind the
// other.
func (p *Plan) Capture(tables ...[]Ptr) (*Graph, error) {
	g := &Graph{p: p}
	err := p.do(func() error {
		if p.n == 0 || len(tables) == 0 {
			return errors.New("capture of nothing")
		}
		if err := p.ready(tables...); err != nil {
			return err
		}
		var flat []Ptr
		for _, t := range tables {
			flat = append(flat, t[:p.bases]...)
		}
		h, f := sysCapture(p.p, len(tables), p.bases, flat)
		if f != nil {
			return p.d.fail(f)
		}
		g.g = h
		p.graphs[g] = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return g, nil
}

// Replay launches the graph k times and returns the milliseconds from the first
// launch to the end of the last.
func (g *Graph) Replay(k int) (float32, error) {
	var ms float32
	err := g.p.d.Do(func() (err error) {
		if g.g == nil {
			return fmt.Errorf("graph: %w", ErrClosed)
		}
		var f *failure
		ms, f = sysReplay(g.p.d.dev, g.g, k)
		return g.p.d.fail(f)
	})
	return ms, err
}

// Close gives the graph back.
func (g *Graph) Close() error { return g.p.d.on(g.close) }

func (g *Graph) close() error {
	if g.g == nil {
		return nil
	}
	delete(g.p.graphs, g)
	h := g.g
	g.g = nil
	return g.p.d.freed(sysGraphFree(g.p.d.dev, h))
}

// Close gives back the plan, its graphs and its workspace.
func (p *Plan) Close() error { return p.d.on(p.close) }

func (p *Plan) close() error {
	if p.p == nil {
		return nil
	}
	delete(p.d.plans, p)
	var first error
	keep := func(err error) {
		if first == nil {
			first = err
		}
	}
	if p.d.lost == nil {
		keep(p.d.fail(sysSync(p.d.dev)))
	}
	for g := range p.graphs {
		keep(g.close())
	}
	h := p.p
	p.p, p.n = nil, 0
	keep(p.d.freed(sysPlanFree(h)))
	for _, at := range append(p.old, p.at, p.zero) {
		keep(p.d.free(at))
	}
	if p.d.lost != nil {
		return nil
	}
	return first
}
