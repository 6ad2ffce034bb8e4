package golden

import (
	"fmt"
	"strings"
	"unicode"
)

// mark parts a case's input from its output.
const mark = "----"

// testCase is one case of a golden file.
type testCase struct {
	line    int    // of the command, from 1
	lead    string // comments and empty lines before the case, as they are
	head    string // first line as it is
	command string
	args    string
	input   string // "" or ends with a newline
	output  string // "" or ends with a newline
}

// goldenFile is a parsed golden file; what format writes has the same cases.
type goldenFile struct {
	cases []testCase
	tail  string // comments and empty lines after the last case
}

// lines is a reader of lines.
type lines struct {
	text []string
	next int
}

func (l *lines) more() bool { return l.next < len(l.text) }

func (l *lines) peek(ahead int) (string, bool) {
	if l.next+ahead >= len(l.text) {
		return "", false
	}
	return l.text[l.next+ahead], true
}

// parse reads a golden file. Errors say path:line.
func parse(path, text string) (*goldenFile, error) {
	l := &lines{}
	if text = strings.ReplaceAll(text, "\r\n", "\n"); text != "" {
		l.text = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	}
	f := &goldenFile{}
	first := map[string]int{}
	for {
		var lead strings.Builder
		for l.more() {
			s := l.text[l.next]
			if t := strings.TrimSpace(s); t != "" && t[0] != '#' {
				break
			}
			lead.WriteString(s + "\n")
			l.next++
		}
		if !l.more() {
			f.tail = lead.String()
			return f, nil
		}
		c := testCase{line: l.next + 1, lead: lead.String(), head: l.text[l.next]}
		if strings.TrimSpace(c.head) == mark {
			return nil, fmt.Errorf("%s:%d: a case begins with %s: it has no command", path, c.line, mark)
		}
		l.next++
		head := strings.TrimSpace(c.head)
		c.command = head
		if i := strings.IndexFunc(head, unicode.IsSpace); i >= 0 {
			c.command, c.args = head[:i], strings.TrimSpace(head[i:])
		}
		if err := l.body(&c); err != nil {
			return nil, fmt.Errorf("%s:%w", path, err)
		}
		key := c.command + " " + c.args + "\n" + c.input
		if n, twice := first[key]; twice {
			return nil, fmt.Errorf("%s:%d: the same case as on line %d", path, c.line, n)
		}
		first[key] = c.line
		f.cases = append(f.cases, c)
	}
}

// body reads the input and output of a case.
func (l *lines) body(c *testCase) error {
	var input, output strings.Builder
	for {
		s, ok := l.peek(0)
		if !ok {
			return fmt.Errorf("%d: case %q has no %s", c.line, c.command, mark)
		}
		l.next++
		if s == mark {
			break
		}
		input.WriteString(s + "\n")
	}
	c.input = input.String()
	if s, _ := l.peek(0); s == mark {
		l.next++
		for {
			a, ok := l.peek(0)
			if !ok {
				return fmt.Errorf("%d: the output of case %q does not end with two lines %s", c.line, c.command, mark)
			}
			if b, _ := l.peek(1); a == mark && b == mark {
				l.next += 2
				c.output = output.String()
				return nil
			}
			output.WriteString(a + "\n")
			l.next++
		}
	}
	for {
		s, ok := l.peek(0)
		if !ok || s == "" {
			c.output = output.String()
			return nil
		}
		output.WriteString(s + "\n")
		l.next++
	}
}

// format writes the file with its present outputs.
func (f *goldenFile) format() string {
	var b strings.Builder
	for i, c := range f.cases {
		// A plain output ends at the next empty line, which belongs to the lead.
		if i > 0 && !strings.HasPrefix(c.lead, "\n") {
			b.WriteString("\n")
		}
		b.WriteString(c.lead + c.head + "\n" + c.input + mark + "\n")
		if plain(c.output) {
			b.WriteString(c.output)
		} else {
			b.WriteString(mark + "\n" + c.output + mark + "\n" + mark + "\n")
		}
	}
	if len(f.cases) > 0 && f.tail != "" && !strings.HasPrefix(f.tail, "\n") {
		b.WriteString("\n")
	}
	b.WriteString(f.tail)
	return b.String()
}

// plain reports whether an output can stand without doubled marks.
func plain(output string) bool {
	return !strings.HasPrefix(output, "\n") && !strings.Contains(output, "\n\n") &&
		!strings.HasPrefix(output, mark+"\n")
}

// writable reports whether a file can hold an output: an output with empty lines
// ends at two marks in a row, so that it cannot have such itself.
func writable(output string) bool {
	if plain(output) {
		return true
	}
	const two = "\n" + mark + "\n" + mark + "\n"
	return !strings.Contains("\n"+output+mark+"\n", two)
}

// normalize gives an output the form in which files hold it: "" or text that
// ends with a newline.
func normalize(output string) string {
	output = strings.ReplaceAll(output, "\r\n", "\n")
	if output != "" && !strings.HasSuffix(output, "\n") {
		output += "\n"
	}
	return output
}
