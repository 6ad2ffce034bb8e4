package kernel

import (
	"fmt"
	"strings"
)

// line is what a team of threads shares: n elements, one every inner places. Each thread
// takes every size-th element; what they found is put together in an order that the sizes
// decide, the same for all of them.
//
//	warp     32 threads, by shuffles               short lines that lie densely
//	block    256 threads, through shared memory    long lines that lie densely
//	columns  a block is width lines by size threads: neighbours have neighbouring lines
type line struct {
	s               *source
	outer, n, inner int // outer*inner lines
	kind            teamKind
	size, width     int
	held            int    // elements that a thread keeps in registers; 0: they are read again
	end             string // of this thread's elements
}

type teamKind uint8

const (
	warpTeam teamKind = iota
	blockTeam
	columnTeam
)

const (
	warpSize   = 32
	mostHeld   = 32   // registers for elements of a line
	warpLine   = 1024 // up to what length a line is a warp's
	columnSize = 8    // threads to a column
	columnLine = 64   // from what length a column has several threads
)

// lines begins a kernel on lines of n elements; s has only declarations so far. hold says
// that the elements are looked at more than once. The kernel knows each thread's number in
// its team, me, and its line's number and the place of its first element.
func (s *source) lines(outer, n, inner int, hold bool) *line {
	return s.parts(outer, 1, n, n, inner, hold)
}

// parts is the same for lines of whole elements in parts of n, the last of which may
// have fewer: each part is a line.
func (s *source) parts(outer, parts, n, whole, inner int, hold bool) *line {
	l := &line{s: s, outer: outer * parts, n: n, inner: inner, kind: blockTeam, size: blockSize, width: 1, end: fmt.Sprint(n)}
	I := s.index
	group := "number"
	switch {
	case inner > 1:
		l.kind, l.size, l.width, group = columnTeam, 1, blockSize, "group"
		if n >= columnLine {
			l.size, l.width = columnSize, warpSize
		}
		s.line("const int me = threadIdx.y;")
		idx := s.unravel("blockIdx.x", []int{l.outer, ceil(inner, l.width)})
		s.line("const %s group = %s;", I, s.place(idx[:1], []int{1}, 0))
		s.line("const %s q = %s + threadIdx.x;", I, s.place(idx[1:], []int{l.width}, 0))
		s.line("const %s number = group * %d + q;", I, inner)
	case n <= warpLine:
		l.kind, l.size = warpTeam, warpSize
		s.line("const int me = threadIdx.x %% %d;", warpSize)
		s.line("const %s number = (%s)blockIdx.x * %d + threadIdx.x / %d;", I, I, blockSize/warpSize, warpSize)
		if l.outer%(blockSize/warpSize) != 0 {
			s.line("if (number >= %d) return;", l.outer)
		}
	default:
		s.line("const int me = threadIdx.x;")
		s.line("const %s number = blockIdx.x;", I)
	}
	idx := []string{group, ""}
	if parts > 1 {
		idx = s.unravel(group, []int{outer, parts})
		if whole != parts*n {
			l.end = "end"
			s.line("%s end = %s == %d ? %d : %d;", I, idx[1], parts-1, whole-(parts-1)*n, n)
		}
	}
	first := s.place(idx, []int{whole * inner, n * inner}, 0)
	if inner > 1 {
		first += " + q"
		if inner%l.width != 0 {
			if l.end != "end" {
				l.end = "end"
				s.line("%s end = %d;", I, n)
			}
			s.line("if (q >= %d) end = 0;", inner)
		}
	}
	s.line("const %s first = %s;", I, first)
	if h := ceil(n, l.size); hold && h <= mostHeld && l.kind != columnTeam {
		l.held = h
	}
	return l
}

// hold reads the line's elements into registers, if they are held.
func (l *line) hold(from string) {
	s := l.s
	if l.held == 0 {
		return
	}
	s.line("float kept[%d];", l.held)
	s.line("#pragma unroll")
	s.open("for (int j = 0; j < %d; j++)", l.held)
	s.line("const %s c = j * %d + me;", s.index, l.size)
	v := l.read(from, "c")
	if l.n%l.size != 0 {
		v = fmt.Sprintf("c < %d ? %s : 0", l.n, v)
	}
	s.line("kept[j] = %s;", v)
	s.closed()
}

