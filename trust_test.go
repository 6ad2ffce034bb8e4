package taso_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
)

// TestTrustedLines: docs/trust.md says how many lines of code each trusted package has. A
// number may be off by one in ten, so that small changes need not touch the page.
func TestTrustedLines(t *testing.T) {
	const page = "docs/trust.md"
	old, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	row, rows := regexp.MustCompile("(?m)^(\\| [a-z]+ \\| `([^`]+)` \\| )([0-9,]+)( \\|)"), 0
	update := flag.Lookup("update").Value.String() == "true"
	now := row.ReplaceAllStringFunc(string(old), func(line string) string {
		m := row.FindStringSubmatch(line)
		n := codeLines(t, m[2])
		said, err := strconv.Atoi(strings.ReplaceAll(m[3], ",", ""))
		rows++
		if far := err != nil || n == 0 || 10*max(n-said, said-n) > n; far && !update {
			t.Errorf("%s: %s has %d lines, not %s: go test . -run TestTrustedLines -update", page, m[2], n, m[3])
		} else if !far && !update {
			return line
		}
		return m[1] + thousands(n) + m[4]
	})
	if rows < 10 {
		t.Fatalf("%s: %d rows of packages", page, rows)
	}
	if update {
		golden.Equal(t, page, now)
	}
}

// codeLines counts lines of Go that are neither blank nor comments, without tests and
// generated code.
func codeLines(t *testing.T, pkg string) (n int) {
	dir, deep := strings.CutSuffix(pkg, "/...")
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != dir && (!deep || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".pb.go"):
			return nil
		}
		src, err := os.ReadFile(path)
		for _, line := range strings.Split(string(src), "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
