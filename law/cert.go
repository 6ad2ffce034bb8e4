package law

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sort"

	"github.com/taso-go/taso/graph"
)

// CertFormat is the value of "format" in a certificate file.
//
// A certificate file is one JSON document whose keys stand in this order:
//
//	{"format": "taso-cert/2",
//	 "axioms_sha256": "<hash of the axioms' text>",
//	 "axioms": "<the text of the axioms the proofs use>",
//	 "lemmas": [<entry>, ...],
//	 "rules": [<entry>, ...]}
//
// An entry is a law with its proof, keys in this order again:
//
//	{"id": "r_1",
//	 "nodes": ["X", "Y", "ewadd(0, 1)", "ewadd(1, 0)"],
//	 "law": "rule r_1 given X : [n], Y : [n] then 2 == 3",
//	 "proof": [{"law": "ewadd_comm", "tensors": {"X": 0, "Y": 1}, "runs": {"P": "[n]"}}]}
//
// The nodes are numbered from 0. A node is a tensor variable of the law, or an
// operator or function of nodes before it, in the law language with numbers for
// arguments; of an operator with several outputs it is one, chosen with .0, .1,
// .... The law's sides are nodes, and so is what stands for the tensor variables
// of an instance; the rest of an instance is in the law language over the
// variables of the entry's law. A file is therefore as long as there are nodes
// and instances, however terms are shared. A writer numbers every node once; a
// reader takes any terms where nodes may stand.
//
// In the place of "proof" there may be "meaning", a proof from what the operators
// compute, without any law: a list of numbers, which package verify/meaning explains.
//
//	{"id": "r_2",
//	 "nodes": ["X", "Y", "ewadd(0, 1)", "ewadd(1, 0)"],
//	 "law": "rule r_2 given X : [n], Y : [n] then 2 == 3",
//	 "meaning": [1, 1, 1, 1, 0, 1, 0]}
//
// A lemma may be used by the lemmas after it and by the rules. With the text of
// the axioms inside, the file stands for itself; "axioms" may be left empty, and
// then the reader must bring a text of that hash. The order of keys lets a reader
// check entry by entry, without holding the file, and take in an entry node by
// node and instance by instance.
const CertFormat = "taso-cert/2"

// certTrees is the format before: entries without nodes, all tensors written
// out as trees. It is still read.
const certTrees = "taso-cert/1"

// CertRule is one entry of a certificate file: a law and the instances from
// which it follows, over numbered nodes; or, if Meaning is not nil, a law and its proof
// from what the operators compute.
type CertRule struct {
	ID      string
	Nodes   []string
	Law     string
	Proof   []CertInstance
	Meaning []int64
}

// CertInstance is an [Instance] in an entry, with the numbers of nodes for
// tensors and everything else in the law language, over the variables of the
// entry's law.
type CertInstance struct {
	Law     string            `json:"law"`
	Tensors map[string]int    `json:"tensors,omitempty"`
	Dims    map[string]string `json:"dims,omitempty"`
	Runs    map[string]string `json:"runs,omitempty"`
	Attrs   map[string]string `json:"attrs,omitempty"`
	Fns     map[string]string `json:"fns,omitempty"`
}

