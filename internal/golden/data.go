package golden

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Data reads a file of others that is no part of the project: it lies in
// shared/data beside the repository, or in the folder that the environment
// variable TASO_DATA names. Where it is not, the test is skipped.
func Data(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("TASO_DATA")
	if dir == "" {
		root, err := moduleRoot()
		if err != nil {
			t.Fatal(err)
		}
		dir = filepath.Join(filepath.Dir(root), "shared", "data")
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("%s is not here: it is no part of the project", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// moduleRoot is the folder of go.mod, at or above the working folder.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	for err == nil {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
			continue
		}
		err = errors.New("no go.mod here or above")
	}
	return "", err
}
