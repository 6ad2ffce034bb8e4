package fetch

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A folder of a wheel is unpacked once, and only that; what is wrong is said.
func TestPyPI(t *testing.T) {
	ctx := context.Background()
	wheel := filepath.Join(t.TempDir(), "w")
	f, err := os.Create(wheel)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for _, name := range []string{"p/data/a/x", "p/data/b", "p/code.py", "bad/../../x"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	cache := alone(t, map[string]string{"python3": fmt.Sprintf("echo run >>%s; cp %s p.whl", log, wheel)})
	if _, err := PyPI(ctx, "p", "1.0", "p/data", false); !errors.Is(err, ErrOffline) {
		t.Errorf("got %v", err)
	}
	for range 2 {
		dir, err := PyPI(ctx, "p", "1.0", "p/data", true)
		if err != nil || dir != filepath.Join(cache, "pypi", "p-1.0", "p", "data") {
			t.Fatalf("%s, %v", dir, err)
		}
		if raw, err := os.ReadFile(filepath.Join(dir, "a", "x")); err != nil || string(raw) != "p/data/a/x" {
			t.Errorf("%q, %v", raw, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "..", "code.py")); err == nil {
			t.Error("more than the folder is unpacked")
		}
	}
	if runs, err := os.ReadFile(log); err != nil || string(runs) != "run\n" {
		t.Errorf("pip ran: %q, %v", runs, err)
	}
	for folder, want := range map[string]string{"p/none": "it has no folder p/none", "bad": "outside of the archive"} {
		if _, err := PyPI(ctx, "q", "1", folder, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", folder, err)
		}
	}
	for script, want := range map[string]string{"exit 0": "left 0 files", "echo no network >&2; exit 1": "no network", "echo x >p.whl": "not a valid zip"} {
		alone(t, map[string]string{"python3": script})
		if _, err := PyPI(ctx, "p", "1", "f", true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", script, err)
		}
	}
}
