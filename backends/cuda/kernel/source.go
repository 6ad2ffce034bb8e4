package kernel

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// source is a kernel that is being written.
type source struct {
	b       *binder
	index   ctype // of places: int where all elements can be counted with it
	params  []param
	written bool // a pointer that is read may point at what is written
	helpers []string
	tables  strings.Builder
	body    strings.Builder
	depth   int // of blocks that are open
	names   int
	fault   string
	held    map[lower.ValueID]string // operands of steps, one element each, that were read before
}

type param struct {
	typ   ctype
	ref   Ref
	reads bool
}

// source begins a kernel on values of the plan.
func (b *binder) source(values ...lower.ValueID) *source {
	s := &source{b: b, index: int32s}
	for _, v := range values {
		if v != lower.None && extent(b.value(v)) > maxInt {
			s.index = int64s
		}
	}
	return s
}

// extent is how many elements there are from the first of a value to its last.
func extent(v *lower.Value) int {
	n := 1
	for i, size := range v.Sizes {
		n += (size - 1) * v.Strides[i]
	}
	return max(n, v.Elements())
}

// maxInt is the number of elements up to which 32 bits count places, also where a
// grid has some threads more than there are elements, or indices are a little outside.
const maxInt = 1 << 30

// name is a new name.
func (s *source) name() string {
	s.names++
	return "t" + strconv.Itoa(s.names-1)
}

// line writes a line of the kernel's body.
func (s *source) line(format string, args ...any) {
	s.body.WriteString(strings.Repeat("\t", 1+s.depth))
	fmt.Fprintf(&s.body, format, args...)
	s.body.WriteByte('\n')
}

// open begins a block behind a head, such as that of a loop; closed ends it.
func (s *source) open(format string, args ...any) {
	s.line(format+" {", args...)
	s.depth++
}

func (s *source) closed() {
	s.depth--
	s.line("}")
}

// pointer is the parameter that points at ref; the same one for equal pointers.
func (s *source) pointer(p param) string {
	i := slices.Index(s.params, p)
	if i < 0 {
		i, s.params = len(s.params), append(s.params, p)
	}
	return "p" + strconv.Itoa(i)
}

// reads is a pointer to a value that the kernel reads, and the type of its elements.
func (s *source) reads(v lower.ValueID) (string, ctype, error) {
	t, err := s.typed(v)
	return s.pointer(param{t, Ref{Value: v}, true}), t, err
}

// writes is a pointer to a value that the kernel writes.
func (s *source) writes(v lower.ValueID) (string, ctype, error) {
	t, err := s.typed(v)
	return s.pointer(param{t, Ref{Value: v}, false}), t, err
}

func (s *source) typed(v lower.ValueID) (ctype, error) {
	d := s.b.value(v).DType
	t, ok := ctypes[d]
	if !ok {
		return noCtype, s.b.unsupported("there is no kernel for elements of type %s", d)
	}
	return t, nil
}

// faulty is what is done where an operand's number is none that the operator is defined
// on; message is [Launch.Fault]. Of the threads that find one, the first tells of it.
func (s *source) faulty(message, number string) string {
	s.fault = message
	p := s.pointer(param{int64s, Ref{Value: Fault}, false})
	return fmt.Sprintf("if (atomicExch((unsigned long long *)%s, 1ULL) == 0) %s[1] = %s;", p, p, number)
}

// position writes, by line, that the variable j, an index along an axis of n which counts
// from the end where it is negative, counts from the beginning; it is 0 where it is outside.
func (s *source) position(line func(format string, args ...any), j string, n int) {
	line("if (%s < %d || %s >= %d) { %s %s = 0; }", j, -n, j, n, s.faulty(fmt.Sprintf("index %%d of an axis of %d", n), j), j)
	line("if (%s < 0) %s += %d;", j, j, n)
}

// helper adds a function in front of the kernel, once.
func (s *source) helper(text string) {
	if !slices.Contains(s.helpers, text) {
		s.helpers = append(s.helpers, text)
	}
}

// each begins a kernel with one thread for each of n elements, number i.
func (s *source) each(n int) {
	if n > maxInt {
		s.index = int64s
	}
	s.line("const %s i = (%s)blockIdx.x * %d + threadIdx.x;", s.index, s.index, blockSize)
	s.line("if (i >= %d) return;", n)
}

// blockSize is the number of threads in a block of a kernel in which threads do
// not work together.
const blockSize = 256

// launchEach adds the launch of a kernel that began with each(n).
func (b *binder) launchEach(s *source, n int) {
	b.launch(s, [3]int{(n + blockSize - 1) / blockSize, 1, 1}, [3]int{blockSize, 1, 1})
}

// unravel declares the index, along axes of these sizes, of the element number at,
// and returns it axis by axis. Along an axis of size 1 it is "".
func (s *source) unravel(at string, sizes []int) []string {
	idx := make([]string, len(sizes))
	behind, first := 1, true
	var decl []string
	rest := graph.NumElements(sizes)
	for k := len(sizes) - 1; k >= 0; k-- {
		n := sizes[k]
		if n == 1 {
			continue
		}
		e := at
		if behind > 1 {
			e = fmt.Sprintf("%s / %d", e, behind)
		}
		if behind*n < rest {
			e = fmt.Sprintf("%s %% %d", e, n)
		}
		idx[k] = s.name()
		decl = append(decl, fmt.Sprintf("const %s %s = %s;", s.index, idx[k], e))
		behind, first = behind*n, false
	}
	if first {
		return idx
	}
	for _, d := range decl {
		s.line("%s", d)
	}
	return idx
}

// place is the place of an element by its index along axes with these strides, which may be
// negative; off is that of the first element.
func (s *source) place(idx []string, strides []int, off int) string {
	var parts []string
	if off != 0 {
		parts = append(parts, strconv.Itoa(off))
	}
	for k, at := range idx {
		switch {
		case at == "" || strides[k] == 0:
		case strides[k] == 1:
			parts = append(parts, at)
		default:
			parts = append(parts, fmt.Sprintf("%s * %d", at, strides[k]))
		}
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " + ")
}

// launch is the finished kernel.
func (s *source) launch(grid, block [3]int) *Launch {
	l := &Launch{Grid: grid, Block: block, Fault: s.fault}
	var t strings.Builder
	for _, h := range s.helpers {
		t.WriteString(h)
	}
	t.WriteString(s.tables.String())
	t.WriteString("extern \"C\" __global__ void k(")
	for i, p := range s.params {
		if i > 0 {
			t.WriteString(", ")
		}
		if p.reads {
			t.WriteString("const ")
		}
		t.WriteString(string(p.typ) + " *")
		if !s.written {
			t.WriteString("__restrict__ ")
		}
		t.WriteString("p" + strconv.Itoa(i))
		l.Args = append(l.Args, p.ref)
	}
	t.WriteString(") {\n" + s.body.String() + "}\n")
	l.Source = t.String()
	return l
}
