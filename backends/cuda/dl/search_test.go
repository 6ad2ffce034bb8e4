package dl

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestEnvironmentOnPath: the packages of an environment are found whose python3 is the first on
// PATH, without being activated; those of an interpreter that is no environment are not asked for.
func TestEnvironmentOnPath(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"env/bin/python3", "env/pyvenv.cfg", "env/lib/python3.12/site-packages/nvidia/cu13/lib/libnvrtc.so.13", "plain/bin/python3"} {
		path := filepath.Join(root, f)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	found := filepath.Join(root, "env/lib/python3.12/site-packages/nvidia/cu13/lib")
	for path, want := range map[string]bool{
		"/none:relative:/env/bin:/plain/bin": true,
		"/plain/bin:/env/bin":                false,
		"":                                   false,
	} {
		s := search{root: root, getenv: func(name string) string {
			if name == "PATH" {
				return path
			}
			return ""
		}}
		dirs, _, _ := s.folders()
		if got := slices.Contains(dirs, found); got != want {
			t.Errorf("PATH %q: folders %v", path, dirs)
		}
	}
}
