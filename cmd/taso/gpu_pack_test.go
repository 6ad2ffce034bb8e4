package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/internal/sweep"
)

// carried bounds what is taken to a machine with a GPU: the tracked files and the pack, in bytes.
const carried = 64 << 20

// TestPack: what scripts/gpu-evidence packs fits, and the program in it runs. In make test
// the program is this test, which is larger than the one that the script builds.
func TestPack(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	pack := filepath.Join(dir, "taso-gpu.tar.gz")
	script := filepath.Join(root, "scripts", "gpu-evidence")
	packs := exec.Command(python, script, "--pack", pack)
	if sweep.Size(0, 1) == 0 {
		packs.Env = append(os.Environ(), "PATH="+standIn(t)+":"+os.Getenv("PATH"))
	}
	if out, err := packs.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	info, err := os.Stat(pack)
	if err != nil {
		t.Fatal(err)
	}
	size := info.Size()
	list, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("not a git checkout: the size of the tracked files is not known")
	}
	for _, f := range strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		if info, err := os.Lstat(filepath.Join(root, f)); err == nil {
			size += info.Size()
		}
	}
	t.Logf("pack %.1f MiB, with the tracked files %.1f of %d MiB", float64(info.Size())/(1<<20), float64(size)/(1<<20), carried>>20)
	if size > carried {
		t.Errorf("the pack and the tracked files are %d bytes, more than %d", size, carried)
	}
	env, err := fake.Environment(fake.Options{Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	run := exec.Command(python, script, "--rehearse", "--only", "^doctor$", pack, filepath.Join(dir, "out"))
	run.Env = append(os.Environ(), env...)
	if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "ok            doctor") {
		t.Errorf("the packed program: %v\n%s", err, out)
	}
}

// standIn is a folder with a program go that builds ./cmd/taso by copying this test, stripped.
func standIn(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	const text = "#!/bin/sh\n[ \"$1 $2 $3 $5\" = \"build -ldflags=-s -w -o ./cmd/taso\" ] && [ -d ./cmd/taso ] && { strip -o \"$4\" '%[1]s' 2>/dev/null || cp '%[1]s' \"$4\"; }\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), fmt.Appendf(nil, text, self), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
