package taso_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// documents returns the documents for readers, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	docs := map[string]string{}
	for _, name := range append(names, "README.md", "CONTRIBUTING.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		docs[filepath.ToSlash(name)] = string(text)
	}
	if len(docs) < 10 {
		t.Fatalf("%d documents", len(docs))
	}
	return docs
}

// prose returns the lines of a document that are outside blocks of code, by number.
func prose(text string) map[int]string {
	lines, code := map[int]string{}, false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		} else if !code {
			lines[i+1] = line
		}
	}
	return lines
}

// anchors returns the anchors of the headings of a document.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, line := range prose(text) {
		title := strings.TrimLeft(line, "#")
		if level := len(line) - len(title); level == 0 || !strings.HasPrefix(title, " ") {
			continue
		}
		all[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title[1:])] = true
	}
	return all
}

var (
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	span = regexp.MustCompile("`[^`]*`")
)

// brokenLinks returns the links of a document that lead nowhere.
func brokenLinks(name, text string) (broken []string) {
	for n, line := range prose(text) {
		for _, m := range link.FindAllStringSubmatch(span.ReplaceAllString(line, "x"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			target, anchor, _ := strings.Cut(m[1], "#")
			other := []byte(text)
			if target != "" {
				var err error
				if other, err = os.ReadFile(filepath.Join(filepath.Dir(name), target)); err != nil {
					broken = append(broken, name+":"+strconv.Itoa(n)+": "+m[1])
					continue
				}
			}
			if anchor != "" && !anchors(string(other))[anchor] {
				broken = append(broken, name+":"+strconv.Itoa(n)+": "+m[1])
			}
		}
	}
	slices.Sort(broken)
	return broken
}

// TestDocumentLinks: links within the repository lead to files and headings.
func TestDocumentLinks(t *testing.T) {
	links := 0
	for name, text := range documents(t) {
		for _, b := range brokenLinks(name, text) {
			t.Errorf("%s leads nowhere", b)
		}
		links += len(link.FindAllString(text, -1))
	}
	if links < 50 {
		t.Errorf("%d links", links)
	}
	const text = "# A b\n[x](#a-b) [y](#c) [z](no.md) [w](LICENSE)\n```\n[v](no.md)\n```\n"
	if got := brokenLinks("README.md", text); !slices.Equal(got, []string{"README.md:2: #c", "README.md:2: no.md"}) {
		t.Errorf("broken links %q", got)
	}
}

// TestDocumentTables: tables have at most 100 columns.
func TestDocumentTables(t *testing.T) {
	rows := 0
	for name, text := range documents(t) {
		for n, line := range prose(text) {
			if strings.HasPrefix(line, "|") {
				rows++
				if w := utf8.RuneCountInString(line); w > 100 {
					t.Errorf("%s:%d: a row of %d columns", name, n, w)
				}
			}
		}
	}
	if rows < 300 {
		t.Errorf("%d rows", rows)
	}
}

// TestGlossary: there is one glossary, in alphabetical order, of at most 60 terms; the
// other documents refer to it.
func TestGlossary(t *testing.T) {
	docs := documents(t)
	var terms []string
	for _, m := range regexp.MustCompile(`(?m)^\*\*([^*]+)\*\*: `).FindAllStringSubmatch(docs["docs/glossary.md"], -1) {
		terms = append(terms, m[1])
	}
	if len(terms) < 20 || len(terms) > 60 || !slices.IsSorted(terms) {
		t.Errorf("%d terms, sorted: %v", len(terms), slices.IsSorted(terms))
	}
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		if name != "docs/glossary.md" && name != "docs/laws.md" && !strings.Contains(docs[name], "glossary.md)") {
			t.Errorf("%s does not refer to the glossary", name)
		}
	}
}

// TestArchitecture: docs/architecture.md lists every package, in the layer in which
// deps_test.go has it.
func TestArchitecture(t *testing.T) {
	d, err := parsePicture(picture)
	if err != nil {
		t.Fatal(err)
	}
	pkgs, _, err := readImports(".")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(documents(t)["docs/architecture.md"], "\n## Packages\n")
	text, _, _ = strings.Cut(text, "\n## ")
	listed := map[string]string{}
	for _, part := range strings.Split(text, "\n### ")[1:] {
		layer, rest, _ := strings.Cut(part, "\n")
		for _, line := range strings.Split(rest, "\n") {
			cells := strings.Split(line, "|")
			if len(cells) != 4 {
				continue
			}
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
				if listed[m[1]] != "" {
					t.Errorf("docs/architecture.md lists %s twice", m[1])
				}
				listed[m[1]] = layer
			}
		}
	}
	for _, p := range pkgs {
		if p == "." {
			continue
		}
		pattern, _ := d.pattern(p)
		want := "Layer " + strconv.Itoa(d.line[pattern])
		if d.line[pattern] == leafLine {
			want = "Without a layer"
		}
		if listed[p] != want {
			t.Errorf("docs/architecture.md has %s in %q, deps_test.go in %q", p, listed[p], want)
		}
		delete(listed, p)
	}
	for p := range listed {
		t.Errorf("docs/architecture.md lists %s, and there is no such package", p)
	}
}

// TestReadmeLines: README.md says how many lines the checkers have, to one in ten, and
// docs/trust.md how many lines a proof from laws rests on.
func TestReadmeLines(t *testing.T) {
	docs := documents(t)
	check := func(name, pattern string, lines int) {
		m := regexp.MustCompile(pattern).FindStringSubmatch(strings.Join(strings.Fields(docs[name]), " "))
		if m == nil {
			t.Fatalf("%s does not say how many lines: %s", name, pattern)
		}
		said, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		if err != nil || 10*max(lines-said, said-lines) > lines {
			t.Errorf("%s says %s lines; there are %s", name, m[1], thousands(lines))
		}
	}
	check("README.md", `have about ([0-9,]+) lines`, codeLines(t, "verify/check")+codeLines(t, "verify/meaning"))
	doc, err := os.ReadFile("verify/check/doc.go")
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, m := range regexp.MustCompile(`(?m)^//\t[a-z/]+, ([\d,]+) lines$`).FindAllStringSubmatch(string(doc), -1) {
		n, err := strconv.Atoi(strings.ReplaceAll(m[1], ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	check("docs/trust.md", `Proofs from laws rest on about ([0-9,]+) lines`, sum)
}
