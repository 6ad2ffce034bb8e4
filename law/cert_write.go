package law

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
)

// NewCertRule is the entry for a law and its proof.
func NewCertRule(id string, l *Law, p *Proof) CertRule {
	r := CertRule{ID: id, Proof: make([]CertInstance, len(p.Instances)), Meaning: p.Meaning}
	var nodes Nodes
	r.Law = Definitions(l) + format(l, nodes.side(l.LHS), nodes.side(l.RHS))
	for i := range p.Instances {
		in := &p.Instances[i]
		for _, name := range sortedNames(in.Tensors) {
			nodes.Of(in.Tensors[name]) // numbers do not depend on the order of maps
		}
		t := in.sizes()
		r.Proof[i] = CertInstance{in.Law, texts(in.Tensors, nodes.Of), t.Dims, t.Runs, t.Attrs, t.Fns}
	}
	r.Nodes = nodes.texts()
	return r
}

// side is one side of a law over the numbers of nodes.
func (n *Nodes) side(ts []*Term) string {
	if len(ts) == 1 {
		return strconv.Itoa(n.Of(ts[0]))
	}
	return n.list(ts)
}

func (n *Nodes) list(ts []*Term) string {
	numbers := make([]string, len(ts))
	for i, t := range ts {
		numbers[i] = strconv.Itoa(n.Of(t))
	}
	return "(" + strings.Join(numbers, ", ") + ")"
}

// texts writes every node over the numbers of its arguments.
func (n *Nodes) texts() []string {
	out := make([]string, len(n.terms))
	for i, t := range n.terms {
		if out[i] = t.Var; t.Var == "" {
			out[i] = t.head() + n.list(t.Args)
		}
		if t.Op != nil && t.Op.Out > 1 {
			out[i] += "." + strconv.Itoa(t.Out)
		}
	}
	return out
}

// Text is the instance written in the law language.
func (in *Instance) Text() InstanceText {
	t := in.sizes()
	t.Tensors = texts(in.Tensors, (*Term).String)
	return t
}

// sizes is the instance without its tensors.
func (in *Instance) sizes() InstanceText {
	return InstanceText{Law: in.Law, Dims: texts(in.Dims, graph.Dim.String), Runs: texts(in.Runs, graph.Shape.String),
		Attrs: texts(in.Attrs, graph.Value.String), Fns: texts(in.Fns, strings.Clone)}
}

func texts[V, T any](m map[string]V, text func(V) T) map[string]T {
	if len(m) == 0 {
		return nil
	}
	out := make(map[string]T, len(m))
	for k, v := range m {
		out[k] = text(v)
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
	if c.n > 0 {
		c.raw(",")
	}
	c.n++
	c.raw("\n{\"id\":")
	c.value(r.ID)
	c.raw(`,"nodes":[`)
	for i := range r.Nodes {
		c.item(i, r.Nodes[i])
	}
	c.raw(`],"law":`)
	c.value(r.Law)
	if r.Meaning != nil {
		c.raw(`,"meaning":`)
		c.value(r.Meaning)
		c.raw("}")
		return c.err
	}
	c.raw(`,"proof":[`)
	for i := range r.Proof {
		c.item(i, &r.Proof[i])
	}
	c.raw("]}")
	return c.err
}

// item writes number i of a list.
func (c *CertWriter) item(i int, v any) {
	if i > 0 {
		c.raw(",")
	}
	c.value(v)
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
