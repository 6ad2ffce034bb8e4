package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/taso-go/taso/internal/atomicfile"
)

// output is a file that a flag names.
type output struct{ flag, path string }

// checkOutputs reports a file that cannot be written before any work is done, and
// one that two flags name. Those with an empty path were not asked for.
func checkOutputs(files ...output) error {
	var seen []string
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if f.path == "-" {
			return fmt.Errorf("%s -: name a file, the standard output holds the report", f.flag)
		}
		if slices.Contains(seen, f.path) {
			return fmt.Errorf("%s %s: another flag writes that file too", f.flag, f.path)
		}
		seen = append(seen, f.path)
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
