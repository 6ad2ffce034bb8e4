package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// Array is a tensor: its elements are little-endian and row-major.
type Array struct {
	Type  string // as numpy names it: float32, int64, bool …
	Sizes []int  // no sizes are a scalar; a size may be 0
	Data  []byte
}

// kinds are the element types by their letter and bytes in a header.
var kinds = map[string]string{
	"b1": "bool", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64",
	"u1": "uint8", "u2": "uint16", "u4": "uint32", "u8": "uint64",
	"f2": "float16", "f4": "float32", "f8": "float64",
}

const (
	magic = "\x93NUMPY"
	// maxHeader is more than numpy itself believes (10,000 bytes).
	maxHeader = 1 << 16
	// maxRank is that of numpy.
	maxRank = 64
)

// ReadFile reads a file. The error does not name it.
func ReadFile(path string) (*Array, error) {
	// Opening a pipe would wait for somebody to write.
	st, err := os.Stat(path)
	if err == nil && !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if err != nil {
		return nil, cause(err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, cause(err)
	}
	defer f.Close()
	return Read(f, st.Size())
}

// cause is an error of the system without the path.
func cause(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Read reads an array that takes all of the size bytes that r gives.
func Read(r io.Reader, size int64) (*Array, error) {
	a, err := read(r, size)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the .npy file is cut")
	}
	return a, err
}

func read(r io.Reader, size int64) (*Array, error) {
	head := make([]byte, len(magic)+2)
	if n, err := io.ReadFull(r, head); string(head[:min(n, len(magic))]) != magic[:min(n, len(magic))] || n == 0 {
		return nil, errors.New("not a .npy file, which numpy.save writes")
	} else if err != nil {
		return nil, err
	}
	var length int64
	major, minor := head[len(magic)], head[len(magic)+1]
	before := int64(len(head))
	switch major {
	case 1:
		var b [2]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, err
		}
		length, before = int64(binary.LittleEndian.Uint16(b[:])), before+2
	case 2, 3:
		var b [4]byte
		if _, err := io.ReadFull(r, b[:]); err != nil {
			return nil, err
		}
		length, before = int64(binary.LittleEndian.Uint32(b[:])), before+4
	default:
		return nil, fmt.Errorf("version %d.%d of the .npy format is not known", major, minor)
	}
	if length > maxHeader {
		return nil, fmt.Errorf("the header of the .npy file has %d bytes, more than %d", length, maxHeader)
	}
	if length > size-before {
		return nil, io.ErrUnexpectedEOF
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, err
	}
	h, err := parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("the header of the .npy file: %w", err)
	}
	name, bytes, swap, err := elements(h.descr)
	if err != nil {
		return nil, err
	}
	n, err := volume(h.sizes, bytes)
	if err != nil {
		return nil, err
	}
	switch have := size - before - length; {
	case have < n:
		return nil, fmt.Errorf("the .npy file is cut: %s%v takes %d bytes, %d are there", name, h.sizes, n, have)
	case have > n:
		return nil, fmt.Errorf("the .npy file goes on behind its array: %s%v takes %d bytes, %d are there", name, h.sizes, n, have)
	}
	a := &Array{Type: name, Sizes: h.sizes, Data: make([]byte, n)}
	if _, err := io.ReadFull(r, a.Data); err != nil {
		return nil, err
	}
	if swap {
		for at := 0; at < len(a.Data); at += bytes {
			slices.Reverse(a.Data[at : at+bytes])
		}
	}
	if h.fortran {
		a.Data = rowMajor(a.Data, a.Sizes, bytes)
	}
	if name == "bool" {
		for i, b := range a.Data {
			if b > 1 {
				return nil, fmt.Errorf("element %d of the .npy file is no truth value: its byte is %d", i, b)
			}
		}
	}
	return a, nil
}

// elements is what numpy calls a type, its bytes, and whether they are reversed.
func elements(descr string) (name string, bytes int, swap bool, err error) {
	bad := func() (string, int, bool, error) {
		return "", 0, false, fmt.Errorf("elements of type %q in a .npy file are not read, only truth values, integers and floating-point numbers of up to 8 bytes", clip(descr))
	}
	if len(descr) != 3 || !strings.ContainsRune("<>|=", rune(descr[0])) {
		return bad()
	}
	name, ok := kinds[descr[1:]]
	if !ok {
		return bad()
	}
	bytes = int(descr[2] - '0')
	if descr[0] == '|' && bytes > 1 {
		return bad() // no byte order, where it matters
	}
	return name, bytes, descr[0] == '>' && bytes > 1, nil
}

// volume is the bytes of an array.
func volume(sizes []int, bytes int) (int64, error) {
	n := int64(bytes)
	for _, s := range sizes {
		if s == 0 {
			return 0, nil // whatever the others are
		}
	}
	for _, s := range sizes {
		if int64(s) > math.MaxInt64/n {
			return 0, fmt.Errorf("the array of the .npy file is too large: %v", sizes)
		}
		n *= int64(s)
	}
	return n, nil
}

// rowMajor puts elements whose first axis is the fastest in order.
func rowMajor(data []byte, sizes []int, bytes int) []byte {
	out := make([]byte, 0, len(data))
	stride := make([]int, len(sizes))
	for i, s := range sizes {
		if stride[i] = bytes; i > 0 {
			stride[i] = stride[i-1] * sizes[i-1]
		}
		if s == 0 {
			return data
		}
	}
	at, from := make([]int, len(sizes)), 0
	for len(out) < len(data) {
		out = append(out, data[from:from+bytes]...)
		for i := len(sizes) - 1; i >= 0; i-- {
			if at[i], from = at[i]+1, from+stride[i]; at[i] < sizes[i] {
				break
			}
			from -= stride[i] * sizes[i]
			at[i] = 0
		}
	}
	return out
}

// Write writes an array in version 1.0 of the format, byte by byte as numpy.save
// does. It is an error if the data do not fit the type and the sizes.
func Write(w io.Writer, a *Array) error {
	descr := ""
	for k, name := range kinds {
		if name == a.Type {
			descr = "<" + k
			if k[1] == '1' {
				descr = "|" + k
			}
		}
	}
	if descr == "" {
		return fmt.Errorf("write .npy file: elements of type %q", a.Type)
	}
	if len(a.Sizes) > maxRank {
		return fmt.Errorf("write .npy file: %d axes, more than %d", len(a.Sizes), maxRank)
	}
	n, err := volume(a.Sizes, int(descr[2]-'0'))
	if err != nil {
		return err
	}
	if n != int64(len(a.Data)) {
		return fmt.Errorf("write .npy file: %s%v takes %d bytes, not %d", a.Type, a.Sizes, n, len(a.Data))
	}
	var sizes []string
	for _, s := range a.Sizes {
		sizes = append(sizes, fmt.Sprint(s))
	}
	shape := strings.Join(sizes, ", ")
	if len(sizes) == 1 {
		shape += ","
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	if len(a.Sizes) > 0 {
		// numpy leaves room for the first axis to grow to 21 digits.
		text += strings.Repeat(" ", max(0, 21-len(sizes[0])))
	}
	whole := len(magic) + 4 + len(text) + 1
	text += strings.Repeat(" ", (64-whole%64)%64) + "\n"
	head := append([]byte(magic), 1, 0)
	head = binary.LittleEndian.AppendUint16(head, uint16(len(text)))
	if _, err := w.Write(append(head, text...)); err != nil {
		return err
	}
	_, err = w.Write(a.Data)
	return err
}

// clip shortens what comes from a file, for messages.
func clip(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
