package onnx

import (
	"strings"
	"testing"
)

// TestOtherFormats: a file of another kind is called what it is; one that is cut, and
// a model whose bytes can be read as text, are not.
func TestOtherFormats(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{"# a model\n\nThis is a description.\n", ": not an ONNX file: it is text"},
		{"<!DOCTYPE html><html>", ": not an ONNX file: it is text"},
		{strings.Repeat("é", 2000), ": not an ONNX file: it is text"},
		{"x" + strings.Repeat("é", 2000), ": not an ONNX file: it is text"},
		{"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "git lfs pull"},
		{"PK\x03\x04\x00\x00", "zip archive"},
		{"\x1f\x8b\x08", "gzip"},
		{"\x89HDF\r\n\x1a\n", "HDF5"},
		{"\x93NUMPY\x01\x00", ".npy"},
		{"\x00\x01\x02", "read model: byte 0: not a model"},
		{"\x08\x08", "no graph"},
	} {
		_, _, err := Read(put(t, []byte(c.raw)), ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want %s", clip(c.raw), err, c.want)
		}
	}
	raw := marshal(t, small())
	if _, _, err := Read(put(t, raw[:len(raw)/2]), ReadOptions{}); err == nil || strings.Contains(err.Error(), "text") {
		t.Errorf("a model that is cut: %v", err)
	}
}
