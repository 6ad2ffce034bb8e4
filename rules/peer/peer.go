package peer

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/tasopb"
)

// Format names a format of rule files.
type Format string

// The formats, see the package comment.
const (
	TASO        Format = "taso"
	Verifier    Format = "taso-verifier"
	Tensat      Format = "tensat"
	TensatMulti Format = "tensat-multi"
	FlexFlow    Format = "flexflow"
	Text        Format = "text"
	JSON        Format = "json"
)

// Formats lists all formats.
var Formats = []Format{TASO, Verifier, Tensat, TensatMulti, FlexFlow, Text, JSON}

// Limits of the readers. The largest published file has 2 MB and 640 rules, the
// largest published term some 20 operators.
const (
	MaxBytes    = 16 << 20 // bytes of a file of others
	MaxOwnBytes = 64 << 20 // bytes of a file of ours, text or json
	MaxRules    = 1 << 17  // rules of a file
	MaxDepth    = 200      // of nested terms
	MaxNodes    = 1 << 12  // names, numbers and applications of a rule
	MaxName     = 256      // bytes of a name or number in the text forms
	MaxSource   = 2 << 10  // bytes of Rule.Source; what is longer ends in "…"
)

// File is what was read.
type File struct {
	Path   string
	Format Format
	Rules  []Rule // in file order

	faults placedErrors // of form, found so far
}

// Rule is one rule of a file. One of TASO, Law and Fault is set.
type Rule struct {
	Index int    // position in the file, from 0
	Name  string // as the file has it, else "rule 12", by index
	// Line and Col say where the rule begins, from 1, columns in bytes; 0 in
	// protocol buffers.
	Line, Col int
	// Source is the rule in one line, in the notation of the file or, for
	// graphs, in a functional notation.
	Source string
	// Operators are those of a rule of graphs, sorted: the ones of TASO as in
	// Source, others by the file's names for them. Nil for laws, and for what
	// was not read so far.
	Operators []string
	TASO      *tasopb.Rule
	Law       *law.Law
	Fault     *Fault
	// Equation: both directions are claimed, not only left to right.
	Equation bool
}

// FaultKind is what is wrong with a rule.
type FaultKind string

const (
	// IllFormed: the rule makes no sense, whatever its operators mean.
	IllFormed FaultKind = "ill-formed"
	// Unsupported: the rule has operators, parameters or attribute variables
	// that have no counterpart here.
	Unsupported FaultKind = "unsupported"
)

// Fault says why a rule is neither a graph of TASO's operators nor a law.
type Fault struct {
	Kind FaultKind
	// Operators lists the ones without a counterpart, sorted, for both kinds.
	Operators []string
	// Err names the place inside the rule: line:col in the text forms, the
	// operator in the others.
	Err error
}

// Error is such as "ill-formed: 3:17: relu has 2 arguments, want 1".
func (f *Fault) Error() string { return string(f.Kind) + ": " + f.Err.Error() }

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Error says why data is not a file of rules.
type Error struct {
	File      string
	Line, Col int    // from 1; 0 where it is not about a place in a text
	Source    string // the line, as it is written
	Err       error
}

// Error is one line, such as "rules.txt:3:17: expected ==, found the end".
func (e *Error) Error() string {
	s := e.File
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Col)
	}
	return s + ": " + oneLine(e.Err.Error())
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// shownSource is how much of a line an excerpt shows, at most.
const shownSource = 100

// Excerpt is the line of the error and a caret below its column, each with a newline; "" where
// it is not about a place in a text.
func (e *Error) Excerpt() string {
	if e.Line == 0 || strings.TrimSpace(e.Source) == "" {
		return ""
	}
	line, at := e.Source, min(e.Col-1, len(e.Source))
	from := 0
	if len(line) > shownSource && at > shownSource/2 {
		from = min(at-shownSource/2, len(line)-shownSource)
	}
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if r == '\t' || !unicode.IsPrint(r) {
				return ' '
			}
			return r
		}, s)
	}
	before := plain(line[from:at])
	return fmt.Sprintf("  %s\n  %s^\n", before+plain(line[at:min(len(line), from+shownSource)]),
		strings.Repeat(" ", utf8.RuneCountInString(before)))
}

// Errors are the places, in their order, at which a text is not of its format.
type Errors []*Error

// Error is the first of them in one line, with the number of the others.
func (es Errors) Error() string {
	return fmt.Sprintf("%s (and %d more)", es[0].Error(), len(es)-1)
}

