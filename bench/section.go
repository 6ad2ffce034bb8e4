package bench

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Section is a part of a document between two markers.
type Section struct {
	Name string
	Line int    // of the first marker, from 1
	Body string // what stands between the markers, without empty lines around it

	start, end int // of the text between the markers, in bytes
}

// marker is a line that looks like a marker, well-formed or not.
var marker = regexp.MustCompile(`(?m)^[ \t]*<!--[ \t]*(/?)[ \t]*bench[ \t]*:(.*)$`)

// Sections are the sections of a document, in its order. Markers that are not of
// the form <!-- bench:NAME -->, sections within others, without an end, or twice,
// are errors that name file, line and section.
func Sections(file, text string) ([]Section, error) {
	var out []Section
	open := -1
	seen := map[string]int{}
	for _, at := range marker.FindAllStringSubmatchIndex(text, -1) {
		line := 1 + strings.Count(text[:at[0]], "\n")
		fail := func(format string, args ...any) ([]Section, error) {
			return nil, fmt.Errorf("%s:%d: %s", file, line, fmt.Sprintf(format, args...))
		}
		name, ok := strings.CutSuffix(strings.TrimRight(text[at[4]:at[5]], " \t\r"), " -->")
		want := openMarker(name)
		if at[2] != at[3] {
			want = closeMarker(name)
		}
		if !ok || !nameForm.MatchString(name) || strings.TrimRight(text[at[0]:at[1]], "\r") != want {
			return fail("%q is not a marker of the form <!-- bench:NAME --> or <!-- /bench:NAME -->", strings.TrimSpace(text[at[0]:at[1]]))
		}
		if at[2] == at[3] { // begins
			if open >= 0 {
				return fail("section %q begins within section %q of line %d", name, out[open].Name, out[open].Line)
			}
			if first, twice := seen[name]; twice {
				return fail("section %q is there twice, first on line %d", name, first)
			}
			seen[name] = line
			open = len(out)
			out = append(out, Section{Name: name, Line: line, start: at[1]})
			continue
		}
		if open < 0 || out[open].Name != name {
			return fail("section %q ends here and did not begin", name)
		}
		out[open].end = at[0]
		out[open].Body = strings.Trim(text[out[open].start:at[0]], "\r\n")
		open = -1
	}
	if open >= 0 {
		return nil, fmt.Errorf("%s:%d: section %q has no end: want %s", file, out[open].Line, out[open].Name, closeMarker(out[open].Name))
	}
	return out, nil
}

func openMarker(name string) string  { return "<!-- bench:" + name + " -->" }
func closeMarker(name string) string { return "<!-- /bench:" + name + " -->" }

// Edited is the error of a section that holds what its record does not say.
type Edited struct {
	File string
	Line int
	Name string
}

func (e *Edited) Error() string {
	return fmt.Sprintf("%s:%d: section %q is not what its record says: was it edited by hand? (taso bench report --force writes the record)", e.File, e.Line, e.Name)
}

// Fill writes bodies into the sections of a document. Every body must have its
// section and every section its body. A section that holds something else than
// nothing, its new body, or the body in old, was edited by hand: that is an
// [Edited], one for each, unless force is set. Filling twice is filling once.
func Fill(file, text string, bodies, old map[string]string, force bool) (string, error) {
	sections, err := Sections(file, text)
	if err != nil {
		return "", err
	}
	if err := matchSections(file, sections, bodies); err != nil {
		return "", err
	}
	var errs []error
	var b strings.Builder
	last := 0
	for _, s := range sections {
		body := strings.Trim(bodies[s.Name], "\n")
		have := strings.ReplaceAll(s.Body, "\r\n", "\n")
		before, known := old[s.Name]
		if !force && have != "" && have != body && (!known || have != strings.Trim(before, "\n")) {
			errs = append(errs, &Edited{file, s.Line, s.Name})
		}
		b.WriteString(text[last:s.start])
		if body == "" {
			b.WriteString("\n")
		} else {
			b.WriteString("\n\n" + body + "\n\n")
		}
		last = s.end
	}
	if len(errs) > 0 {
		return "", errors.Join(errs...)
	}
	b.WriteString(text[last:])
	return b.String(), nil
}

// matchSections requires a body for every section and a section for every body.
func matchSections(file string, sections []Section, bodies map[string]string) error {
	var errs []error
	for _, s := range sections {
		if _, ok := bodies[s.Name]; !ok {
			errs = append(errs, fmt.Errorf("%s:%d: section %q has no record", file, s.Line, s.Name))
		}
	}
	for _, name := range sortedKeys(bodies) {
		if !slices.ContainsFunc(sections, func(s Section) bool { return s.Name == name }) {
			errs = append(errs, noSection(file, name))
		}
	}
	return errors.Join(errs...)
}

func noSection(file, name string) error {
	return fmt.Errorf("%s: no section %q: write %s and %s where it belongs", file, name, openMarker(name), closeMarker(name))
}
