package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// file is a .npy file of version 1.0 with a header as it stands.
func file(header string, data []byte) []byte {
	return slices.Concat([]byte(magic+"\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(header))), []byte(header), data)
}

func dict(descr, fortran, shape string) string {
	return fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }\n", descr, fortran, shape)
}

func load(raw []byte) (*Array, error) { return Read(bytes.NewReader(raw), int64(len(raw))) }

// TestReadNumpy reads files that numpy 2.4 wrote: each version, byte order and
// order of elements. What numpy.save makes of an array in our order is written byte
// by byte.
func TestReadNumpy(t *testing.T) {
	for _, c := range []struct {
		name string
		want Array
		same bool // when it is written
	}{
		{"float32", Array{"float32", []int{2, 3}, floats(0, 1, 2, 3, 4, 5)}, true},
		{"fortran", Array{"float32", []int{2, 3}, floats(0, 1, 2, 3, 4, 5)}, false},
		{"big_endian", Array{"float32", []int{2, 3}, floats(0, 1, 2, 3, 4, 5)}, false},
		{"version2", Array{"float32", []int{2, 3}, floats(0, 1, 2, 3, 4, 5)}, false},
		{"version3", Array{"float32", []int{2, 3}, floats(0, 1, 2, 3, 4, 5)}, false},
		{"scalar_int64", Array{"int64", []int{}, binary.LittleEndian.AppendUint64(nil, math.MaxUint64-6)}, true},
		{"bool", Array{"bool", []int{3}, []byte{1, 0, 1}}, true},
		{"empty_float64", Array{"float64", []int{2, 0}, []byte{}}, true},
		{"float16_3d", Array{"float16", []int{1, 1, 2}, []byte{0, 0x3c, 0, 0xc0}}, true},
	} {
		path := filepath.Join("testdata", c.name+".npy")
		got, err := ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if got.Type != c.want.Type || !slices.Equal(got.Sizes, c.want.Sizes) || !bytes.Equal(got.Data, c.want.Data) {
			t.Errorf("%s: %s %v %v", c.name, got.Type, got.Sizes, got.Data)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := Write(&b, got); err != nil || bytes.Equal(b.Bytes(), raw) != c.same {
			t.Errorf("%s is written as\n%q, %v, was\n%q", c.name, b.Bytes(), err, raw)
		}
	}
}

func floats(xs ...float32) []byte {
	var raw []byte
	for _, x := range xs {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
	}
	return raw
}

// TestReadErrors: a bad file is told in one line.
func TestReadErrors(t *testing.T) {
	good := file(dict("<f4", "False", "(2,)"), make([]byte, 8))
	for _, c := range []struct {
		name string
		raw  []byte
		want string
	}{
		{"empty", nil, "not a .npy file"},
		{"text", []byte("1 2 3\n"), "not a .npy file"},
		{"archive", []byte("PK\x03\x04 and so on"), "not a .npy file"},
		{"cut in the magic", good[:4], "is cut"},
		{"cut in the length", good[:9], "is cut"},
		{"cut in the header", good[:20], "is cut"},
		{"cut in the elements", good[:len(good)-1], "is cut: float32[2] takes 8 bytes, 7 are there"},
		{"more", append(slices.Clone(good), 0), "goes on behind its array: float32[2] takes 8 bytes, 9 are there"},
		{"version", append([]byte(magic+"\x04\x00"), good[8:]...), "version 4.0 of the .npy format is not known"},
		{"a long header", []byte(magic + "\x02\x00\xff\xff\xff\x7f"), "2147483647 bytes, more than"},
		{"no dictionary", file("'descr'", nil), "no dictionary"},
		{"no descr", file("{'fortran_order': False, 'shape': ()}", nil), `"descr" is missing`},
		{"twice", file("{'shape': (), 'shape': ()}", nil), `"shape" stands there twice`},
		{"unknown key", file("{'color': 'red'}", nil), `"color" is not known`},
		{"records", file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", nil), "records"},
		{"text elements", file(dict("<U5", "False", "()"), nil), `type "<U5"`},
		{"objects", file(dict("|O", "False", "()"), nil), `type "|O"`},
		{"complex", file(dict("<c8", "False", "()"), make([]byte, 8)), `type "<c8"`},
		{"no byte order", file(dict("|f4", "False", "()"), make([]byte, 4)), `type "|f4"`},
		{"order", file(dict("<f4", "0", "()"), nil), "neither True nor False"},
		{"negative", file(dict("<f4", "False", "(-1,)"), nil), "no size at"},
		{"fraction", file(dict("<f4", "False", "(1.5,)"), nil), "the sizes are no tuple"},
		{"number", file(dict("<f4", "False", "(2)"), make([]byte, 8)), "the sizes are no tuple"},
		{"huge size", file(dict("<f4", "False", "(99999999999999999999,)"), nil), "no size at"},
		{"huge array", file(dict("<f8", "False", "(4611686018427387904, 4611686018427387904)"), nil), "too large"},
		{"large array", file(dict("<f8", "False", "(1000000000000,)"), nil), "is cut: float64[1000000000000] takes 8000000000000 bytes, 0 are there"},
		{"axes", file(dict("<f4", "False", "("+strings.Repeat("1, ", 65)+")"), nil), "more than 64 axes"},
		{"behind", file(dict("<f4", "False", "()")+"x", make([]byte, 4)), "behind the dictionary"},
		{"truth", file(dict("|b1", "False", "(2,)"), []byte{1, 7}), "element 1 of the .npy file is no truth value: its byte is 7"},
	} {
		_, err := load(c.raw)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := ReadFile(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := ReadFile("testdata/none.npy"); err == nil || err.Error() != "no such file or directory" {
		t.Errorf("no file: %v", err)
	}
}

// TestWriteErrors: what is no array is not written.
func TestWriteErrors(t *testing.T) {
	for _, a := range []Array{
		{"complex64", []int{}, make([]byte, 8)},
		{"float32", []int{2}, make([]byte, 7)},
		{"float32", make([]int, 65), nil},
		{"float64", []int{1 << 62, 1 << 62}, nil},
	} {
		if err := Write(&bytes.Buffer{}, &a); err == nil {
			t.Errorf("%v is written", a)
		}
	}
}

// FuzzRead: no bytes make it panic or take more memory than they are, and what is
// read is written and read again the same.
func FuzzRead(f *testing.F) {
	list, err := filepath.Glob("testdata/*.npy")
	if err != nil || len(list) == 0 {
		f.Fatalf("no files: %v", err)
	}
	for _, path := range list {
		raw, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Add(file(dict(">i2", "True", "(2L, 3L)"), make([]byte, 12)))
	f.Add(file(dict("<f4", "False", "(0, 4611686018427387904, 9)"), nil))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := load(raw)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("more than a line: %q", err)
			}
			return
		}
		if len(a.Data) > len(raw) {
			t.Fatalf("%d bytes of %d", len(a.Data), len(raw))
		}
		var b bytes.Buffer
		if err := Write(&b, a); err != nil {
			t.Fatal(err)
		}
		back, err := load(b.Bytes())
		if err != nil || back.Type != a.Type || !slices.Equal(back.Sizes, a.Sizes) || !bytes.Equal(back.Data, a.Data) {
			t.Fatalf("other numbers: %v", err)
		}
	})
}
