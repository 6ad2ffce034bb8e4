package law

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/taso-go/taso/graph"
)

// CertFormat is the value of "format" in a certificate file.
//
// A certificate file is one JSON document whose keys stand in this order:
//
//	{"format": "taso-cert/1",
//	 "axioms_sha256": "<hash of the axioms' text>",
//	 "axioms": "<the text of the axioms the proofs use>",
//	 "lemmas": [<entry>, ...],
//	 "rules": [<entry>, ...]}
//
// An entry is a law with its proof. A lemma may be used by the lemmas after it
// and by the rules. With the text of the axioms inside, the file stands for
// itself; "axioms" may be left empty, and then the reader must bring a text of
// that hash. The order of keys lets a reader check entry by entry, without
// holding the file.
const CertFormat = "taso-cert/1"

// CertRule is one entry of a certificate file: a law in the law language and
// the instances from which it follows.
type CertRule struct {
	ID    string         `json:"id"`
	Law   string         `json:"law"`
	Proof []InstanceText `json:"proof"`
}

// NewCertRule is the entry for a law and its proof.
func NewCertRule(id string, l *Law, p *Proof) CertRule {
	return CertRule{ID: id, Law: Format(l), Proof: p.Text()}
}

// InstanceText is an [Instance] with everything written in the law language,
// over the variables of the entry's law.
type InstanceText struct {
	Law     string            `json:"law"`
	Tensors map[string]string `json:"tensors,omitempty"`
	Dims    map[string]string `json:"dims,omitempty"`
	Runs    map[string]string `json:"runs,omitempty"`
	Attrs   map[string]string `json:"attrs,omitempty"`
	Fns     map[string]string `json:"fns,omitempty"`
}

// Text is the instance written in the law language.
func (in *Instance) Text() InstanceText {
	return InstanceText{
		Law:     in.Law,
		Tensors: texts(in.Tensors),
		Dims:    texts(in.Dims),
		Runs:    texts(in.Runs),
		Attrs:   texts(in.Attrs),
		Fns:     texts(in.Fns),
	}
}

func texts[T any](m map[string]T) map[string]string {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = fmt.Sprint(v)
	}
	return out
}

// Text is the proof written in the law language, never nil.
func (p *Proof) Text() []InstanceText {
	out := make([]InstanceText, len(p.Instances))
	for i := range p.Instances {
		out[i] = p.Instances[i].Text()
	}
	return out
}

