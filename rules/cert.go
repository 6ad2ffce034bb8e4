package rules

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/law"
)

// CertPath is where the proofs of a file of rules lie: FILE.cert beside
// FILE.rules.
func CertPath(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + ".cert"
}

// WriteCert writes the proofs of the set's proved rules, with its axioms and
// lemmas, as law.CertFormat describes.
func WriteCert(w io.Writer, s *Set) error {
	c := law.NewCertWriter(w, s.Axioms)
	for _, l := range s.Lemmas {
		if err := c.Lemma(entry(l.Law, l.Proof)); err != nil {
			return err
		}
	}
	for _, r := range s.Rules {
		if r.Proof == nil {
			continue
		}
		if err := c.Rule(entry(r.Law, r.Proof)); err != nil {
			return err
		}
	}
	return c.Close()
}

func entry(l *law.Law, p *law.Proof) law.CertRule {
	m := *l
	m.Doc, m.Section = "", ""
	return law.NewCertRule(l.Name, &m, p)
}

// laws that the instances of proofs may name.
type library map[string]*law.Law

func (lib library) find(name string) (*law.Law, bool) { l, ok := lib[name]; return l, ok }

func newLibrary(axioms string) (library, error) {
	lib := library{}
	if axioms == "" {
		return lib, nil
	}
	laws, err := law.Parse("axioms", []byte(axioms))
	if err != nil {
		return nil, err
	}
	for _, l := range laws {
		// A lemma of the text counts only where a file proves it.
		if l.Kind == law.Axiom {
			lib[l.Name] = l
		}
	}
	return lib, nil
}

// ReadCert reads proofs from a certificate file into the rules of the set.
// axioms is the text to use where the file does not carry it; its hash must be
// that of the file. Entries for rules that the set does not have are left out.
// All faults are reported together. Proofs are read, not checked.
func (s *Set) ReadCert(r io.Reader, file, axioms string) error {
	c, err := law.NewCertReader(r, file)
	if err != nil {
		return err
	}
	text := c.Axioms
	if text == "" && c.AxiomsSHA256 != law.HashText("") {
		text = axioms
		if law.HashText(text) != c.AxiomsSHA256 {
			return fmt.Errorf("%s: certificate: the axioms at hand have hash %s, the file wants %s", file, law.HashText(text), c.AxiomsSHA256)
		}
	}
	if want := s.Header.AxiomsSHA256; want != "" && want != c.AxiomsSHA256 {
		return fmt.Errorf("%s: certificate: axioms with hash %s, the rules were made from %s", file, c.AxiomsSHA256, want)
	}
	lib, err := newLibrary(text)
	if err != nil {
		return fmt.Errorf("%s: certificate: %w", file, err)
	}
	s.Axioms, s.Lemmas = text, nil
	var errs []error
	for {
		e, isLemma, err := c.Next()
		if err == io.EOF {
			return errors.Join(errs...)
		}
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		if err := s.readEntry(&e, isLemma, lib); err != nil {
			errs = append(errs, fmt.Errorf("%s: certificate of %s: %w", c.Place(), e.ID, err))
		}
	}
}

func (s *Set) readEntry(e *law.CertRule, isLemma bool, lib library) error {
	if isLemma {
		l, p, err := e.Decode(lib.find)
		if err != nil {
			return err
		}
		if l.Name != e.ID {
			return fmt.Errorf("its law is called %s", l.Name)
		}
		if _, ok := lib[l.Name]; ok {
			return fmt.Errorf("there is an axiom or lemma of that name already")
		}
		l.Kind = law.Lemma
		lib[l.Name] = l
		s.Lemmas = append(s.Lemmas, &Lemma{l, p})
		return nil
	}
	r, ok := s.Find(e.ID)
	if !ok {
		return nil
	}
	l, p, err := e.Decode(lib.find)
	if err != nil {
		return err
	}
	if law.Body(l) != law.Body(r.Law) {
		return fmt.Errorf("its law is another one than that of the rule")
	}
	if r.Proof != nil {
		return fmt.Errorf("stands twice")
	}
	r.Proof = p
	return nil
}

// LoadOptions say how strict Load is. The zero value is strict and takes the
// axioms from the certificate file.
type LoadOptions struct {
	// Unproved: rules without a certificate are read too, as unknown.
	Unproved bool
	// Axioms is the text to use where the certificate file carries none.
	Axioms string
	// Cert is the certificate file, "" for that beside the rules.
	Cert string
	// Open opens the files, nil: those of the operating system. Its error for a file that does not
	// exist is an os.ErrNotExist.
	Open func(path string) (io.ReadCloser, error)
}

// Load reads a file of rules and the certificates beside it. A file that ends
// in .json is read as JSON. A rule without a certificate is an error unless
// opts.Unproved is set. All faults are reported together, with file, line and
// column.
func Load(path string, opts LoadOptions) (*Set, error) {
	open := opts.Open
	if open == nil {
		open = func(path string) (io.ReadCloser, error) { return os.Open(path) }
	}
	f, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("load rules: %w", err)
	}
	defer f.Close()
	if filepath.Ext(path) == ".json" {
		return ReadJSON(f, path, opts)
	}
	s, err := ReadText(f, path)
	if err != nil {
		return nil, err
	}
	cert := opts.Cert
	if cert == "" {
		cert = CertPath(path)
	}
	var certErr error
	if c, err := open(cert); err == nil {
		certErr = s.ReadCert(c, cert, opts.Axioms)
		c.Close()
	} else if !opts.Unproved || !errors.Is(err, os.ErrNotExist) {
		certErr = fmt.Errorf("load rules %s: certificates: %w", path, err)
	}
	if certErr != nil {
		return nil, certErr
	}
	return s, s.settle(path, opts.Unproved)
}

// settle makes status and proof agree.
func (s *Set) settle(file string, unproved bool) error {
	var errs []error
	for _, r := range s.Rules {
		switch {
		case r.Status == Proved && r.Proof == nil && !unproved,
			r.Status != Proved && r.Proof == nil && !unproved:
			errs = append(errs, fmt.Errorf("%s: rule %s: there is no certificate", file, r.ID()))
		case r.Status == Proved && r.Proof == nil:
			r.Status, r.Reason = Unknown, "no certificate"
		case r.Status != Proved && r.Proof != nil:
			errs = append(errs, fmt.Errorf("%s: rule %s: called %s, but there is a certificate", file, r.ID(), r.Status))
		}
	}
	return errors.Join(errs...)
}

// Save writes path in the text form and its certificates beside it, each
// either complete or not at all, certificates first: rules are never seen
// without them. A path that ends in .json is written as JSON, proofs inside.
func Save(path string, s *Set) error {
	write := WriteText
	if filepath.Ext(path) == ".json" {
		write = WriteJSON
	} else if err := atomicfile.WriteFile(CertPath(path), func(w io.Writer) error { return WriteCert(w, s) }); err != nil {
		return fmt.Errorf("save rules %s: certificates: %w", path, err)
	}
	if err := atomicfile.WriteFile(path, func(w io.Writer) error { return write(w, s) }); err != nil {
		return fmt.Errorf("save rules: %w", err)
	}
	return nil
}
