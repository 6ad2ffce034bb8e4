package onnx

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// otherFormat says what a file that is no model is instead, where its beginning tells;
// "" if it does not.
func otherFormat(f io.ReaderAt, size int64) string {
	head := make([]byte, min(size, 1024))
	n, _ := f.ReadAt(head, 0)
	head = head[:n]
	for _, known := range []struct{ start, is string }{
		{"version https://git-lfs", "it is a pointer of Git LFS, and git lfs pull fetches the file"},
		{"PK\x03\x04", "it is a zip archive, as PyTorch and NumPy save"},
		{"\x1f\x8b", "it is compressed by gzip"},
		{"\x89HDF\r\n", "it is an HDF5 file, as Keras saves"},
		{"\x93NUMPY", "it is a .npy file"},
	} {
		if bytes.HasPrefix(head, []byte(known.start)) {
			return known.is
		}
	}
	if len(head) >= 4 && isText(head) {
		return "it is text"
	}
	return ""
}

// isText reports whether the beginning of a file can be read by people.
func isText(head []byte) bool {
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		switch {
		case r == utf8.RuneError && n == 1:
			return len(head) < utf8.UTFMax && !utf8.FullRune(head) // it goes on behind
		case r < ' ' && r != '\n' && r != '\r' && r != '\t' && r != '\f', r == 0x7f:
			return false
		}
		head = head[n:]
	}
	return true
}