// HashText is the "axioms_sha256" of a text: SHA-256 in hexadecimal.
func HashText(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// CertWriter writes a certificate file entry by entry.
type CertWriter struct {
	w       *bufio.Writer
	err     error
	inRules bool
	n       int // entries of the list being written
}

// NewCertWriter begins a certificate file whose proofs use the axioms of the
// given text.
func NewCertWriter(w io.Writer, axioms string) *CertWriter {
	c := &CertWriter{w: bufio.NewWriter(w)}
	c.raw(`{"format":"` + CertFormat + `",` + "\n")
	c.raw(`"axioms_sha256":"` + HashText(axioms) + `",` + "\n")
	c.raw(`"axioms":`)
	c.value(axioms)
	c.raw(",\n" + `"lemmas":[`)
	return c
}

func (c *CertWriter) raw(s string) {
	if c.err == nil {
		_, c.err = c.w.WriteString(s)
	}
}

func (c *CertWriter) value(v any) {
	if c.err != nil {
		return
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if c.err = enc.Encode(v); c.err == nil {
		_, c.err = c.w.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	}
}

func (c *CertWriter) entry(r CertRule) error {
	if r.Proof == nil {
		r.Proof = []InstanceText{}
	}
	if c.n > 0 {
		c.raw(",")
	}
	c.n++
	c.raw("\n")
	c.value(r)
	return c.err
}

// Lemma writes a proved lemma; all lemmas come before the first rule.
func (c *CertWriter) Lemma(r CertRule) error {
	if c.inRules && c.err == nil {
		c.err = fmt.Errorf("certificate: lemma %s comes after a rule", r.ID)
	}
	return c.entry(r)
}

// Rule writes a proved rule.
func (c *CertWriter) Rule(r CertRule) error {
	c.toRules()
	return c.entry(r)
}

func (c *CertWriter) toRules() {
	if !c.inRules {
		c.inRules, c.n = true, 0
		c.raw("],\n" + `"rules":[`)
	}
}

// Close ends the document; it does not close the underlying writer.
func (c *CertWriter) Close() error {
	c.toRules()
	c.raw("]}\n")
	if c.err == nil {
		c.err = c.w.Flush()
	}
	if c.err != nil {
		return fmt.Errorf("write certificate: %w", c.err)
	}
	return nil
}

// CertReader reads a certificate file entry by entry.
type CertReader struct {
	// AxiomsSHA256 is the hash of the axioms' text, as the file claims it.
	AxiomsSHA256 string
	// Axioms is the text of the axioms, "" if the file does not carry it.
	Axioms string

	file  string
	lines *lineReader
	dec   *json.Decoder
	list  string // the list being read
	n     int    // entries read of it
}

// NewCertReader reads the head of a certificate file; file names it in errors.
// A text of axioms that does not have the hash the file states is an error.
func NewCertReader(r io.Reader, file string) (*CertReader, error) {
	lr := &lineReader{r: r}
	c := &CertReader{file: file, lines: lr, dec: json.NewDecoder(lr)}
	if err := c.delim('{'); err != nil {
		return nil, err
	}
	var format string
	for _, h := range []struct {
		key string
		to  *string
	}{{"format", &format}, {"axioms_sha256", &c.AxiomsSHA256}, {"axioms", &c.Axioms}} {
		if err := c.key(h.key); err != nil {
			return nil, err
		}
		if err := c.dec.Decode(h.to); err != nil {
			return nil, c.fail(h.key, err)
		}
		if h.to == &format && format != CertFormat {
			return nil, c.fail("format", fmt.Errorf("%q, want %q", format, CertFormat))
		}
	}
	if c.Axioms != "" && HashText(c.Axioms) != c.AxiomsSHA256 {
		return nil, c.fail("axioms", fmt.Errorf("the text has hash %s, the file states %q", HashText(c.Axioms), c.AxiomsSHA256))
	}
	return c, c.open("lemmas")
}

// Next is the next entry: first the lemmas (lemma is true), then the rules. It
// returns io.EOF at the end of the document. An error ends the reading.
func (c *CertReader) Next() (r CertRule, lemma bool, err error) {
	for !c.dec.More() {
		if err := c.delim(']'); err != nil {
			return r, false, err
		}
		if c.list == "rules" {
			return r, false, c.end()
		}
		if err := c.open("rules"); err != nil {
			return r, false, err
		}
	}
	c.n++
	what := fmt.Sprintf("%s, entry %d", c.list, c.n)
	var raw json.RawMessage
	if err := c.dec.Decode(&raw); err != nil {
		return r, false, c.fail(what, err)
	}
	if err := exactKeys(json.NewDecoder(bytes.NewReader(raw)), true); err != nil {
		return r, false, c.fail(what, err)
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&r); err != nil {
		return r, false, c.fail(what, err)
	}
	if r.ID == "" || r.Law == "" {
		return r, false, c.fail(what, errors.New("an entry needs an id and a law"))
	}
	return r, c.list == "lemmas", nil
}

// exactKeys requires that no object has a key twice and, of entries and
// instances, that keys are written as the format has them: package json would
// take the last of several, and "Law" for "law", where another reader may not.
// Objects in lists are instances, objects in objects are bindings of any names.
func exactKeys(dec *json.Decoder, fields bool) error {
	t, err := dec.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('{'):
		seen := map[string]bool{}
		for dec.More() {
			t, err := dec.Token()
			if err != nil {
				return err
			}
			key, _ := t.(string)
			if seen[key] || fields && key != strings.ToLower(key) {
				return fmt.Errorf("field %q stands twice, or is not written so", key)
			}
			seen[key] = true
			if err := exactKeys(dec, false); err != nil {
				return err
			}
		}
		_, err = dec.Token()
	case json.Delim('['):
		for dec.More() {
			if err := exactKeys(dec, true); err != nil {
				return err
			}
		}
		_, err = dec.Token()
	}
	return err
}

// Place is the file and line last read, for messages.
func (c *CertReader) Place() string {
	return Pos{File: c.file, Line: c.lines.line(c.dec.InputOffset()), Col: 1}.lineString()
}

func (p Pos) lineString() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

func (c *CertReader) open(list string) error {
	if err := c.key(list); err != nil {
		return err
	}
	c.list, c.n = list, 0
	return c.delim('[')
}

func (c *CertReader) key(want string) error {
	t, err := c.dec.Token()
	if err != nil {
		return c.fail("key "+want, err)
	}
	if t != want {
		return c.fail("key "+want, fmt.Errorf("found %v in its place", t))
	}
	return nil
}

func (c *CertReader) delim(want json.Delim) error {
	t, err := c.dec.Token()
	if err != nil {
		return c.fail(want.String(), err)
	}
	if t != want {
		return c.fail(want.String(), fmt.Errorf("found %v in its place", t))
	}
	return nil
}

func (c *CertReader) end() error {
	if err := c.delim('}'); err != nil {
		return err
	}
	switch t, err := c.dec.Token(); {
	case err == io.EOF:
		return io.EOF
	case err != nil:
		return c.fail("end of file", err)
	default:
		return c.fail("end of file", fmt.Errorf("found %v after the document", t))
	}
}

func (c *CertReader) fail(what string, err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("%s: certificate: %s: %w", c.Place(), what, err)
}

// lineReader remembers where lines begin, so that offsets become line numbers.
type lineReader struct {
	r      io.Reader
	at     int64
	breaks []int64
}

// Read is io.Reader.
func (l *lineReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	for i, b := range p[:n] {
		if b == '\n' {
			l.breaks = append(l.breaks, l.at+int64(i))
		}
	}
	l.at += int64(n)
	return n, err
}

func (l *lineReader) line(offset int64) int {
	return 1 + sort.Search(len(l.breaks), func(i int) bool { return l.breaks[i] >= offset })
}

// Instance reads an instance of l over the variables of given.
func (t *InstanceText) Instance(l *Law, given []Binding) (Instance, error) {
	in := Instance{Law: t.Law, Fns: t.Fns}
	var err error
	if in.Tensors, err = readMap("tensor", t.Tensors, func(_, s string) (*Term, error) { return ParseTerm(s, given) }); err != nil {
		return in, err
	}
	if in.Dims, err = readMap("size", t.Dims, func(_, s string) (graph.Dim, error) { return ParseDim(s, given) }); err != nil {
		return in, err
	}
	if in.Runs, err = readMap("run", t.Runs, func(_, s string) (graph.Shape, error) { return ParseShape(s, given) }); err != nil {
		return in, err
	}
	in.Attrs, err = readMap("attribute", t.Attrs, func(name, s string) (graph.Value, error) {
		b, ok := l.Find(name)
		if !ok || b.Sort == "" {
			return graph.Value{}, fmt.Errorf("law %s has no such attribute", l.Name)
		}
		return ParseValue(s, b.Sort, given)
	})
	return in, err
}

func readMap[T any](what string, m map[string]string, read func(name, s string) (T, error)) (map[string]T, error) {
	if len(m) == 0 {
		return nil, nil
	}
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	out := make(map[string]T, len(m))
	for _, n := range names {
		v, err := read(n, m[n])
		if err != nil {
			return nil, fmt.Errorf("%s %s: %q: %w", what, n, m[n], err)
		}
		out[n] = v
	}
	return out, nil
}

// Decode reads the entry's law and its proof. find gives the laws that the
// instances name.
func (r *CertRule) Decode(find func(name string) (*Law, bool)) (*Law, *Proof, error) {
	l, err := ParseLaw(r.Law)
	if err != nil {
		return nil, nil, fmt.Errorf("law: %w", err)
	}
	p := &Proof{}
	for i := range r.Proof {
		t := &r.Proof[i]
		ax, ok := find(t.Law)
		if !ok {
			return nil, nil, fmt.Errorf("instance %d: there is no axiom or proved lemma %q", i+1, t.Law)
		}
		in, err := t.Instance(ax, l.Given)
		if err != nil {
			return nil, nil, fmt.Errorf("instance %d of %s: %w", i+1, t.Law, err)
		}
		p.Instances = append(p.Instances, in)
	}
	return l, p, nil
}
