package cluster

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fill writes records to a file.
func fill(t testing.TB, path string, records ...string) {
	t.Helper()
	err := save(context.Background(), path, func(add func([]byte) error) error {
		for _, r := range records {
			if err := add([]byte(r)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Records come back as they were, and of a file that is not whole none is believed.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "records")
	long := strings.Repeat("x", 300000)
	fill(t, path, "one", long, "three")
	var got []string
	if err := load(context.Background(), path, func(b []byte) error { got = append(got, string(b)); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 3 || got[0] != "one" || got[1] != long || got[2] != "three" {
		t.Errorf("%d records", len(got))
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	nothing := func([]byte) error { return nil }
	for i := 0; i < len(whole); i += 1 + len(whole)/500 {
		for what, b := range map[string][]byte{
			"cut":     whole[:i],
			"changed": append(append(bytes.Clone(whole[:i]), whole[i]^1), whole[i+1:]...),
			"longer":  append(bytes.Clone(whole), 0),
		} {
			if parse(bytes.NewReader(b), nothing) == nil {
				t.Errorf("a file %s at byte %d is read", what, i)
			}
		}
	}
	boom := errors.New("boom")
	if err := load(context.Background(), path, func([]byte) error { return boom }); !errors.Is(err, boom) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v", err)
	}
	if err := load(context.Background(), path+"2", nothing); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// What fails on the way leaves no file, under its name or another.
func TestAborted(t *testing.T) {
	dir := t.TempDir()
	boom := errors.New("boom")
	err := save(context.Background(), filepath.Join(dir, "records"), func(add func([]byte) error) error {
		if err := add([]byte("one")); err != nil {
			return err
		}
		return boom
	})
	if left, _ := os.ReadDir(dir); !errors.Is(err, boom) || len(left) > 0 {
		t.Errorf("error %v, %v left", err, left)
	}
	fill(t, filepath.Join(dir, "job", "records"), "one")
	if err := removeAll(context.Background(), filepath.Join(dir, "job")); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v left", left)
	}
}

// A file of anyone's is read or refused.
func FuzzParse(f *testing.F) {
	path := filepath.Join(f.TempDir(), "records")
	fill(f, path, "one", "two")
	b, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		n := 0
		if err := parse(bytes.NewReader(b), func(r []byte) error { n += len(r); return nil }); err == nil && n > len(b) {
			t.Errorf("%d bytes of records in %d", n, len(b))
		}
	})
}
