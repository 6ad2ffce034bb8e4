package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/sets"
	"github.com/taso-go/taso/rules/taso"
)

// stdin and stdout name the standard input and the standard output in arguments.
const stdin, stdout = "-", "-"

// The forms of rule files, named as their extensions.
const (
	formatText = "rules"
	formatJSON = "json"
	formatPB   = "pb"
)

// Forms of other programs, which are written only.
const (
	formatTensat   = "tensat"
	formatMulti    = "tensat-multi"
	formatFlexFlow = "flexflow"
	formatEgglog   = "egglog"
)

// writtenOf is the form to be written that a path's extension names, "" if none.
func writtenOf(path string) string {
	switch strings.TrimPrefix(filepath.Ext(path), ".") {
	case "tensat":
		return formatTensat
	case "egg":
		return formatEgglog
	}
	return formatOf(path)
}

// formatOf is the form that a path's extension names, "" if none.
func formatOf(path string) string {
	switch f := strings.TrimPrefix(filepath.Ext(path), "."); f {
	case formatText, formatJSON, formatPB:
		return f
	}
	return ""
}

// ruleFormat is the form of rules to be read from a path, "" if none is known: that of its extension,
// and text for a shipped set.
func ruleFormat(path string) string {
	if sets.Is(path) {
		return formatText
	}
	return formatOf(path)
}

// loadRules reads a set of rules with its certificates, from files or a shipped set.
func loadRules(path string, unproved bool) (*rules.Set, error) {
	opts := rules.LoadOptions{Unproved: unproved, Axioms: axioms.Text()}
	if sets.Is(path) {
		opts.Open = sets.Open
	}
	return rules.Load(path, opts)
}

// open opens a file, a shipped rule set for "@NAME", or the standard input for "-"; name is for
// messages.
func open(c *cobra.Command, path string) (f io.ReadCloser, name string, err error) {
	if path == stdin {
		return io.NopCloser(c.InOrStdin()), "<stdin>", nil
	}
	f, err = openFile(path)
	return f, path, err
}

// openFile opens a file or a shipped rule set. A folder and an empty file are errors.
func openFile(path string) (io.ReadCloser, error) {
	if sets.Is(path) {
		return sets.Open(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	st, err := file.Stat()
	switch {
	case err != nil:
	case st.IsDir():
		err = fmt.Errorf("%s: is a directory", path)
	case st.Mode().IsRegular() && st.Size() == 0:
		err = fmt.Errorf("%s: the file is empty", path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// source says how a file of rules is read.
type source struct {
	path, format string // format "": by the extension
	unproved     bool
	reading      taso.Reading // of the protocol buffer
}

// loaded is a set with what could not be read into it.
type loaded struct {
	set     *rules.Set
	skipped []string // rules of the protocol buffer without a law, and why
	twice   int      // rules of it that say the same as another
}

// load reads a file of rules of any form.
func (s *source) load(c *cobra.Command) (*loaded, error) {
	format := s.format
	if format == "" {
		format = ruleFormat(s.path)
	}
	opts := rules.LoadOptions{Unproved: s.unproved, Axioms: axioms.Text()}
	switch {
	case format == "" && s.path == stdin:
		return nil, errors.New("<stdin>: unknown format; want --from rules, json or pb")
	case format == "":
		return nil, fmt.Errorf("%s: unknown format; want a name that ends in .rules, .json or .pb, or --from", s.path)
	case format != formatText && format != formatJSON && format != formatPB:
		return nil, unknownValue("--from", format, []string{formatText, formatJSON, formatPB})
	}
	in, name, err := open(c, s.path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	switch format {
	case formatPB:
		if !s.unproved {
			return nil, fmt.Errorf("%s: a .pb file has no certificates; --unproved reads its rules as unknown", name)
		}
		return readPB(in, name, s.reading)
	case formatJSON:
		set, err := rules.ReadJSON(in, name, opts)
		return &loaded{set: set}, err
	}
	if s.path != stdin && ruleFormat(s.path) == formatText {
		set, err := loadRules(s.path, s.unproved)
		return &loaded{set: set}, err
	}
	if !s.unproved {
		return nil, fmt.Errorf("%s: has no certificate file; --unproved reads its rules as unknown", name)
	}
	set, err := rules.ReadText(in, name)
	if err != nil {
		return nil, err
	}
	for _, r := range set.Rules {
		if r.Status == rules.Proved {
			r.Status, r.Reason = rules.Unknown, "no certificate"
		}
	}
	return &loaded{set: set}, nil
}
