package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/taso-go/taso/internal/atomicfile"
)

// output is a file that a flag names.
type output struct{ flag, path string }

// checkOutputs reports a file that cannot be written before any work is done, one
// that two flags name, and one that is among the inputs. Those with an empty path
// were not asked for.
func checkOutputs(inputs []string, files ...output) error {
	if err := spare(inputs, files...); err != nil {
		return err
	}
	for i, f := range files {
		if f.path == "" {
			continue
		}
		if f.path == "-" {
			return fmt.Errorf("%s -: name a file; the report goes to standard output", f.flag)
		}
		for _, g := range files[:i] {
			if g.path != "" && sameFile(f.path, g.path) {
				return fmt.Errorf("%s %s: another flag writes this file too", f.flag, f.path)
			}
		}
		probe, err := atomicfile.Create(f.path)
		if err != nil {
			var cause *fs.PathError
			if errors.As(err, &cause) { // without the temporary name
				err = cause.Err
			}
			return fmt.Errorf("%s %s: %w", f.flag, f.path, err)
		}
		probe.Abort()
	}
	return nil
}

// spare requires that no input would be replaced, under whatever name.
func spare(inputs []string, files ...output) error {
	for _, f := range files {
		for _, in := range inputs {
			if f.path != "" && in != "" && in != stdin && sameFile(f.path, in) {
				if f.path == in {
					return fmt.Errorf("%s %s: is an input and would be overwritten; choose another name", f.flag, f.path)
				}
				return fmt.Errorf("%s %s: is the input %s and would be overwritten; choose another name", f.flag, f.path, in)
			}
		}
	}
	return nil
}

// sameFile reports whether two paths lead to one file, through links and under
// other names too. A path without a file is compared by its folder and name; what
// is not a regular file, such as /dev/null, holds nothing that could be lost.
func sameFile(a, b string) bool {
	x, errA := os.Stat(a)
	y, errB := os.Stat(b)
	switch {
	case errA == nil && errB == nil:
		return os.SameFile(x, y) && x.Mode().IsRegular()
	case errA == nil || errB == nil:
		return false
	}
	x, errA = os.Stat(filepath.Dir(a))
	y, errB = os.Stat(filepath.Dir(b))
	return filepath.Base(a) == filepath.Base(b) && (errA == nil && errB == nil && os.SameFile(x, y) || filepath.Clean(a) == filepath.Clean(b))
}
