//go:build cgo

package fake

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// definition is how the sources define a function that a library exports.
var definition = regexp.MustCompile(`(?m)^API\([^,]+, (\w+), `)

// exports lists the functions of each library.
func exports() (map[string][]string, error) {
	list := map[string][]string{}
	for _, name := range common {
		text, err := sources.ReadFile("src/" + name)
		if err != nil {
			return nil, fmt.Errorf("build fake: %w", err)
		}
		for _, m := range definition.FindAllStringSubmatch(string(text), -1) {
			lib := libraryOf(m[1])
			list[lib] = append(list[lib], m[1])
		}
	}
	return list, nil
}

func libraryOf(function string) string {
	for prefix, lib := range map[string]string{"nvrtc": "NVRTC", "cublasLt": "cuBLASLt", "cudnn": "cuDNN"} {
		if strings.HasPrefix(function, prefix) {
			return lib
		}
	}
	return "driver"
}

// build builds the files of the libraries, once a machine, and returns their folder.
func build(o Options) (string, error) {
	at, err := folder()
	if err != nil {
		return "", err
	}
	functions, err := exports()
	if err != nil {
		return "", err
	}
	known := slices.Concat(functions["driver"], functions["NVRTC"], functions["cuBLASLt"], functions["cuDNN"])
	for _, w := range o.Without {
		if functions[w] == nil && !slices.Contains(known, w) {
			return "", fmt.Errorf("fake: no library has a function %s", w)
		}
	}
	files := o.shells()
	var names []string
	for file := range files {
		names = append(names, file)
	}
	sort.Strings(names)
	key := sha256.Sum256(fmt.Append(nil, names, o.Without))
	dir := filepath.Join(at, fmt.Sprintf("libs-%x", key[:8]))
	if err := own(dir); err == nil {
		return dir, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	temp, err := os.MkdirTemp(at, "new-")
	if err != nil {
		return "", fmt.Errorf("build fake: %w", err)
	}
	defer os.RemoveAll(temp)
	if err := os.Symlink(filepath.Join("..", commonName), filepath.Join(temp, commonName)); err != nil {
		return "", fmt.Errorf("build fake: %w", err)
	}
	for _, file := range names {
		if err := shell(temp, file, functions[files[file]], o.Without); err != nil {
			return "", err
		}
	}
	if err := os.Rename(temp, dir); err != nil && own(dir) != nil { // another may have been first
		return "", fmt.Errorf("build fake: %w", err)
	}
	return dir, nil
}

// shell builds one library, less the functions that it shall not have.
func shell(dir, file string, functions, without []string) error {
	var list strings.Builder
	for _, f := range functions {
		if !slices.Contains(without, f) {
			fmt.Fprintf(&list, "X(%s)\n", f)
		}
	}
	header := file + ".h"
	if err := os.WriteFile(filepath.Join(dir, header), []byte(list.String()), 0o600); err != nil {
		return fmt.Errorf("build fake: %w", err)
	}
	return link(dir, file, "-Wl,-soname,"+file, fmt.Sprintf(`-DEXPORTS="%s"`, header), "-I.", "../shell.c", commonName)
}
