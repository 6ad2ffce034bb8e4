package rules

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"

	"github.com/taso-go/taso/law"
)

// TextFormat is the first line of the text form, after "# ".
const TextFormat = "taso rules 1"

// WriteText writes the text form: a header of comments, the definitions of operators that are not
// built in, then one law a rule in canonical order, each with a generated comment. The first line of the
// comment describes the law; a second line, where needed, says what is known
// of the rule. Proofs are not part of it, see [WriteCert].
func WriteText(w io.Writer, s *Set) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n", TextFormat)
	for _, f := range s.Header.fields() {
		if *f.value != "" {
			fmt.Fprintf(b, "# %s: %s\n", f.key, strings.Join(strings.Fields(*f.value), " "))
		}
	}
	fmt.Fprintf(b, "# rules: %d\n", len(s.Rules))
	var laws []*law.Law
	for _, r := range s.Rules {
		laws = append(laws, r.Law)
	}
	if text := law.Definitions(laws...); text != "" {
		b.WriteString("\n" + text)
	}
	for _, r := range s.Rules {
		l := *r.Law
		l.Kind, l.Section = law.Rule, ""
		l.Doc = Describe(&l)
		if facts := r.facts(); facts != "" {
			l.Doc += "\n" + facts
		}
		b.WriteByte('\n')
		b.WriteString(law.Format(&l))
	}
	return b.Flush()
}

type headerField struct {
	key   string
	value *string
}

func (h *Header) fields() []headerField {
	return []headerField{
		{"tool", &h.Tool}, {"seed", &h.Seed}, {"universe", &h.Universe}, {"axioms", &h.AxiomsSHA256},
	}
}

// facts is what the text form says of the rule besides its law: items that
// differ from what the reader would assume, separated by "; ".
func (r *Rule) facts() string {
	var out []string
	if r.Status != Proved {
		item := r.Status.String()
		if r.Reason != "" {
			item += " " + strconv.QuoteToASCII(r.Reason)
		}
		out = append(out, item)
	} else if r.Reason != "" {
		out = append(out, "note "+strconv.QuoteToASCII(r.Reason))
	}
	if r.Level != size(r.Law) {
		out = append(out, fmt.Sprintf("level %d", r.Level))
	}
	if r.Engine != "" {
		out = append(out, "by "+strconv.QuoteToASCII(r.Engine))
	}
	if r.Conditional {
		out = append(out, "conditional")
	}
	if f, b, err := Directions(r.Law); err == nil && (f != r.Forward || b != r.Backward) {
		out = append(out, "used "+way(r.Forward, r.Backward))
	}
	if r.Derivable {
		item := "derivable"
		if len(r.DerivableFrom) > 0 {
			item += " from " + strings.Join(r.DerivableFrom, ", ")
		}
		out = append(out, item)
	}
	return strings.Join(out, "; ")
}

var ways = map[[2]bool]string{
	{true, true}: "both ways", {true, false}: "forward", {false, true}: "backward", {false, false}: "never",
}

func way(f, b bool) string { return ways[[2]bool{f, b}] }

// setFacts reads what facts writes.
func (r *Rule) setFacts(text string) error {
	for text != "" {
		word, rest, _ := strings.Cut(text, " ")
		word, semi := strings.CutSuffix(word, ";")
		if semi {
			rest = ""
		}
		item := word
		arg := ""
		if !semi {
			// The argument is a quoted string or runs to the next semicolon.
			if strings.HasPrefix(rest, `"`) {
				q, err := strconv.QuotedPrefix(rest)
				if err != nil {
					return fmt.Errorf("%s: %w", item, err)
				}
				if arg, err = strconv.Unquote(q); err != nil {
					return fmt.Errorf("%s: %w", item, err)
				}
				rest = rest[len(q):]
			} else if i := strings.Index(rest, ";"); i >= 0 {
				arg, rest = rest[:i], rest[i:]
			} else {
				arg, rest = rest, ""
			}
		} else {
			rest = text[len(word):]
		}
		if rest != "" {
			var ok bool
			if rest, ok = strings.CutPrefix(rest, "; "); !ok {
				return fmt.Errorf("%s: found %q, want \"; \"", item, rest)
			}
		}
		if err := r.setFact(item, arg); err != nil {
			return err
		}
		text = rest
	}
	return nil
}