// Unwrap returns the errors.
func (es Errors) Unwrap() []error {
	out := make([]error, len(es))
	for i, e := range es {
		out[i] = e
	}
	return out
}

// Read reads a file; name is its path, for messages and, where the content does
// not tell, for its extension. An empty format is detected, see [Detect]. The
// error, an [*Error] or several [Errors], is for what is not a file of the format; what
// is wrong with single rules is their Fault.
func Read(name string, data []byte, format Format) (*File, error) {
	limit := MaxBytes
	if format == Text || format == JSON {
		limit = MaxOwnBytes
	}
	if format == "" {
		if len(data) > MaxOwnBytes {
			return nil, tooLarge(name, data, MaxOwnBytes)
		}
		f, err := Detect(name, data[:min(len(data), HeadBytes)])
		if err != nil {
			return nil, err
		}
		return Read(name, data, f)
	}
	if len(data) > limit {
		return nil, tooLarge(name, data, limit)
	}
	read, ok := readers[format]
	if !ok {
		return nil, &Error{File: name, Err: fmt.Errorf("unknown format %q%s", string(format), suggest.OneOf(string(format), formatNames()))}
	}
	if len(data) == 0 {
		return nil, &Error{File: name, Err: errEmpty}
	}
	f := &File{Path: name, Format: format}
	err := must.Try(func() {
		if format != TASO {
			data = withoutMark(data)
			checkText(data)
		}
		read(f, data)
	})
	if err != nil {
		return nil, fileError(name, data, err)
	}
	for i := range f.Rules {
		r := &f.Rules[i]
		r.Index = i
		if r.Name == "" {
			r.Name = fmt.Sprintf("rule %d", i)
		}
	}
	return f, nil
}

// readers append the rules of data to a file. Index and missing names are
// filled in afterwards. What is no file of the format leaves by package must.
var readers = map[Format]func(f *File, data []byte){
	TASO: readTASO, Verifier: readVerifier, Tensat: readTensat, TensatMulti: readTensat,
	FlexFlow: readFlexFlow, Text: readText, JSON: readJSON,
}

func formatNames() []string {
	var names []string
	for _, f := range Formats {
		names = append(names, string(f))
	}
	return names
}

func tooLarge(name string, data []byte, limit int) error {
	return &Error{File: name, Err: fmt.Errorf("too large: %d bytes, at most %d are read", len(data), limit)}
}

// maxFaults bounds the faults of form that are looked for in a file.
const maxFaults = 100

// faulty reads one rule, and notes where it is not of the format; false then.
func (f *File) faulty(read func()) bool {
	err := must.Try(read)
	var p *placed
	if err == nil {
		return false
	}
	if !errors.As(err, &p) {
		must.Do(err)
	}
	if f.faults = append(f.faults, p); len(f.faults) == maxFaults {
		f.stop()
	}
	return true
}

// stop leaves the reader if there were faults of form.
func (f *File) stop() {
	if len(f.faults) > 0 {
		must.Do(f.faults)
	}
}

// add appends a rule unless there are too many.
func (f *File) add(r Rule) {
	if len(f.Rules) >= MaxRules {
		failAt(pos{r.Line, r.Col}, "too large: more than %d rules", MaxRules)
	}
	f.Rules = append(f.Rules, r)
}

// checkText refuses what is not UTF-8.
func checkText(data []byte) {
	if utf8.Valid(data) {
		return
	}
	for at := 0; ; {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n == 1 {
			failAt(placeOf(data, at), "byte 0x%02x is not UTF-8", data[at])
		}
		at += n
	}
}

// placeOf is the place of a byte of data.
func placeOf(data []byte, at int) pos {
	before := data[:min(at, len(data))]
	return pos{1 + bytes.Count(before, []byte("\n")), at - bytes.LastIndexByte(before, '\n')}
}

// withoutMark takes the byte order mark away.
func withoutMark(data []byte) []byte {
	if len(data) >= 3 && data[0] == 0xef && data[1] == 0xbb && data[2] == 0xbf {
		return data[3:]
	}
	return data
}

// oneLine writes a text in one line of printable characters, cut at MaxSource.
func oneLine(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == utf8.RuneError || !unicode.IsPrint(r):
			r = '?'
		}
		if b.Len() >= MaxSource-utf8.UTFMax-1 {
			b.WriteString("…")
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isPlain reports whether a text is one short line of printable ASCII without
// white space.
func isPlain(s string) bool {
	if len(s) > MaxSource {
		return false
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
