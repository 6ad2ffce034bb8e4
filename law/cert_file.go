package law

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
)

// CertReader reads a certificate file entry by entry.
type CertReader struct {
	// AxiomsSHA256 is the hash of the axioms' text, as the file claims it.
	AxiomsSHA256 string
	// Axioms is the text of the axioms, "" if the file does not carry it.
	Axioms string

	file  string
	lines *lineReader
	dec   *json.Decoder
	trees bool   // the format before
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
		if c.trees = format == certTrees; !c.trees && format != CertFormat {
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
	read := c.entry
	if c.trees {
		read = c.tree
	}
	if r, err = read(); err == nil && (r.ID == "" || r.Law == "") {
		err = errors.New("an entry needs an id and a law")
	}
	if err != nil {
		return r, false, c.fail(fmt.Sprintf("%s, entry %d", c.list, c.n), err)
	}
	return r, c.list == "lemmas", nil
}

// entry reads an entry, node by node and instance by instance.
func (c *CertReader) entry() (r CertRule, err error) {
	for _, read := range []func() error{
		func() error { return c.token(json.Delim('{')) },
		func() error { return c.field("id", &r.ID) },
		func() error {
			return c.items("nodes", func() error { r.Nodes = append(r.Nodes, ""); return c.dec.Decode(&r.Nodes[len(r.Nodes)-1]) })
		},
		func() error { return c.field("law", &r.Law) },
		func() error { return c.proof(&r) },
		func() error { return c.token(json.Delim('}')) },
	} {
		if err := read(); err != nil {
			return r, err
		}
	}
	return r, nil
}

// proof reads the instances of an entry, or the numbers that stand in their place.
func (c *CertReader) proof(r *CertRule) error {
	t, err := c.dec.Token()
	switch {
	case err != nil:
		return err
	case t == "proof":
		return c.each(func() error { r.Proof = append(r.Proof, CertInstance{}); return c.object(&r.Proof[len(r.Proof)-1]) })
	case t == "meaning":
		r.Meaning = []int64{}
		return c.each(func() error {
			var n *int64 // null is no number
			err := c.dec.Decode(&n)
			if err == nil && n == nil {
				err = errors.New("found null, want a number")
			}
			if err == nil {
				r.Meaning = append(r.Meaning, *n)
			}
			return err
		})
	}
	return fmt.Errorf("found %v, want proof or meaning", t)
}

// tree reads an entry of the format before.
func (c *CertReader) tree() (CertRule, error) {
	var t struct {
		ID    string         `json:"id"`
		Law   string         `json:"law"`
		Proof []InstanceText `json:"proof"`
	}
	err := c.object(&t)
	return TextEntry(t.ID, t.Law, t.Proof), err
}

// object reads an object that has the fields of v and no others, each once.
func (c *CertReader) object(v any) error {
	var raw json.RawMessage
	if err := c.dec.Decode(&raw); err != nil {
		return err
	}
	if err := exactKeys(json.NewDecoder(bytes.NewReader(raw)), true); err != nil {
		return err
	}
	strict := json.NewDecoder(bytes.NewReader(raw))
	strict.DisallowUnknownFields()
	return strict.Decode(v)
}

func (c *CertReader) field(name string, v any) error {
	if err := c.token(name); err != nil {
		return err
	}
	return c.dec.Decode(v)
}

// items reads a list, with read for each of its items.
func (c *CertReader) items(name string, read func() error) error {
	if err := c.token(name); err != nil {
		return err
	}
	return c.each(read)
}

// each reads what stands behind the name of a list.
func (c *CertReader) each(read func() error) error {
	if err := c.token(json.Delim('[')); err != nil {
		return err
	}
	for c.dec.More() {
		if err := read(); err != nil {
			return err
		}
	}
	return c.token(json.Delim(']'))
}

func (c *CertReader) token(want json.Token) error {
	t, err := c.dec.Token()
	if err == nil && t != want {
		err = fmt.Errorf("found %v, want %v", t, want)
	}
	return err
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
	if err := c.token(want); err != nil {
		return c.fail("key "+want, err)
	}
	return nil
}

func (c *CertReader) delim(want json.Delim) error {
	if err := c.token(want); err != nil {
		return c.fail(want.String(), err)
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
