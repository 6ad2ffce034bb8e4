package spill

import (
	"cmp"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"
)

var numbers = Codec[uint32]{
	Size:    4,
	Put:     binary.BigEndian.PutUint32,
	Get:     binary.BigEndian.Uint32,
	Compare: cmp.Compare[uint32],
}

func read(t testing.TB, m *Stream[uint32]) []uint32 {
	t.Helper()
	var out []uint32
	for v, ok := m.Next(); ok; v, ok = m.Next() {
		out = append(out, v)
	}
	if err := m.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// What comes back is what sorting in memory gives, whatever is written on the way.
func TestSorted(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(r *rapid.T) {
		list := rapid.SliceOfN(rapid.Uint32Range(0, rapid.Uint32Range(0, 1<<20).Draw(r, "largest")), 0, 5000).Draw(r, "numbers")
		unique := rapid.Bool().Draw(r, "unique")
		limit := rapid.SampledFrom([]int64{0, 1, 1200, 4000, 1 << 20}).Draw(r, "limit")
		parts := rapid.IntRange(1, 4).Draw(r, "parts")
		f := NewFolder(dir)
		sorters := make([]*Sorter[uint32], parts)
		for i := range sorters {
			sorters[i] = NewSorter(f, numbers, limit, unique)
			defer sorters[i].Close()
		}
		for i, v := range list {
			if err := sorters[i%parts].Add(v); err != nil {
				t.Fatal(err)
			}
		}
		if rapid.Bool().Draw(r, "spill") && limit > 0 {
			for _, s := range sorters {
				if err := s.Spill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		m, err := Merge(rapid.SampledFrom([]int64{0, 1, 1 << 16}).Draw(r, "buffers"), sorters...)
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Sorted(slices.Values(list))
		if unique {
			want = slices.Compact(want)
		}
		if got := read(t, m); !slices.Equal(got, want) {
			r.Errorf("%d numbers come back as %d, want %d", len(list), len(got), len(want))
		}
	})
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("%v left in the folder (%v)", left, err)
	}
}

// A sorter holds no more than it is allowed to, and says what it wrote.
func TestLimit(t *testing.T) {
	f := NewFolder(t.TempDir())
	s := NewSorter(f, numbers, 4000, true)
	defer s.Close()
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100000 {
		if err := s.Add(rng.Uint32()); err != nil {
			t.Fatal(err)
		}
		if len(s.buf) > 1000 {
			t.Fatalf("%d numbers in memory, at most 1000 are allowed", len(s.buf))
		}
	}
	if !s.Spilled() || f.Written() < 390000 || f.Written() > 400000 {
		t.Errorf("%d bytes written, want about 400000", f.Written())
	}
	// What repeats is not written.
	f = NewFolder(t.TempDir())
	s = NewSorter(f, numbers, 4000, true)
	defer s.Close()
	for i := range 100000 {
		if err := s.Add(uint32(i % 300)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Spilled() {
		t.Errorf("300 different numbers were written, of which 1000 fit into memory")
	}
}

func TestTable(t *testing.T) {
	tab, err := NewTable(NewFolder(t.TempDir()), numbers)
	if err != nil {
		t.Fatal(err)
	}
	defer tab.Close()
	const n = 50000
	for i := range n {
		if err := tab.Append(uint32(i) * 7); err != nil {
			t.Fatal(err)
		}
	}
	if err := tab.Flush(); err != nil {
		t.Fatal(err)
	}
	if tab.Len() != n {
		t.Errorf("%d records, want %d", tab.Len(), n)
	}
	for i := 0; i < n; i += 777 {
		if v, err := tab.At(i); err != nil || v != uint32(i)*7 {
			t.Errorf("record %d is %d, %v", i, v, err)
		}
	}
	list := make([]uint32, 100)
	if k, err := tab.Read(n-30, list); k != 30 || err != nil || list[29] != (n-1)*7 {
		t.Errorf("the last 30 records: %d, %v", k, err)
	}
	if _, err := tab.At(n); err == nil {
		t.Errorf("a record behind the last one was read")
	}
}

// full is a disk on which no bytes are free: what the kernel's own gives.
type full struct{ *os.File }

func fullDisk(string) (disk, error) {
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	return full{f}, err
}

// A disk that is full, or a folder that is gone, is one error that names the folder.
func TestBrokenDisk(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	broken := NewFolder(t.TempDir())
	broken.create = fullDisk
	for _, c := range []struct {
		name   string
		folder *Folder
		want   error
	}{
		{"a folder that is not there", NewFolder(gone), fs.ErrNotExist},
		{"a full disk", broken, syscall.ENOSPC},
	} {
		s := NewSorter(c.folder, numbers, 4000, true)
		var err error
		for i := 0; i < 10000 && err == nil; i++ {
			err = s.Add(uint32(i))
		}
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), "temporary file in "+c.folder.Path()) {
			t.Errorf("%s: error %v", c.name, err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		tab, err := NewTable(c.folder, numbers)
		if err == nil {
			for i := 0; i < 100000 && err == nil; i++ {
				err = tab.Append(uint32(i))
			}
			tab.Close()
		}
		if !errors.Is(err, c.want) {
			t.Errorf("%s: a table's error is %v", c.name, err)
		}
	}
}

// A run that cannot be read ends the stream with an error.
func TestUnreadable(t *testing.T) {
	s := NewSorter(NewFolder(t.TempDir()), numbers, 40000, true)
	defer s.Close()
	for i := range 50000 {
		if err := s.Add(uint32(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Spill(); err != nil {
		t.Fatal(err)
	}
	m, err := Merge(1, s)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.file.disk.(*os.File).Truncate(44400); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, ok := m.Next(); ok; _, ok = m.Next() {
		n++
	}
	if m.Err() == nil || n >= 50000 {
		t.Errorf("%d records, error %v", n, m.Err())
	}
	if _, err := Merge(1, s); err == nil {
		t.Errorf("a run that is not there was opened")
	}
}

func BenchmarkSorter(b *testing.B) {
	f := NewFolder(b.TempDir())
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		s := NewSorter(f, numbers, 1<<20, true)
		for range 1 << 20 {
			if err := s.Add(rng.Uint32()); err != nil {
				b.Fatal(err)
			}
		}
		m, err := Merge(0, s)
		if err != nil {
			b.Fatal(err)
		}
		for _, ok := m.Next(); ok; _, ok = m.Next() {
		}
		s.Close()
	}
	b.ReportMetric(float64(b.N)*(1<<20)/b.Elapsed().Seconds(), "records/s")
}
