// Package npy reads and writes tensors in NumPy's file format .npy: what
// numpy.save writes and numpy.load reads, of truth values, integers and
// floating-point numbers of up to eight bytes.
//
// A file is the bytes "\x93NUMPY", a version, the length of a header, the header
// (a Python dictionary with the element type, the order and the sizes, as text)
// and the elements. All three versions of the format, both byte orders and both
// orders of elements are read; what is returned is little-endian and row-major,
// as numpy.save writes on common machines. A file is believed nothing that its
// length does not bear out, and holds exactly what its header says: a file that
// is cut, or that goes on behind the last element, is an error.
//
// The format is that of NEP 1, as in numpy.lib.format.
package npy