// InstanceText is an [Instance] by itself, with everything written in the law
// language, over the variables of a law.
type InstanceText struct {
	Law     string            `json:"law"`
	Tensors map[string]string `json:"tensors,omitempty"`
	Dims    map[string]string `json:"dims,omitempty"`
	Runs    map[string]string `json:"runs,omitempty"`
	Attrs   map[string]string `json:"attrs,omitempty"`
	Fns     map[string]string `json:"fns,omitempty"`
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for n := range m {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

// HashText is the "axioms_sha256" of a text: SHA-256 in hexadecimal.
func HashText(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// TextEntry is the entry for a law and the instances of its proof written out in
// the law language.
func TextEntry(id, law string, proof []InstanceText) CertRule {
	r := CertRule{ID: id, Law: law, Nodes: []string{}, Proof: make([]CertInstance, len(proof))}
	at := map[string]int{}
	for i, t := range proof {
		in := CertInstance{Law: t.Law, Dims: t.Dims, Runs: t.Runs, Attrs: t.Attrs, Fns: t.Fns}
		for _, name := range sortedNames(t.Tensors) {
			if in.Tensors == nil {
				in.Tensors = map[string]int{}
			}
			if in.Tensors[name] = count(at, t.Tensors[name]); in.Tensors[name] == len(r.Nodes) {
				r.Nodes = append(r.Nodes, t.Tensors[name])
			}
		}
		r.Proof[i] = in
	}
	return r
}

// count is the number of x in a table, which is made if it is new.
func count[K comparable](m map[K]int, x K) int {
	k, ok := m[x]
	if !ok {
		k = len(m)
		m[x] = k
	}
	return k
}

// Instance reads an instance of l over the variables of given.
func (t *InstanceText) Instance(l *Law, given []Declaration) (Instance, error) {
	s := scopeOf(given)
	ts, err := readMap("tensor", t.Tensors, func(_, src string) (*Term, error) { return parsePart(src, s, (*parser).single) })
	if err != nil {
		return Instance{}, err
	}
	return t.read(l, ts, s)
}

// read is the instance with these tensors.
func (t *InstanceText) read(l *Law, tensors map[string]*Term, given scope) (Instance, error) {
	in := Instance{Law: t.Law, Tensors: tensors, Fns: t.Fns}
	var err error
	if in.Dims, err = readMap("size", t.Dims, func(_, s string) (graph.Dim, error) { return parsePart(s, given, (*parser).dim) }); err != nil {
		return in, err
	}
	if in.Runs, err = readMap("run", t.Runs, func(_, s string) (graph.Shape, error) { return parsePart(s, given, (*parser).shape) }); err != nil {
		return in, err
	}
	in.Attrs, err = readMap("attribute", t.Attrs, func(name, s string) (graph.Value, error) {
		b, ok := l.Find(name)
		if !ok || b.Sort == "" {
			return graph.Value{}, fmt.Errorf("law %s has no such attribute", l.Name)
		}
		return parsePart(s, given, func(p *parser) graph.Value { return p.value(b.Sort) })
	})
	return in, err
}

func readMap[T, V any](what string, m map[string]T, read func(name string, x T) (V, error)) (map[string]V, error) {
	if len(m) == 0 {
		return nil, nil
	}
	out := make(map[string]V, len(m))
	for _, n := range sortedNames(m) {
		v, err := read(n, m[n])
		if err != nil {
			return nil, fmt.Errorf("%s %s: %q: %w", what, n, fmt.Sprint(m[n]), err)
		}
		out[n] = v
	}
	return out, nil
}

// Statement reads the entry's law.
func (r *CertRule) Statement() (*Law, error) {
	l, _, err := parseNumbered(r.Law, r.Nodes)
	return l, err
}

// Decode reads the entry's law and its proof; a node is one term wherever its
// number stands. find gives the laws that the instances name.
func (r *CertRule) Decode(find func(name string) (*Law, bool)) (*Law, *Proof, error) {
	l, nodes, err := parseNumbered(r.Law, r.Nodes)
	if err != nil {
		return nil, nil, fmt.Errorf("law: %w", err)
	}
	given := scopeOf(l.Given)
	p := &Proof{Meaning: r.Meaning}
	if p.Meaning != nil && len(r.Proof) > 0 {
		return nil, nil, errors.New("instances of laws beside a proof from what operators compute")
	}
	for i := range r.Proof {
		t := &r.Proof[i]
		ax, ok := find(t.Law)
		if !ok {
			return nil, nil, fmt.Errorf("instance %d: there is no axiom or proved lemma %q", i+1, t.Law)
		}
		tensors, err := readMap("tensor", t.Tensors, func(_ string, k int) (*Term, error) {
			if k < 0 || k >= len(nodes) {
				return nil, fmt.Errorf("there are %d nodes", len(nodes))
			}
			return nodes[k], nil
		})
		var in Instance
		if err == nil {
			rest := InstanceText{Law: t.Law, Dims: t.Dims, Runs: t.Runs, Attrs: t.Attrs, Fns: t.Fns}
			in, err = rest.read(ax, tensors, given)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("instance %d of %s: %w", i+1, t.Law, err)
		}
		p.Instances = append(p.Instances, in)
	}
	return l, p, nil
}
