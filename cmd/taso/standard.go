package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/onnx"
)

// stdinName is how reports and errors name a model from the standard input.
const stdinName = "<stdin>"

// modelFile is the file of a model argument: the argument, or for "-" a temporary file with
// the standard input, which done removes. Weights are read from it when they are needed.
func modelFile(c *cobra.Command, arg string) (path string, done func(), err error) {
	if arg != stdin {
		return arg, func() {}, nil
	}
	folder, done, err := atomicfile.Folder("", "taso")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(folder, stdinName)
	err = atomicfile.WriteFile(path, func(w io.Writer) error {
		_, err := io.Copy(w, c.InOrStdin())
		return err
	})
	if err != nil {
		done()
		return "", nil, fmt.Errorf("read the model from the standard input: %w", err)
	}
	return path, done, nil
}

// inStdin is an error of a model from the standard input.
func inStdin(err error) error {
	var missing *onnx.MissingFile
	if errors.As(err, &missing) {
		return otherFiles(stdinName, missing.Name)
	}
	var e *onnx.Error
	if errors.As(err, &e) {
		e.File = stdinName
	}
	return err
}

// otherFiles is the error of a model from the standard input, or to the standard output,
// whose numbers are in other files, of which it names one.
func otherFiles(which, file string) error {
	return fmt.Errorf("%s: the model has numbers in the file %s next to it; name files for MODEL and --out", which, filepath.Base(file))
}

// writeStdout writes a file that write makes to the standard output, when it is complete.
func writeStdout(c *cobra.Command, write func(path string) error) error {
	folder, done, err := atomicfile.Folder("", "taso")
	if err != nil {
		return err
	}
	defer done()
	path := filepath.Join(folder, "model.onnx")
	if err := write(path); err != nil {
		return err
	}
	if more, err := filepath.Glob(path + "?*"); err != nil {
		return err
	} else if len(more) > 0 {
		return otherFiles("--out -", more[0])
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err = io.Copy(c.OutOrStdout(), f); err != nil {
		err = fmt.Errorf("write the model to the standard output: %w", withoutPath(err))
	}
	return err
}

// withoutPath is the cause of an error about a file.
func withoutPath(err error) error {
	var cause *fs.PathError
	if errors.As(err, &cause) {
		return cause.Err
	}
	return err
}
