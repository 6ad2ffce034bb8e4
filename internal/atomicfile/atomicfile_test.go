package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// names returns the names in a folder, to see that nothing is left behind.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, e := range entries {
		s = append(s, e.Name())
	}
	return strings.Join(s, " ")
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func put(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.rules")
	big := strings.Repeat("0123456789", 3*bufferSize/10)
	for _, text := range []string{"", "one", big, "short again"} {
		err := WriteFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := content(t, path); got != text {
			t.Errorf("read %d bytes, wrote %d", len(got), len(text))
		}
		if got := names(t, dir); got != "out.rules" {
			t.Errorf("folder holds %q", got)
		}
	}
}

func TestCommitReplacesOnlyAtTheEnd(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	put(t, path, "old", 0o600)
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(bytes.Repeat([]byte("x"), 2*bufferSize)); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); got != "old" {
		t.Errorf("before commit the target holds %d other bytes", len(got))
	}
	if err := f.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := content(t, path); len(got) != 2*bufferSize {
		t.Errorf("after commit the target holds %d bytes", len(got))
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("permissions became %v", info.Mode())
	}
	if err := f.Commit(); !errors.Is(err, ErrDone) {
		t.Errorf("second commit: %v", err)
	}
	if _, err := f.Write([]byte("x")); !errors.Is(err, ErrDone) {
		t.Errorf("write after commit: %v", err)
	}
	f.Abort()
	if got := content(t, path); len(got) != 2*bufferSize {
		t.Errorf("abort after commit changed the file")
	}
}

// TestNewFilePermissions: a new file gets what any newly written file gets, not
// the 0600 of temporary files.
func TestNewFilePermissions(t *testing.T) {
	dir := t.TempDir()
	plain, ours := filepath.Join(dir, "plain"), filepath.Join(dir, "ours")
	put(t, plain, "", 0o666)
	if err := WriteFile(ours, func(io.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	a, err := os.Stat(plain)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.Stat(ours)
	if err != nil {
		t.Fatal(err)
	}
	if a.Mode() != b.Mode() {
		t.Errorf("mode %v, a plain file has %v", b.Mode(), a.Mode())
	}
}

func TestAbort(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write([]byte("half")); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); !strings.HasPrefix(got, ".f.tmp-") {
		t.Errorf("while writing the folder holds %q", got)
	}
	f.Abort()
	f.Abort()
	if got := names(t, dir); got != "" {
		t.Errorf("after abort the folder holds %q", got)
	}
	if err := f.Commit(); !errors.Is(err, ErrDone) {
		t.Errorf("commit after abort: %v", err)
	}
}

// TestFailures makes each step fail in turn, with and without an old file.
func TestFailures(t *testing.T) {
	boom := errors.New("boom")
	fill := func(w io.Writer) error {
		_, err := w.Write(bytes.Repeat([]byte("x"), bufferSize+1))
		return err
	}
	for _, c := range []struct {
		name  string
		sys   func(*system)
		write func(io.Writer) error
	}{
		{"callback", func(*system) {}, func(w io.Writer) error {
			_ = fill(w)
			return boom
		}},
		{"write", func(s *system) {
			s.write = func(f *os.File, p []byte) (int, error) { return 0, boom }
		}, fill},
		{"short write", func(s *system) {
			s.write = func(f *os.File, p []byte) (int, error) {
				n, _ := f.Write(p[:len(p)/2])
				return n, boom
			}
		}, fill},
		{"write error ignored by the callback", func(s *system) {
			s.write = func(f *os.File, p []byte) (int, error) { return 0, boom }
		}, func(w io.Writer) error { _ = fill(w); return nil }},
		{"flush at the end", func(s *system) {
			s.write = func(f *os.File, p []byte) (int, error) { return 0, boom }
		}, func(w io.Writer) error { _, err := w.Write([]byte("few")); return err }},
		{"sync", func(s *system) { s.sync = func(*os.File) error { return boom } }, fill},
		{"close", func(s *system) { s.close = func(f *os.File) error { f.Close(); return boom } }, fill},
		{"rename", func(s *system) { s.rename = func(string, string) error { return boom } }, fill},
	} {
		for _, old := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,old=%v", c.name, old), func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "f")
				want := ""
				if old {
					put(t, path, "old", 0o666)
					want = "f"
				}
				sys := realSystem
				c.sys(&sys)
				if err := writeFile(path, c.write, sys); !errors.Is(err, boom) {
					t.Errorf("error %v, want %v", err, boom)
				}
				if got := names(t, dir); got != want {
					t.Errorf("folder holds %q, want %q", got, want)
				}
				if old && content(t, path) != "old" {
					t.Errorf("old content is gone")
				}
			})
		}
	}
}

func TestPanicLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		_ = WriteFile(filepath.Join(dir, "f"), func(io.Writer) error { panic("boom") })
	}()
	if got := names(t, dir); got != "" {
		t.Errorf("folder holds %q", got)
	}
}

func TestTargets(t *testing.T) {
	hello := func(w io.Writer) error { _, err := io.WriteString(w, "hello"); return err }
	t.Run("missing folder", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "no", "f")
		err := WriteFile(path, hello)
		if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("folder", func(t *testing.T) {
		dir := t.TempDir()
		if err := WriteFile(dir, hello); err == nil || !strings.Contains(err.Error(), "folder") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("long name", func(t *testing.T) {
		dir := t.TempDir()
		name := strings.Repeat("n", 250)
		if err := WriteFile(filepath.Join(dir, name), hello); err != nil {
			t.Fatal(err)
		}
		if got := names(t, dir); got != name {
			t.Errorf("folder holds %q", got)
		}
	})
	t.Run("symbolic link", func(t *testing.T) {
		dir := t.TempDir()
		file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
		put(t, file, "old", 0o666)
		if err := os.Symlink("file", link); err != nil {
			t.Skip("no symbolic links here:", err)
		}
		if err := WriteFile(link, hello); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("the link was replaced: %v %v", info, err)
		}
		if got := content(t, file); got != "hello" {
			t.Errorf("file holds %q", got)
		}
	})
	t.Run("device", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("no /dev/null")
		}
		if err := WriteFile(os.DevNull, hello); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
			t.Errorf("%s became a file: %v %v", os.DevNull, info, err)
		}
	})
}

func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "out.rules")
	err = WriteFile(path, func(w io.Writer) error {
		_, err := fmt.Fprintln(w, "rule …")
		return err
	})
	text, _ := os.ReadFile(path)
	fmt.Printf("%v %s", err, text)
	// Output: <nil> rule …
}

func ExampleCreate() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	f, err := Create(filepath.Join(dir, "out.json"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Abort()
	fmt.Fprintln(f, "{}")
	fmt.Println(f.Commit())
	// Output: <nil>
}
