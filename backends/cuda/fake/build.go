//go:build cgo

package fake

import (
	"crypto/sha256"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

//go:embed src
var sources embed.FS

// common are the sources of the library that the others share.
var common = []string{"grid.c", "fiber.c", "memory.c", "compile.c", "judge.c", "one.c", "core.c", "driver.c", "stream.c", "module.c", "nvrtc.c",
	"operand.c", "product.c", "cublaslt.c", "cudnn.c"}

// cflags are those of every library: theirs are the names that are exported, each
// finds the common library beside itself.
var cflags = []string{"-std=c11", "-O2", "-g1", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror",
	"-Wl,-rpath,$ORIGIN", "-Wl,--no-undefined"}

// commonName is the file of the common library.
const commonName = "libtasofake.so"

// folder builds what is built once a machine: a folder named by the sources, with
// the common library and the kernels compiled so far.
var folder = sync.OnceValues(func() (string, error) {
	key, err := sourceKey()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("taso-cuda-fake-%d-%s", os.Getuid(), key))
	if err := own(dir); err == nil {
		return dir, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	// Others may build the same at this time: the first to rename wins.
	temp, err := os.MkdirTemp(os.TempDir(), "taso-cuda-fake-")
	if err != nil {
		return "", fmt.Errorf("build fake: %w", err)
	}
	defer os.RemoveAll(temp)
	if err := fill(temp); err != nil {
		return "", err
	}
	if err := os.Rename(temp, dir); err != nil && own(dir) != nil {
		return "", fmt.Errorf("build fake: %w", err)
	}
	return dir, nil
})

// own says whether dir is there and this user's, as its libraries get run.
func own(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(s.Uid) != os.Getuid() {
		return fmt.Errorf("build fake: %s is another user's", dir)
	}
	return nil
}

// sourceKey names the sources and the flags by their content.
func sourceKey() (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, cflags, common)
	err := fs.WalkDir(sources, "src", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := sources.ReadFile(p)
		fmt.Fprintln(h, p, len(text))
		h.Write(text)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("build fake: %w", err)
	}
	return fmt.Sprintf("%x", h.Sum(nil)[:8]), nil
}

// fill writes the sources to dir and builds the common library there.
func fill(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, "kernels"), 0o700); err != nil {
		return fmt.Errorf("build fake: %w", err)
	}
	files, err := fs.Sub(sources, "src")
	if err != nil {
		return fmt.Errorf("build fake: %w", err)
	}
	if err := os.CopyFS(dir, files); err != nil {
		return fmt.Errorf("build fake: %w", err)
	}
	if err := gcc(dir, "support.o", "-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-asynchronous-unwind-tables", "-Wall", "-Wextra", "-Werror", "-c", "support.c"); err != nil {
		return err
	}
	return link(dir, commonName, append([]string{"-Wl,-soname," + commonName}, append(common, "-ldl", "-lpthread", "-lm")...)...)
}

// link runs gcc in dir to make the library name.
func link(dir, name string, args ...string) error {
	return gcc(dir, name, slices.Concat(cflags, args)...)
}

// gcc makes the file name in dir.
func gcc(dir, name string, args ...string) error {
	cmd := exec.Command("gcc", append(slices.Clone(args), "-o", name)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build fake %s: %w\n%s", name, err, out)
	}
	return nil
}
