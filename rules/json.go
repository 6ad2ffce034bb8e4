package rules

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/taso-go/taso/law"
)

// JSONFormat is the value of "format" in the JSON form.
const JSONFormat = "taso-rules/1"

// jsonSet is the JSON form of a set. It holds all that a set holds.
type jsonSet struct {
	Format string      `json:"format"`
	Header Header      `json:"header"`
	Axioms string      `json:"axioms,omitempty"`
	Lemmas []jsonLemma `json:"lemmas,omitempty"`
	Rules  []jsonRule  `json:"rules"`
}

type jsonLemma struct {
	ID      string             `json:"id"`
	Law     string             `json:"law"`
	Proof   []law.InstanceText `json:"proof"`
	Meaning []int64            `json:"meaning,omitempty"`
}

type jsonRule struct {
	ID            string             `json:"id"`
	Law           string             `json:"law"`
	Status        string             `json:"status"`
	Forward       bool               `json:"forward"`
	Backward      bool               `json:"backward"`
	Level         int                `json:"level"`
	Engine        string             `json:"engine,omitempty"`
	Conditional   bool               `json:"conditional,omitempty"`
	Derivable     bool               `json:"derivable,omitempty"`
	DerivableFrom []string           `json:"derivable_from,omitempty"`
	Reason        string             `json:"reason,omitempty"`
	Proof         []law.InstanceText `json:"proof"`
	Meaning       []int64            `json:"meaning,omitempty"` // in its place
}

// WriteJSON writes the set, proofs inside, as one JSON document, a rule a
// line.
func WriteJSON(w io.Writer, s *Set) error {
	var b bytes.Buffer
	put := func(prefix string, v any) error {
		b.WriteString(prefix)
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return fmt.Errorf("write rules as JSON: %w", err)
		}
		b.Truncate(b.Len() - 1)
		return nil
	}
	if err := put(`{"format":`, JSONFormat); err != nil {
		return err
	}
	if err := put(",\n\"header\":", s.Header); err != nil {
		return err
	}
	if s.Axioms != "" {
		if err := put(",\n\"axioms\":", s.Axioms); err != nil {
			return err
		}
	}
	b.WriteString(",\n\"lemmas\":[")
	for i, l := range s.Lemmas {
		if err := put(comma(i), jsonLemma{l.Law.Name, plain(l.Law), l.Proof.Text(), l.Proof.Meaning}); err != nil {
			return err
		}
	}
	b.WriteString("],\n\"rules\":[")
	for i, r := range s.Rules {
		j := jsonRule{ID: r.ID(), Law: plain(r.Law), Status: r.Status.String(), Forward: r.Forward, Backward: r.Backward,
			Level: r.Level, Engine: r.Engine, Conditional: r.Conditional, Derivable: r.Derivable,
			DerivableFrom: r.DerivableFrom, Reason: r.Reason}
		if r.Proof != nil {
			j.Proof, j.Meaning = r.Proof.Text(), r.Proof.Meaning
		}
		if err := put(comma(i), j); err != nil {
			return err
		}
		if b.Len() > 1<<20 {
			if _, err := w.Write(b.Bytes()); err != nil {
				return err
			}
			b.Reset()
		}
	}
	b.WriteString("]}\n")
	_, err := w.Write(b.Bytes())
	return err
}

// plain is the text of a law without its comment, behind the definitions of its operators.
func plain(l *law.Law) string {
	m := *l
	m.Doc, m.Section = "", ""
	return law.Definitions(l) + law.Format(&m)
}

func comma(i int) string {
	if i == 0 {
		return "\n"
	}
	return ",\n"
}

// ReadJSON reads the JSON form; file names it in errors. opts are those of
// Load; opts.Cert has no meaning here.
func ReadJSON(r io.Reader, file string, opts LoadOptions) (*Set, error) {
	dec := json.NewDecoder(r)
	dec.DisallowUnknownFields()
	var j jsonSet
	if err := dec.Decode(&j); err != nil {
		return nil, fmt.Errorf("%s: byte %d: rules as JSON: %w", file, dec.InputOffset(), err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("%s: byte %d: rules as JSON: more after the document", file, dec.InputOffset())
	}
	if j.Format != JSONFormat {
		return nil, fmt.Errorf("%s: rules as JSON: format %q, want %q", file, j.Format, JSONFormat)
	}
	s := &Set{Header: j.Header, Axioms: j.Axioms}
	if s.Axioms == "" && s.Header.AxiomsSHA256 != "" {
		s.Axioms = opts.Axioms
	}
	if h := s.Header.AxiomsSHA256; h != "" && s.Axioms != "" && h != law.HashText(s.Axioms) {
		return nil, fmt.Errorf("%s: rules as JSON: axioms with hash %s, the header names %s", file, law.HashText(s.Axioms), h)
	}
	lib, err := newLibrary(s.Axioms)
	if err != nil {
		return nil, fmt.Errorf("%s: rules as JSON: %w", file, err)
	}
	var errs []error
	fail := func(id string, err error) {
		errs = append(errs, fmt.Errorf("%s: rule %s: %w", file, id, err))
	}
	for i := range j.Lemmas {
		l := &j.Lemmas[i]
		e := law.TextEntry(l.ID, l.Law, l.Proof)
		e.Meaning = l.Meaning
		if err := s.readEntry(&e, true, lib); err != nil {
			fail(l.ID, err)
		}
	}
	seen := map[string]bool{}
	for i := range j.Rules {
		rule, err := j.Rules[i].rule(lib)
		if err != nil {
			fail(j.Rules[i].ID, err)
			continue
		}
		if seen[rule.ID()] {
			fail(rule.ID(), errors.New("stands twice"))
			continue
		}
		seen[rule.ID()] = true
		s.Rules = append(s.Rules, rule)
	}
	for _, rule := range s.Rules {
		for _, id := range rule.DerivableFrom {
			if !seen[id] {
				fail(rule.ID(), fmt.Errorf("derivable from %s, which is not in the file", id))
			}
		}
	}
	if err := s.settle(file, opts.Unproved); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	s.Sort()
	return s, nil
}

func (j *jsonRule) rule(lib library) (*Rule, error) {
	l, err := law.ParseLaw(j.Law)
	if err != nil {
		return nil, fmt.Errorf("law: %w", err)
	}
	r, err := New(l)
	if err != nil {
		return nil, err
	}
	if r.ID() != j.ID {
		return nil, fmt.Errorf("its content is that of %s", r.ID())
	}
	status, err := law.ParseStatus(j.Status)
	if err != nil {
		return nil, err
	}
	if j.Level < 0 {
		return nil, fmt.Errorf("level %d is negative", j.Level)
	}
	r.Status, r.Forward, r.Backward, r.Level, r.Engine = status, j.Forward, j.Backward, j.Level, j.Engine
	r.Conditional, r.Derivable, r.DerivableFrom, r.Reason = j.Conditional, j.Derivable, j.DerivableFrom, j.Reason
	if status != Proved {
		if j.Proof != nil || j.Meaning != nil {
			return nil, fmt.Errorf("called %s, but there is a proof", j.Status)
		}
		return r, nil
	}
	if j.Proof != nil || j.Meaning != nil {
		e := law.TextEntry(j.ID, j.Law, j.Proof)
		e.Meaning = j.Meaning
		if law.Body(l) != law.Body(r.Law) {
			return nil, errors.New("its law is not in canonical form")
		}
		if _, r.Proof, err = e.Decode(lib.find); err != nil {
			return nil, err
		}
	}
	return r, nil
}
