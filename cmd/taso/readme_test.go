package main

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

const readme = "../../README.md"

// TestReadmeCommands: README.md lists every command, and no others.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Commands\n")
	table, _, _ = strings.Cut(table, "\n## ")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `taso ([a-z-]+)").FindAllStringSubmatch(table, -1) {
		listed[m[1]] = true
	}
	for _, c := range newRoot().Commands() {
		if name := c.Name(); !listed[name] && name != "help" && name != "completion" {
			t.Errorf("README.md does not list taso %s", name)
		}
		delete(listed, c.Name())
	}
	for name := range listed {
		t.Errorf("README.md lists taso %s, and there is no such command", name)
	}
}

// quote is a command of a document with the output that is printed there.
type quote struct {
	args   []string
	output string
}

// quotes returns the commands "$ bin/taso ..." of a document, in its order.
func quotes(text string) (all []quote) {
	for i, block := range strings.Split(text, "\n```\n") {
		if i%2 == 0 {
			continue
		}
		for _, part := range strings.Split("\n"+block+"\n", "\n$ ")[1:] {
			command, output, _ := strings.Cut(part, "\n")
			if args, ok := strings.CutPrefix(command, "bin/taso "); ok {
				all = append(all, quote{strings.Fields(args), strings.TrimRight(output, "\n")})
			}
		}
	}
	return all
}

// changing are the parts of an output that differ between machines and runs: times, memory,
// numbers of workers, and all numbers that are not whole.
var changing = regexp.MustCompile(`[0-9][0-9,]* ?(ns|µs|ms|s|min|GB|MB|CPU s|CPU seconds|workers?)\b|[0-9][0-9,]*\.[0-9]+(e[-+][0-9]+)?( ?[nµm]?s\b)?`)

// steady returns an output with its changing parts replaced, and with single spaces, since
// the width of a column may depend on them.
func steady(output string) string {
	lines := strings.Split(changing.ReplaceAllString(output, "N"), "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.Fields(l), " ")
	}
	return strings.Join(lines, "\n")
}

// TestReadmeOutput: the commands of README.md that take a second or two print what it
// says. After a change: go test ./cmd/taso -run ReadmeOutput -update
func TestReadmeOutput(t *testing.T) {
	b, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	text, ran := string(b), 0
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, q := range quotes(text) {
		cut := q.args[0] != "gen-rules" && strings.Contains(q.output, "…") // gen-rules cuts its own lines
		if q.output == "" || cut {
			continue
		}
		switch name := strings.Join(q.args, " "); {
		case strings.HasPrefix(name, "audit "), strings.HasPrefix(name, "check faster.proof "):
			continue // of files that are not in the repository
		}
		ran++
		var out bytes.Buffer
		if status := run(q.args, nil, &out, &out); status != 0 {
			t.Errorf("taso %s: exit status %d\n%s", strings.Join(q.args, " "), status, &out)
			continue
		}
		got := strings.TrimRight(out.String(), "\n")
		if steady(got) == steady(q.output) {
			continue
		}
		if flag.Lookup("update").Value.String() == "true" {
			text = strings.Replace(text, "\n"+q.output+"\n", "\n"+got+"\n", 1)
			continue
		}
		t.Errorf("taso %s prints\n%s\n\nREADME.md says\n%s", strings.Join(q.args, " "), got, q.output)
	}
	if ran < 4 {
		t.Errorf("%d commands", ran)
	}
	if text != string(b) {
		t.Chdir(dir)
		if err := os.WriteFile(readme, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
