package bench

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taso-go/taso/internal/atomicfile"
)

// modulePath is that of the module whose checkout holds the records.
const modulePath = "github.com/taso-go/taso"

// Repository is a checkout with its records, and the document that shows them.
type Repository struct {
	Tree     *Tree
	Records  string // folder of the records
	Pictures string // folder of the plots
	Results  string // the document
}

// FindRoot is the folder of the checkout that a folder lies in; the error names
// the folder if it lies in none.
func FindRoot(dir string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := from; ; at = filepath.Dir(at) {
		if t, err := OpenTree(at); err == nil && t.Module == modulePath {
			return at, nil
		}
		if filepath.Dir(at) == at {
			return "", fmt.Errorf("%s is not in a checkout of %s", dir, modulePath)
		}
	}
}

// OpenRepository is the checkout whose go.mod lies in root.
func OpenRepository(root string) (*Repository, error) {
	t, err := OpenTree(root)
	if err != nil {
		return nil, err
	}
	return &Repository{
		Tree:     t,
		Records:  filepath.Join(root, "bench", "records"),
		Pictures: filepath.Join(root, "bench", "pictures"),
		Results:  filepath.Join(root, "RESULTS.md"),
	}, nil
}

// Age says how a record stands to the code that it speaks of.
type Age string

// The ages.
const (
	None  Age = "none"  // there is no record
	Fresh Age = "fresh" // the code is the same
	Older Age = "older" // the code has changed since
	Dated Age = "dated" // of the past, whatever the code is
)

// State is the age of a record, and why.
type State struct {
	Age Age `json:"age"`
	// Changed are the packages of an older record that are not as they were.
	Changed []string `json:"changed,omitempty"`
	// Why is why the record counts as older, in other cases.
	Why string `json:"why,omitempty"`
}

// String is the state in words: "older: egraph, verify".
func (s State) String() string {
	const most = 4
	switch {
	case s.Why != "":
		return string(s.Age) + ": " + s.Why
	case len(s.Changed) > most:
		return fmt.Sprintf("%s: %s and %d more", s.Age, strings.Join(s.Changed[:most], ", "), len(s.Changed)-most)
	case len(s.Changed) > 0:
		return string(s.Age) + ": " + strings.Join(s.Changed, ", ")
	}
	return string(s.Age)
}

// State says whether a benchmark's record, nil if there is none, is older than
// the code.
func (r *Repository) State(b *Benchmark, rec *Record) State {
	switch {
	case rec == nil:
		return State{Age: None}
	case b.Past():
		return State{Age: Dated}
	case rec.Sources == nil:
		return State{Age: Older, Why: "of before digests were kept"}
	}
	now, err := r.Tree.Digests(b.Packages)
	if err != nil {
		return State{Age: Older, Why: err.Error()}
	}
	all := map[string]bool{}
	for p := range now {
		all[p] = true
	}
	for p := range rec.Sources {
		all[p] = true
	}
	s := State{Age: Fresh}
	for _, p := range sortedKeys(all) {
		if now[p] != rec.Sources[p] {
			s.Age, s.Changed = Older, append(s.Changed, p)
		}
	}
	return s
}

// Bodies renders records for the document, by name.
func (r *Repository) Bodies(records map[string]*Record) (map[string]string, error) {
	pictures, err := filepath.Rel(filepath.Dir(r.Results), r.Pictures)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for name, rec := range records {
		if _, err := Find(name); err != nil {
			return nil, fmt.Errorf("record %s: %w", name, err)
		}
		out[name] = rec.Markdown(filepath.ToSlash(pictures))
	}
	return out, nil
}

// Render is the document with the records in it. A section that is empty may be
// without a record, if there is such a benchmark. Sections that hold neither
// nothing, nor what their record says, nor what their record in old says are
// [Edited], unless force is set.
func (r *Repository) Render(records, old map[string]*Record, force bool) (string, error) {
	data, err := os.ReadFile(r.Results)
	if err != nil {
		return "", err
	}
	text := string(data)
	bodies, err := r.Bodies(records)
	if err != nil {
		return "", err
	}
	before, err := r.Bodies(old)
	if err != nil {
		return "", err
	}
	sections, err := Sections(r.Results, text)
	if err != nil {
		return "", err
	}
	for _, s := range sections {
		if _, err := Find(s.Name); err == nil && s.Body == "" && records[s.Name] == nil {
			bodies[s.Name] = ""
		}
	}
	return Fill(r.Results, text, bodies, before, force)
}

// Ready reports what would keep the record of a benchmark out of the document,
// before it is made: no section, sections that were edited, other records' faults.
func (r *Repository) Ready(b *Benchmark) error {
	records, err := LoadAll(r.Records)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(r.Results)
	if err != nil {
		return err
	}
	sections, err := Sections(r.Results, string(text))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(sections, func(s Section) bool { return s.Name == b.Name }) {
		return noSection(r.Results, b.Name)
	}
	_, err = r.Render(records, nil, false)
	return err
}

// Put keeps a record, then puts it into the document and draws its plots. The
// record is kept even if the document cannot take it.
func (r *Repository) Put(rec *Record) error {
	old, err := LoadAll(r.Records)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.Records, 0o755); err != nil {
		return err
	}
	if err := rec.Save(r.Records); err != nil {
		return err
	}
	records := map[string]*Record{rec.Name: rec}
	for name, o := range old {
		if name != rec.Name {
			records[name] = o
		}
	}
	text, err := r.Render(records, old, false)
	if err != nil {
		return fmt.Errorf("the record of %s is kept, its section is not written: %w", rec.Name, err)
	}
	if err := Draw(r.Pictures, rec); err != nil {
		return err
	}
	return WriteText(r.Results, text)
}

// Draw draws the plots of records as files of a folder, each whole or not at all.
func Draw(dir string, records ...*Record) error {
	for _, rec := range records {
		for i, p := range rec.Plots {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
			write := func(w io.Writer) error { return p.SVG(w, false) }
			if err := atomicfile.WriteFile(filepath.Join(dir, rec.Picture(i)), write); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteText replaces a file by a text, if it is not that already.
func WriteText(path, text string) error {
	have, err := os.ReadFile(path)
	switch {
	case err == nil && string(have) == text:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return atomicfile.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
