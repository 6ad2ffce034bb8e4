package graph

import (
	"strconv"
	"strings"
	"sync"
)

// AtomKind says what an Atom stands for.
type AtomKind uint8

const (
	// AtomVar is a size variable, an unknown integer of at least 1.
	AtomVar AtomKind = iota
	// AtomAxisRun is the number of axes in an axis run, an unknown integer of at
	// least 0, written #P.
	AtomAxisRun
	// AtomFunc is a function of sizes and attributes that is not a
	// polynomial, such as the output size of a strided convolution.
	AtomFunc
)

// Atom is an indivisible factor of a Dim.
type Atom struct {
	Kind AtomKind
	Name string
	Args []Value // of an AtomFunc
	id   *atomID // of every Atom that this package gives out
}

// atomID is what there is once of each atom. Two atoms are the same if and only
// if their ids are the same pointer.
type atomID struct {
	num  uint64 // tells atoms apart in keys of tables; nothing is ordered by it
	text string // as printed; different atoms may print alike
	key  string // see Dim.Key; breaks ties of text
	dim  Dim    // the atom alone
}

// atomName is what atoms are interned by: args is made of the identities of the
// arguments, with their kinds and sorts, not of their texts.
type atomName struct {
	kind AtomKind
	name string
	args string
}

var atomTable struct {
	sync.RWMutex
	m map[atomName]*atomID
}

// Var is the size variable of that name.
func Var(name string) Dim { return plainAtom(AtomVar, name) }

// AxisRunLen is the number of axes in the axis run of that name.
func AxisRunLen(name string) Dim { return plainAtom(AtomAxisRun, name) }

func plainAtom(kind AtomKind, name string) Dim {
	atomTable.RLock()
	id := atomTable.m[atomName{kind: kind, name: name}]
	atomTable.RUnlock()
	if id != nil {
		return id.dim
	}
	text := name
	if kind == AtomAxisRun {
		text = "#" + name
	}
	a := Atom{Kind: kind, Name: name, id: &atomID{text: text}}
	return a.intern("")
}

// Func is an uninterpreted integer function of its arguments.
func Func(name string, args ...Value) Dim {
	var buf [128]byte
	b := buf[:0]
	for _, v := range args {
		if v.tooLarge() {
			return tooLarge()
		}
		b = v.appendID(b)
	}
	atomTable.RLock()
	id := atomTable.m[atomName{AtomFunc, name, string(b)}]
	atomTable.RUnlock()
	if id != nil {
		return id.dim
	}
	parts := make([]string, len(args))
	for i, v := range args {
		parts[i] = v.String()
	}
	text := name + "(" + strings.Join(parts, ",") + ")"
	if len(text) > maxText {
		return tooLarge() // functions of functions would double it with each
	}
	a := Atom{Kind: AtomFunc, Name: name, Args: append([]Value(nil), args...), id: &atomID{text: text}}
	return a.intern(string(b))
}

// intern enters a new atom; args are the identities of its arguments.
func (a Atom) intern(args string) Dim {
	a.id.key = a.makeKey()
	atomTable.Lock()
	defer atomTable.Unlock()
	name := atomName{a.Kind, a.Name, args}
	if old := atomTable.m[name]; old != nil {
		return old.dim
	}
	if atomTable.m == nil {
		atomTable.m = map[atomName]*atomID{}
	}
	a.id.num = uint64(len(atomTable.m) + 1)
	a.id.dim = Dim{p: internPoly([]monomial{{coef: 1, atoms: []Atom{a}}})}
	atomTable.m[name] = a.id
	return a.id.dim
}

func (a Atom) makeKey() string {
	b := appendString(append([]byte(nil), "vrf"[a.Kind]), a.Name)
	if a.Kind == AtomFunc {
		b = strconv.AppendInt(b, int64(len(a.Args)), 10)
		b = append(b, '(')
		for _, v := range a.Args {
			b = v.appendKey(b)
		}
	}
	return string(b)
}

// appendString writes a text with its length, so that no text can end early.
func appendString(b []byte, s string) []byte {
	b = strconv.AppendInt(b, int64(len(s)), 10)
	b = append(b, ':')
	return append(b, s...)
}

// Dim is the atom as a size.
func (a Atom) Dim() Dim { return a.id.dim }

// Same reports whether two atoms are one: of one kind and name, and with the
// same arguments.
func (a Atom) Same(b Atom) bool { return a.id == b.id }

// compare orders atoms by their text, and where that is the same by what they
// are: the order does not depend on what was interned before.
func (a Atom) compare(b Atom) int {
	if a.id == b.id {
		return 0
	}
	if c := strings.Compare(a.id.text, b.id.text); c != 0 {
		return c
	}
	return strings.Compare(a.id.key, b.id.key)
}

func compareAtoms(a, b []Atom) int {
	for i := range min(len(a), len(b)) {
		if c := a[i].compare(b[i]); c != 0 {
			return c
		}
	}
	return len(a) - len(b)
}

// mergeAtoms is the product of two products.
func mergeAtoms(a, b []Atom) []Atom {
	out := make([]Atom, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0].compare(b[0]) <= 0 {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// withoutAtoms removes each atom of b once from a; false if it is not there.
func withoutAtoms(a, b []Atom) ([]Atom, bool) {
	rest := append([]Atom(nil), a...)
next:
	for _, want := range b {
		for i := range rest {
			if rest[i].Same(want) {
				rest = append(rest[:i], rest[i+1:]...)
				continue next
			}
		}
		return nil, false
	}
	return rest, true
}

func productOf(coef int64, atoms []Atom) Dim {
	m := Int(coef)
	for _, a := range atoms {
		m = m.Mul(a.Dim())
	}
	return m
}