// place is where element c of the line lies, in memory that has all lines.
func (l *line) place(c string) string { return l.s.place([]string{"first", c}, []int{1, l.inner}, 0) }

// read is element c of the line, in memory.
func (l *line) read(from, c string) string {
	return from + "[" + l.place(c) + "]"
}

// each visits this thread's elements: v is one, and c its number in the line. What is
// written to v is there the next time, if the elements are held.
func (l *line) each(from string, do func(v, c string) error) error {
	s := l.s
	if l.held > 0 {
		s.line("#pragma unroll")
		s.open("for (int j = 0; j < %d; j++)", l.held)
		s.line("const %s c = j * %d + me;", s.index, l.size)
		if l.n%l.size != 0 {
			s.line("if (c >= %d) continue;", l.n)
		}
		err := do("kept[j]", "c")
		s.closed()
		return err
	}
	s.open("for (%s c = me; c < %s; c += %d)", s.index, l.end, l.size)
	v := s.name()
	s.line("const float %s = %s;", v, l.read(from, "c"))
	err := do(v, "c")
	s.closed()
	return err
}

// fold is how two numbers become one, and what changes nothing.
type fold struct {
	name, join, none string
}

func (s *source) adding() fold { return fold{"sum", "v + %s", "0"} }

func (s *source) largest() fold {
	s.larger(float)
	return fold{"largest", "nmax(v, %s)", "-" + float.literal(inf)}
}

// together declares name: what the team's threads found, v, put together. All threads
// of a block must come here.
func (l *line) together(f fold, name, v string) {
	s := l.s
	var call string
	switch {
	case l.size == 1:
		call = v
	case l.kind == columnTeam:
		s.helper(fmt.Sprintf(`static __device__ inline float column_%s(float v) {
	__shared__ float part[%d][%d];
	part[threadIdx.y][threadIdx.x] = v;
	__syncthreads();
	v = part[0][threadIdx.x];
	for (int y = 1; y < %d; y++) v = %s;
	__syncthreads();
	return v;
}
`, f.name, l.size, l.width, l.size, fmt.Sprintf(f.join, "part[y][threadIdx.x]")))
		call = fmt.Sprintf("column_%s(%s)", f.name, v)
	default:
		s.helper(fmt.Sprintf(`static __device__ inline float warp_%s(float v) {
	for (int by = %d; by > 0; by /= 2) v = %s;
	return v;
}
`, f.name, warpSize/2, fmt.Sprintf(f.join, "__shfl_xor_sync(0xffffffffu, v, by)")))
		call = fmt.Sprintf("warp_%s(%s)", f.name, v)
		if l.kind == warpTeam {
			break
		}
		s.helper(fmt.Sprintf(`static __device__ inline float block_%s(float v) {
	__shared__ float part[%d];
	v = warp_%s(v);
	if (threadIdx.x %% %d == 0) part[threadIdx.x / %d] = v;
	__syncthreads();
	v = warp_%s(threadIdx.x %% %d < %d ? part[threadIdx.x %% %d] : %s);
	__syncthreads();
	return v;
}
`, f.name, blockSize/warpSize, f.name, warpSize, warpSize, f.name, warpSize, blockSize/warpSize, blockSize/warpSize, f.none))
		call = fmt.Sprintf("block_%s(%s)", f.name, v)
	}
	s.line("const float %s = %s;", name, call)
}

// once begins what one thread of each team does.
func (l *line) once() {
	is := []string{"me == 0"}
	if l.inner%l.width != 0 {
		is = append(is, fmt.Sprintf("q < %d", l.inner))
	}
	l.s.open("if (%s)", strings.Join(is, " && "))
}

// launch adds the launch of the kernel.
func (l *line) launch(b *binder) {
	grid, block := [3]int{l.outer, 1, 1}, [3]int{blockSize, 1, 1}
	switch l.kind {
	case columnTeam:
		grid[0], block = l.outer*ceil(l.inner, l.width), [3]int{l.width, l.size, 1}
	case warpTeam:
		grid[0] = ceil(l.outer, blockSize/warpSize)
	}
	b.launch(l.s, grid, block)
}
