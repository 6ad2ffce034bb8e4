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

// Repository is a checkout with its records, and the documents that show them.
type Repository struct {
	Tree     *Tree
	Records  string // folder of the records
	Pictures string // folder of the plots
	Results  string // RESULTS.md: the summary
	History  string // HISTORY.md: tables of the past, if there are any
	Topics   string // folder of the documents with whole tables, one for each topic
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
		History:  filepath.Join(root, "HISTORY.md"),
		Topics:   filepath.Join(root, "results"),
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

// String is the state in words: "stale: egraph, verify".
func (s State) String() string {
	const most = 4
	mark := s.Mark()
	switch {
	case s.Why != "":
		return mark + ": " + s.Why
	case len(s.Changed) > most:
		return fmt.Sprintf("%s: %s and %d more", mark, strings.Join(s.Changed[:most], ", "), len(s.Changed)-most)
	case len(s.Changed) > 0:
		return mark + ": " + strings.Join(s.Changed, ", ")
	}
	return mark
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
		return State{Age: Older, Why: "recorded before source hashes"}
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

// Documents are the files with sections that exist: RESULTS.md, HISTORY.md, and those of
// the folder results, sorted.
func (r *Repository) Documents() ([]string, error) {
	out := []string{r.Results}
	if _, err := os.Stat(r.History); err == nil {
		out = append(out, r.History)
	}
	topics, err := filepath.Glob(filepath.Join(r.Topics, "*.md"))
	return append(out, topics...), err
}

// docFile is a document with its sections.
type docFile struct {
	path, text string
	sections   []Section
}

func (d docFile) has(section string) bool {
	return slices.ContainsFunc(d.sections, func(s Section) bool { return s.Name == section })
}

// documents reads all documents. A section in two of them is an error.
func (r *Repository) documents() ([]docFile, error) {
	paths, err := r.Documents()
	if err != nil {
		return nil, err
	}
	var out []docFile
	first := map[string]string{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		d := docFile{path: path, text: string(data)}
		if d.sections, err = Sections(path, d.text); err != nil {
			return nil, err
		}
		for _, s := range d.sections {
			if other := first[s.Name]; other != "" {
				return nil, fmt.Errorf("%s:%d: section %q is also in %s", path, s.Line, s.Name, other)
			}
			first[s.Name] = path
		}
		out = append(out, d)
	}
	return out, nil
}

// bodies renders the sections of a document, by name. Those of benchmarks without a record
// are empty; names of no benchmark are left out.
func (r *Repository) bodies(d docFile, records map[string]*Record) (map[string]string, error) {
	pictures, err := filepath.Rel(filepath.Dir(d.path), r.Pictures)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, s := range d.sections {
		rec := records[s.Name]
		switch {
		case s.Name == summary:
			if out[summary], err = summaryOf(records, r.State, filepath.ToSlash(pictures)); err != nil {
				return nil, fmt.Errorf("%s: %w", d.path, err)
			}
		case rec != nil:
			out[s.Name] = rec.Markdown(filepath.ToSlash(pictures))
		case s.Body == "" && registry[s.Name] != nil:
			out[s.Name] = ""
		}
	}
	return out, nil
}

// Render returns the documents with the records in them, by path. A section that is empty
// may be without a record, if there is such a benchmark. Sections that hold neither
// nothing, nor what their record says, nor what their record in old says are [Edited],
// unless force is set. The marks of the summary follow the code and are never an edit.
func (r *Repository) Render(records, old map[string]*Record, force bool) (map[string]string, error) {
	documents, err := r.documents()
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range sortedKeys(records) {
		if _, err := Find(name); err != nil {
			return nil, fmt.Errorf("record %s: %w", name, err)
		}
		if !slices.ContainsFunc(documents, func(d docFile) bool { return d.has(name) }) {
			errs = append(errs, noSection(r.Results, name))
		}
	}
	out := map[string]string{}
	for _, d := range documents {
		bodies, err := r.bodies(d, records)
		if err != nil {
			return nil, err
		}
		before, err := r.bodies(d, old)
		if err != nil {
			return nil, err
		}
		for _, s := range d.sections {
			if have := unmarked(s.Body); s.Name == summary && (have == unmarked(strings.Trim(bodies[summary], "\n")) || have == unmarked(strings.Trim(before[summary], "\n"))) {
				before[summary] = s.Body
			}
		}
		text, err := Fill(d.path, d.text, bodies, before, force)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out[d.path] = text
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return out, nil
}

// Ready reports what would keep the record of a benchmark out of the documents, before it
// is made: no section, sections that were edited, other records' faults.
func (r *Repository) Ready(b *Benchmark) error {
	records, err := LoadAll(r.Records)
	if err != nil {
		return err
	}
	documents, err := r.documents()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(documents, func(d docFile) bool { return d.has(b.Name) }) {
		return noSection(r.Results, b.Name)
	}
	_, err = r.Render(records, nil, false)
	return err
}

// Put keeps a record, then puts it into the documents and draws its plots. The record is
// kept even if the documents cannot take it.
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
	texts, err := r.Render(records, old, false)
	if err != nil {
		return fmt.Errorf("the record of %s is kept, its section is not written: %w", rec.Name, err)
	}
	if err := Draw(r.Pictures, rec); err != nil {
		return err
	}
	for _, path := range sortedKeys(texts) {
		if err := WriteText(path, texts[path]); err != nil {
			return err
		}
	}
	return nil
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
