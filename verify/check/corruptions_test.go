package check

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/taso-go/taso/law"
)

// Corruptions of whole files, for the tests of this folder.

// FileCorruptions names what [CorruptFile] can do to a certificate file.
func FileCorruptions() []string {
	out := make([]string, len(fileCorruptions))
	for i, k := range fileCorruptions {
		out[i] = k.name
	}
	return out
}

// CorruptFile returns a certificate file with one thing altered that is not in
// an entry: the order of entries, their ids, their lists, the axioms, the form.
// It is for testing checkers: whatever it returns must be refused, or an entry
// of it rejected, by a checker that knows the hash of the axioms and whose ids
// are names. An error says that the file cannot be read or that it has nothing
// to alter in this way.
func CorruptFile(rng *rand.Rand, file []byte, kind string) ([]byte, error) {
	r, err := law.NewCertReader(bytes.NewReader(file), "file")
	if err != nil {
		return nil, err
	}
	f := &certFile{rng: rng, axioms: r.Axioms}
	for {
		e, lemma, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if lemma {
			f.lemmas = append(f.lemmas, e)
		} else {
			f.rules = append(f.rules, e)
		}
	}
	for _, k := range fileCorruptions {
		if k.name != kind {
			continue
		}
		if k.entries != nil && !k.entries(f) {
			return nil, fmt.Errorf("%s: nothing to alter", kind)
		}
		out, err := f.write()
		if err == nil && k.text != nil {
			out = k.text(f, out)
		}
		return out, err
	}
	return nil, fmt.Errorf("%q is no way to alter a file", kind)
}

// certFile is a certificate file that has been read.
type certFile struct {
	rng           *rand.Rand
	axioms        string
	lemmas, rules []law.CertRule
}

func (f *certFile) write() ([]byte, error) {
	var b bytes.Buffer
	w := law.NewCertWriter(&b, f.axioms)
	for _, e := range f.lemmas {
		_ = w.Lemma(e)
	}
	for _, e := range f.rules {
		_ = w.Rule(e)
	}
	err := w.Close()
	return b.Bytes(), err
}

