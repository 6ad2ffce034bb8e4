package peer

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/law"
)

// kindLine is the beginning of a law in the law language.
var kindLine = regexp.MustCompile(`(?m)^[ \t]*(?:axiom|lemma|rule|refute)[ \t]+([A-Za-z_][A-Za-z0-9_]*)`)

// maxLawFaults is where law.Parse stops reading: what follows is not known, so
// that the file as a whole is refused.
const maxLawFaults = 10_000

// readText reads laws. A law with faults is a rule with a fault; a text with no
// beginning of a law is no text of laws.
func readText(f *File, data []byte) {
	if len(bytes.TrimSpace(data)) == 0 {
		must.Do(errEmpty)
	}
	laws, err := law.Parse(f.Path, data)
	var faults law.Errors
	if err != nil && !errors.As(err, &faults) {
		must.Do(err)
	}
	if slices.ContainsFunc(faults, func(e law.Error) bool { return e.Form }) {
		for _, e := range faults[:min(len(faults), maxFaults)] {
			f.faults = append(f.faults, at(posOf(e), "%s", e.Msg))
		}
		f.stop()
	}
	if len(faults) >= maxLawFaults {
		failAt(posOf(faults[0]), "%s (and too many more faults: %d)", faults[0].Msg, len(faults)-1)
	}
	var rules []Rule
	for _, l := range laws {
		rules = append(rules, ofLaw(l, l.Pos.Line, l.Pos.Col))
	}
	if len(faults) > 0 {
		rules = append(rules, faultyLaws(data, faults)...)
	}
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Or(a.Line-b.Line, a.Col-b.Col) })
	for _, r := range rules {
		f.add(r)
	}
}

func posOf(e law.Error) pos { return pos{e.Pos.Line, e.Pos.Col} }

// ofLaw is the rule that is a law, beginning at a place.
func ofLaw(l *law.Law, line, col int) Rule {
	sign := " == "
	if l.OneWay {
		sign = " => "
	}
	return Rule{Name: l.Name, Line: line, Col: col, Law: l, Equation: !l.OneWay,
		Source: oneLine(law.FormatOutputs(l.LHS) + sign + law.FormatOutputs(l.RHS))}
}

// faultyLaws makes a rule of each law that has faults, the ones before the
// first law being faults of the file.
func faultyLaws(data []byte, faults law.Errors) []Rule {
	lineStarts := []int{0}
	lastLine := faults[len(faults)-1].Pos.Line
	for i := 0; i < len(data) && len(lineStarts) <= lastLine; i++ {
		if data[i] == '\n' {
			lineStarts = append(lineStarts, i+1)
		}
	}
	if len(lineStarts) > lastLine {
		data = data[:min(len(data), lineStarts[lastLine]+MaxSource)]
	}
	starts := kindLine.FindAllSubmatchIndex(data, -1)
	var out []Rule
	last := -1
	k := -1 // the law of the present fault
	for _, e := range faults {
		offset := lineStarts[min(e.Pos.Line, len(lineStarts))-1] + e.Pos.Col - 1
		for k+1 < len(starts) && starts[k+1][0] <= offset {
			k++
		}
		if k < 0 {
			failAt(posOf(e), "%s", e.Msg)
		}
		cause := at(posOf(e), "%s", e.Msg)
		if k == last {
			fault := out[len(out)-1].Fault
			fault.Err = fmt.Errorf("%w; %w", fault.Err, cause)
			continue
		}
		last = k
		end := len(data)
		if k+1 < len(starts) {
			end = starts[k+1][0]
		}
		begin := starts[k][0]
		text := data[begin:min(end, begin+MaxSource)]
		begin += len(text) - len(bytes.TrimLeft(text, " \t"))
		line, _ := slices.BinarySearch(lineStarts, begin+1)
		out = append(out, Rule{Name: string(data[starts[k][2]:min(starts[k][3], starts[k][2]+MaxName)]),
			Line: line, Col: begin - lineStarts[line-1] + 1,
			Source: oneLine(withoutComments(string(text))), Fault: &Fault{Kind: IllFormed, Err: cause}})
	}
	return out
}

func withoutComments(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(text, "\n") {
		code, _, _ := strings.Cut(line, "#")
		b.WriteString(code + "\n")
	}
	return b.String()
}

// jsonMark is what the value of "format" in our JSON form begins with.
const jsonMark = "taso-rules/"

// jsonRule is what matters here of our JSON form: the laws of its rules. The
// lemmas, proofs and claims beside them are not read.
type jsonRule struct {
	ID  string  `json:"id"`
	Law *string `json:"law"`
}

// readJSON reads the rules of our JSON form.
func readJSON(f *File, data []byte) {
	format := ""
	found := eachRule(f, data, "rules", map[string]any{"format": &format}, ofJSON)
	if !strings.HasPrefix(format, jsonMark) {
		must.Failf("format %q, want %q", oneLine(format), jsonMark+"1")
	}
	if !found {
		must.Failf(`JSON without "rules"`)
	}
}

// ofJSON reads one rule.
func ofJSON(raw json.RawMessage, p pos) Rule {
	r := Rule{Line: p.line, Col: p.col, Source: oneLine(string(raw[:min(len(raw), MaxSource)]))}
	var l *law.Law
	err := must.Try(func() {
		var j jsonRule
		if err := json.Unmarshal(raw, &j); err != nil {
			must.Do(typeError(err))
		}
		r.Name = oneLine(j.ID)
		if j.Law == nil {
			must.Failf(`no "law"`)
		}
		r.Source = cmp.Or(oneLine(*j.Law), r.Source)
		var err error
		if l, err = law.ParseLaw(*j.Law); err != nil {
			must.Failf("law: %s", lawError(err))
		}
	})
	if err != nil {
		r.Fault = &Fault{Kind: IllFormed, Err: &placed{p, err}}
		return r
	}
	s := ofLaw(l, p.line, p.col)
	s.Name = cmp.Or(r.Name, s.Name)
	return s
}

// lawError is the first fault of a law that stands in a string.
func lawError(err error) string {
	var faults law.Errors
	if errors.As(err, &faults) && len(faults) > 0 {
		e := faults[0]
		return fmt.Sprintf("%d:%d: %s", e.Pos.Line, e.Pos.Col, e.Msg)
	}
	return joinLines(err.Error())
}

// joinLines makes one line of several.
func joinLines(s string) string { return strings.ReplaceAll(s, "\n", "; ") }
