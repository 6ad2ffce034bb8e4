package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// Discard removes what is unfinished and keeps what is finished; nothing is begun or
// committed behind it.
func TestDiscard(t *testing.T) {
	defer func() { unfinished.discarded = false }()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "old"), "old", 0o644)
	if err := WriteFile(filepath.Join(dir, "done"), func(w io.Writer) error { _, err := fmt.Fprint(w, "done"); return err }); err != nil {
		t.Fatal(err)
	}
	f, err := Create(filepath.Join(dir, "old"))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(f, "new")
	folder, _, err := Folder(dir, "work")
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(folder, "x"), "x", 0o644)
	Discard()
	if got := names(t, dir); got != "done old" {
		t.Errorf("the folder has %q", got)
	}
	if err := f.Commit(); !errors.Is(err, ErrDone) {
		t.Errorf("committed afterwards: %v", err)
	}
	if got := content(t, filepath.Join(dir, "old")); got != "old" {
		t.Errorf("the file holds %q", got)
	}
	if _, err := Create(filepath.Join(dir, "late")); !errors.Is(err, ErrDone) {
		t.Errorf("a file is begun afterwards: %v", err)
	}
	if _, _, err := Folder(dir, "late"); !errors.Is(err, ErrDone) {
		t.Errorf("a folder is made afterwards: %v", err)
	}
	if got := names(t, dir); got != "done old" {
		t.Errorf("the folder has %q", got)
	}
}

func ExampleFolder() {
	dir, done, err := Folder("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	done()
	_, err = os.Stat(dir)
	fmt.Println(os.IsNotExist(err))
	// Output: true
}