// used finds a lemma that a later lemma uses: their places.
func (f *certFile) used() (lemma, by int, ok bool) {
	var pairs [][2]int
	for i, l := range f.lemmas {
		for j := i + 1; j < len(f.lemmas); j++ {
			if slices.ContainsFunc(f.lemmas[j].Proof, func(in law.CertInstance) bool { return in.Law == l.ID }) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	if len(pairs) == 0 {
		return 0, 0, false
	}
	p := pairs[f.rng.IntN(len(pairs))]
	return p[0], p[1], true
}

// answers alters a proof from what operators compute.
func (f *certFile) answers(alter func([]int64) []int64) bool {
	for _, list := range [2][]law.CertRule{f.lemmas, f.rules} {
		for i := range list {
			if p := list[i].Meaning; p != nil && f.rng.IntN(2) == 0 {
				list[i].Meaning = alter(slices.Clone(p))
				return true
			}
		}
	}
	return f.answers(alter)
}

// two are the places of two rules that differ.
func (f *certFile) two() (i, j int, ok bool) {
	if len(f.rules) < 2 {
		return 0, 0, false
	}
	i = f.rng.IntN(len(f.rules) - 1)
	return i, i + 1, f.rules[i].ID != f.rules[i+1].ID
}

// replace alters the first, or some other, occurrence of a text in a file.
func replace(old, by string) func(*certFile, []byte) []byte {
	return func(f *certFile, b []byte) []byte {
		n := bytes.Count(b, []byte(old))
		at := 0
		for range f.rng.IntN(max(n, 1)) {
			at += bytes.Index(b[at:], []byte(old)) + len(old)
		}
		return slices.Concat(b[:at], bytes.Replace(b[at:], []byte(old), []byte(by), 1))
	}
}

var fileCorruptions = []struct {
	name    string
	entries func(*certFile) bool
	text    func(*certFile, []byte) []byte
}{
	{name: "a lemma behind one that uses it", entries: func(f *certFile) bool {
		i, j, ok := f.used()
		if ok {
			l := f.lemmas[i]
			f.lemmas = slices.Insert(slices.Delete(f.lemmas, i, i+1), j, l)
		}
		return ok
	}},
	{name: "a lemma left out", entries: func(f *certFile) bool {
		i, _, ok := f.used()
		if ok {
			f.lemmas = slices.Delete(f.lemmas, i, i+1)
		}
		return ok
	}},
	{name: "a lemma proved by itself", entries: func(f *certFile) bool {
		if len(f.lemmas) == 0 {
			return false
		}
		e := &f.lemmas[f.rng.IntN(len(f.lemmas))]
		l := lawOf(*e)
		*e = law.TextEntry(e.ID, law.Format(l), []law.InstanceText{itself(l)})
		return true
	}},
	{name: "two lemmas proved by each other", entries: func(f *certFile) bool {
		if len(f.lemmas) == 0 {
			return false
		}
		e := f.lemmas[f.rng.IntN(len(f.lemmas))]
		l := lawOf(e)
		twin := *l
		twin.Name = l.Name + "_twin"
		a, b := itself(&twin), itself(l)
		f.lemmas = []law.CertRule{law.TextEntry(e.ID, law.Format(l), []law.InstanceText{a}),
			law.TextEntry(twin.Name, law.Format(&twin), []law.InstanceText{b})}
		return true
	}},
	{name: "a lemma among the rules", entries: func(f *certFile) bool {
		if len(f.lemmas) == 0 {
			return false
		}
		f.rules = append(f.rules, f.lemmas[f.rng.IntN(len(f.lemmas))])
		return true
	}},
	{name: "a rule among the lemmas", entries: func(f *certFile) bool {
		if len(f.rules) == 0 {
			return false
		}
		f.lemmas = append(f.lemmas, f.rules[f.rng.IntN(len(f.rules))])
		return true
	}},
	{name: "a rule twice", entries: func(f *certFile) bool {
		if len(f.rules) == 0 {
			return false
		}
		f.rules = append(f.rules, f.rules[f.rng.IntN(len(f.rules))])
		return true
	}},
	{name: "ids exchanged", entries: func(f *certFile) bool {
		i, j, ok := f.two()
		if ok {
			f.rules[i].ID, f.rules[j].ID = f.rules[j].ID, f.rules[i].ID
		}
		return ok
	}},
	{name: "an id of another rule", entries: func(f *certFile) bool {
		i, j, ok := f.two()
		if ok {
			f.rules[i].ID = f.rules[j].ID
		}
		return ok
	}},
	{name: "a proof by axioms that are not there", entries: func(f *certFile) bool {
		if len(f.rules) == 0 {
			return false
		}
		e := &f.rules[f.rng.IntN(len(f.rules))]
		l := lawOf(*e)
		*e = law.TextEntry(e.ID, law.Format(l), []law.InstanceText{itself(l)})
		return true
	}},
	{name: "an axiom added, with its hash", entries: func(f *certFile) bool {
		f.axioms += "\naxiom added_here\n  given X : [P..], Y : [P..]\n  then  X == Y\n"
		return true
	}},
	{name: "a condition of the axioms left out, with its hash", entries: func(f *certFile) bool {
		lines := strings.Split(f.axioms, "\n")
		i := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "where ") })
		if i < 0 {
			return false
		}
		f.axioms = strings.Join(slices.Delete(lines, i, i+1), "\n")
		return true
	}},
	{name: "axioms of another hash", text: replace(`"axioms":"`, `"axioms":" `)},
	{name: "a field twice", text: replace(`"proof":[`, `"proof":[],"proof":[`)},
	{name: "a field in capitals", text: replace(`"proof":[`, `"Proof":[`)},
	{name: "a field that is not known", text: replace(`"proof":[`, `"trust":"me","proof":[`)},
	{name: "another format", text: replace(law.CertFormat, "taso-cert/3")},
	{name: "the format before", text: replace(law.CertFormat, "taso-cert/1")},
	{name: "numbers that are text", text: replace(`"meaning":[1`, `"meaning":["1"`)},
	{name: "numbers that are null", text: replace(`"meaning":[1`, `"meaning":[null`)},
	{name: "numbers with fractions", text: replace(`"meaning":[1`, `"meaning":[1.0`)},
	{name: "numbers with exponents", text: replace(`"meaning":[1`, `"meaning":[1e0`)},
	{name: "numbers beyond 63 bits", text: replace(`"meaning":[1`, `"meaning":[9223372036854775808`)},
	{name: "numbers within numbers", text: replace(`"meaning":[1`, `"meaning":[[1]`)},
	{name: "no numbers", entries: func(f *certFile) bool { return f.answers(func(p []int64) []int64 { return []int64{} }) }},
	{name: "a number too few", entries: func(f *certFile) bool { return f.answers(func(p []int64) []int64 { return p[:len(p)-1] }) }},
	{name: "a number too many", entries: func(f *certFile) bool { return f.answers(func(p []int64) []int64 { return append(p, 0) }) }},
	{name: "a claim left out", entries: func(f *certFile) bool {
		return f.answers(func(p []int64) []int64 { p[slices.Index(p, 1)] = 0; return p })
	}},
	{name: "instances beside numbers", text: replace(`"meaning":[`, `"proof":[],"meaning":[`)},
	{name: "numbers for instances", text: replace(`"proof":[`, `"meaning":[`)},
	{name: "numbers under another name", text: replace(`"meaning":[`, `"Meaning":[`)},
	{name: "a law that is false, with the numbers of one that is true", entries: func(f *certFile) bool {
		i := slices.IndexFunc(f.rules, func(e law.CertRule) bool { return e.Meaning != nil })
		if i < 0 {
			return false
		}
		e := &f.rules[i]
		old := e.Law
		e.Law = strings.Replace(e.Law, "ewadd", "ewsub", 1)
		for k, n := range e.Nodes {
			e.Nodes[k] = strings.Replace(n, "ewadd", "ewsub", 1)
			if e.Nodes[k] != n {
				return true
			}
		}
		return e.Law != old
	}},
	{name: "nodes left out", text: replace(`"nodes":`, `"node":`)},
	{name: "a node left out", entries: func(f *certFile) bool {
		e := &f.rules[f.rng.IntN(len(f.rules))]
		e.Nodes = e.Nodes[:len(e.Nodes)-1]
		return true
	}},
	{name: "nodes in another order", entries: func(f *certFile) bool {
		e := &f.rules[f.rng.IntN(len(f.rules))]
		slices.Reverse(e.Nodes)
		return true
	}},
	{name: "lists exchanged", text: func(_ *certFile, b []byte) []byte {
		b = bytes.Replace(b, []byte(`"lemmas":[`), []byte(`"rules_":[`), 1)
		b = bytes.Replace(b, []byte(`"rules":[`), []byte(`"lemmas":[`), 1)
		return bytes.Replace(b, []byte(`"rules_":[`), []byte(`"rules":[`), 1)
	}},
	{name: "something behind the end", text: func(_ *certFile, b []byte) []byte { return append(b, "{}"...) }},
	{name: "no end", text: func(_ *certFile, b []byte) []byte { return b[:len(b)-3] }},
}

// lawOf is the law of an entry.
func lawOf(e law.CertRule) *law.Law {
	l, err := e.Statement()
	if err != nil {
		panic(err)
	}
	return l
}

// itself is the instance of a law in which every variable stands for itself.
func itself(l *law.Law) law.InstanceText {
	in := law.InstanceText{Law: l.Name, Tensors: map[string]string{}, Dims: map[string]string{},
		Runs: map[string]string{}, Attrs: map[string]string{}, Fns: map[string]string{}}
	v, err := variables(l)
	if err != nil {
		return in
	}
	for n := range v.tensors {
		in.Tensors[n] = n
	}
	for n := range v.sizes {
		in.Dims[n] = n
	}
	for n := range v.runs {
		in.Runs[n] = "[" + n + "..]"
	}
	for n := range v.attrs {
		in.Attrs[n] = n
	}
	for n := range v.fns {
		in.Fns[n] = n
	}
	return in
}