func (r *Rule) setFact(item, arg string) error {
	switch item {
	case law.UnknownWord, law.RefutedWord:
		r.Reason = arg
		r.Status, _ = law.ParseStatus(item) // both are statuses
	case "note":
		r.Reason = arg
	case "level":
		n, err := strconv.Atoi(arg)
		if err != nil || n < 0 {
			return fmt.Errorf("level %q is not a number", arg)
		}
		r.Level = n
	case "by":
		r.Engine = arg
	case "conditional":
		if arg != "" {
			return fmt.Errorf("conditional: found %q after it", arg)
		}
		r.Conditional = true
	case "used":
		for w, name := range ways {
			if name == arg {
				r.Forward, r.Backward = w[0], w[1]
				return nil
			}
		}
		return fmt.Errorf("used %q: want forward, backward, both ways or never", arg)
	case "derivable":
		r.Derivable = true
		if arg == "" {
			return nil
		}
		list, ok := strings.CutPrefix(arg, "from ")
		if !ok {
			return fmt.Errorf("derivable: found %q, want from", arg)
		}
		r.DerivableFrom = strings.Split(list, ", ")
	default:
		return fmt.Errorf("unknown fact %q", item)
	}
	return nil
}

// ReadText reads the text form; file names it in errors. The rules have no
// proofs yet ([Set.ReadCert] reads them); those that the text does not call
// unknown or refuted have the status that the text claims, proved. All faults
// are reported together, as law.Errors; a rule whose name is not that of its
// content is a fault.
func ReadText(r io.Reader, file string) (*Set, error) {
	src, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read rules %s: %w", file, err)
	}
	s := &Set{}
	s.Header.read(string(src))
	laws, err := law.Parse(file, src)
	var errs law.Errors
	if err != nil && !errors.As(err, &errs) {
		return nil, fmt.Errorf("read rules %s: %w", file, err)
	}
	seen := map[string]law.Pos{}
	for _, l := range laws {
		if l.Kind != law.Rule {
			errs = append(errs, law.Error{Pos: l.Pos, Msg: fmt.Sprintf("%s %s: a file of rules holds rules only", l.Kind, l.Name)})
			continue
		}
		rule, err := ofText(l)
		if err != nil {
			errs = append(errs, law.Error{Pos: l.Pos, Msg: fmt.Sprintf("rule %s: %v", l.Name, err)})
			continue
		}
		if first, ok := seen[l.Name]; ok {
			errs = append(errs, law.Error{Pos: l.Pos, Msg: fmt.Sprintf("rule %s: stands at %s already", l.Name, first)})
			continue
		}
		seen[l.Name] = l.Pos
		s.Rules = append(s.Rules, rule)
	}
	for _, rule := range s.Rules {
		for _, id := range rule.DerivableFrom {
			if _, ok := seen[id]; !ok {
				errs = append(errs, law.Error{Pos: seen[rule.ID()], Msg: fmt.Sprintf("rule %s: derivable from %s, which is not in the file", rule.ID(), id)})
			}
		}
	}
	if len(errs) > 0 {
		errs.Sort()
		return nil, errs
	}
	s.Sort()
	return s, nil
}

func ofText(l *law.Law) (*Rule, error) {
	r, err := New(l)
	if err != nil {
		return nil, err
	}
	if r.ID() != l.Name {
		return nil, fmt.Errorf("its content is that of %s", r.ID())
	}
	r.Status = Proved
	_, facts, _ := strings.Cut(l.Doc, "\n")
	if err := r.setFacts(facts); err != nil {
		return nil, fmt.Errorf("comment: %w", err)
	}
	sort.Strings(r.DerivableFrom)
	return r, nil
}

// read takes the header from the comments before the first empty line.
func (h *Header) read(src string) {
	for _, line := range strings.Split(src, "\n") {
		line, ok := strings.CutPrefix(line, "# ")
		if !ok {
			return
		}
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		for _, f := range h.fields() {
			if f.key == key {
				*f.value = strings.TrimSpace(value)
			}
		}
	}
}
