package machine

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A reader walks a YAML document and collects what is wrong with it, each fault with its
// line. The document is walked as it was parsed instead of being decoded into structs,
// since only so is the line known of what is missing or does not fit.
type reader struct {
	file   string
	faults []fault
}

type fault struct {
	line int
	text string
}

func (r *reader) bad(line int, format string, args ...any) {
	r.faults = append(r.faults, fault{line, fmt.Sprintf(format, args...)})
}

// err is all faults in the order of lines, one error each.
func (r *reader) err() error {
	slices.SortStableFunc(r.faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	var errs []error
	for _, f := range r.faults {
		errs = append(errs, fmt.Errorf("cluster %s:%d: %s", r.file, f.line, f.text))
	}
	return errors.Join(errs...)
}

// fields are those of a mapping.
type fields struct {
	*reader
	what string
	line int
	at   map[string]*yaml.Node
	keys []string // in the order of the file
}

// mapping reads a mapping that may have the given fields, and with none any. What is no
// mapping is a fault, and then there are no fields.
func (r *reader) mapping(n *yaml.Node, what string, known ...string) fields {
	f := fields{reader: r, what: what, line: n.Line, at: map[string]*yaml.Node{}}
	if n.Kind != yaml.MappingNode {
		r.bad(n.Line, "%s is %s, want a mapping with %s", what, kindOf(n), strings.Join(known, ", "))
		return f
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := key.Value
		switch {
		case key.Kind != yaml.ScalarNode:
			r.bad(key.Line, "%s: a key is %s, want a word", what, kindOf(key))
		case len(known) > 0 && !slices.Contains(known, name):
			r.bad(key.Line, "%s has no field %q, only %s", what, name, strings.Join(known, ", "))
		case f.at[name] != nil:
			r.bad(key.Line, "%s: %s is said twice", what, name)
		default:
			f.at[name] = value
			f.keys = append(f.keys, name)
		}
	}
	return f
}

// need is a field that must be there; it is nil, and a fault, if it is not.
func (f fields) need(name string) *yaml.Node {
	n := f.at[name]
	if n == nil {
		f.bad(f.line, "%s: %s is missing", f.what, name)
	}
	return n
}

func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias, which cluster files have not"
	case yaml.ScalarNode:
		if n.Value == "" {
			return "empty"
		}
		return strconv.Quote(n.Value)
	}
	return "nothing"
}

// word reads one word or text; nil gives "".
func (r *reader) word(n *yaml.Node, what string) string {
	switch {
	case n == nil:
		return ""
	case n.Kind != yaml.ScalarNode || strings.TrimSpace(n.Value) == "":
		r.bad(n.Line, "%s is %s, want a word", what, kindOf(n))
		return ""
	}
	return strings.TrimSpace(n.Value)
}

// whole reads a whole number from lo to hi; nil gives lo.
func (r *reader) whole(n *yaml.Node, what string, lo, hi int) int {
	if n == nil {
		return lo
	}
	x, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || x < lo || x > hi {
		r.bad(n.Line, "%s is %s, want a whole number from %d to %d", what, kindOf(n), lo, hi)
		return lo
	}
	return x
}

// list reads a list of words; nil gives none.
func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.bad(n.Line, "%s is %s, want a list", what, kindOf(n))
		return nil
	}
	return n.Content
}

// flag reads yes or no; nil is no.
func (r *reader) flag(n *yaml.Node, what string) bool {
	switch w := r.word(n, what); w {
	case "true", "yes":
		return true
	case "", "false", "no":
		return false
	default:
		r.bad(n.Line, "%s is %q, want true or false", what, w)
		return false
	}
}

// quantity reads a number with a unit, from least on; nil gives 0.
func (r *reader) quantity(n *yaml.Node, what string, u *unit, least int64) int64 {
	w := r.word(n, what)
	if w == "" {
		return 0
	}
	x, err := u.parse(w)
	if err == nil && x < least {
		err = fmt.Errorf("%s %q: want more than 0", u.what, w)
	}
	if err != nil {
		r.bad(n.Line, "%s: %v", what, err)
		return 0
	}
	return x
}
