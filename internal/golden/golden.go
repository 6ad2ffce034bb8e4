package golden

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "write the outputs of golden tests into their files")

// used holds the cleaned paths of the files that this test binary has read.
var used sync.Map

// watched holds the patterns of Main.
var watched []string

// use notes that a test reads a file. It also lists the folders of Main's
// patterns: go test keeps a passed result until a file changes that was looked
// at during the tests, and should notice a file that is added.
func use(path string) {
	used.Store(filepath.Clean(path), true)
	_, _ = unused(watched) // Main reports malformed patterns
}

// Run runs every case of a golden file as a subtest. The output of fn is
// compared with the file's or, with -update, written to it; a missing newline
// at its end is added first. fn should fail t for a command it does not know.
//
// A case fails if its output differs. The whole test fails if the file cannot
// be read, has no case, or has the same case twice.
func Run(t *testing.T, path string, fn func(t *testing.T, cmd, args, input string) string) {
	t.Helper()
	use(path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden file: %v", err)
	}
	f, err := parse(path, string(text))
	if err != nil {
		t.Fatalf("golden file: %v", err)
	}
	if len(f.cases) == 0 {
		t.Fatalf("golden file: %s has no case", path)
	}
	for i := range f.cases {
		c := &f.cases[i]
		t.Run(fmt.Sprintf("%d_%s", c.line, c.command), func(t *testing.T) {
			got := normalize(fn(t, c.command, c.args, c.input))
			if *update {
				if !writable(got) {
					t.Errorf("%s:%d: %s %s: a golden file cannot hold an output with two lines %s:\n%s", path, c.line, c.command, c.args, mark, got)
				}
				if !t.Failed() {
					c.output = got
				}
			} else if msg := compare(got, c.output); msg != "" {
				t.Errorf("%s:%d: %s %s: %s", path, c.line, c.command, c.args, msg)
			}
		})
	}
	if *update {
		rewrite(t, path, string(text), f.format())
	}
}

// Equal compares a text with a whole file or, with -update, writes it there.
func Equal(t *testing.T, path, got string) {
	t.Helper()
	use(path)
	got = normalize(got)
	text, err := os.ReadFile(path)
	if *update {
		rewrite(t, path, string(text), got)
		return
	}
	if err != nil {
		t.Fatalf("golden file: %v (go test -update writes it)", err)
	}
	if msg := compare(got, normalize(string(text))); msg != "" {
		t.Errorf("%s: %s", path, msg)
	}
}

// rewrite replaces a golden file if its text has changed.
func rewrite(t *testing.T, path, old, text string) {
	t.Helper()
	if text == old {
		return
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatalf("update golden file: %v", err)
	}
	t.Logf("updated %s", path)
}

// compare describes how two outputs differ, "" if they do not.
func compare(got, want string) string {
	if got == want {
		return ""
	}
	g, w := strings.SplitAfter(got, "\n"), strings.SplitAfter(want, "\n")
	n := 0
	for n < len(g) && n < len(w) && g[n] == w[n] {
		n++
	}
	return fmt.Sprintf("output differs from its line %d on (go test -update accepts it)\n--- got\n%s--- want\n%s", n+1, got, want)
}

// Main is for a package's TestMain: it runs the tests and then fails if a file
// that one of the patterns (filepath.Match, relative to the package) names was
// not read by any test, so that no golden file outlives its test. Nothing is
// said when the tests failed or only some of them were asked for.
//
//	func TestMain(m *testing.M) { os.Exit(golden.Main(m, "testdata/*.golden")) }
func Main(m *testing.M, patterns ...string) int {
	watched = patterns
	code := m.Run()
	if code != 0 || partial() {
		return code
	}
	stale, err := unused(patterns)
	if err != nil {
		fmt.Fprintln(os.Stderr, "golden files:", err)
		return 1
	}
	for _, path := range stale {
		fmt.Fprintf(os.Stderr, "golden file %s is read by no test: delete it, or run it\n", path)
		code = 1
	}
	return code
}

// partial reports whether flags keep some tests from running.
func partial() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return true
		}
	}
	f := flag.Lookup("test.short")
	return f != nil && f.Value.String() == "true"
}

// unused returns the files of the patterns that no test has read, sorted.
func unused(patterns []string) ([]string, error) {
	seen := map[string]bool{}
	for _, p := range patterns {
		paths, err := filepath.Glob(p)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", p, err)
		}
		for _, path := range paths {
			path = filepath.Clean(path)
			if _, ok := used.Load(path); !ok {
				seen[path] = true
			}
		}
	}
	var stale []string
	for path := range seen {
		stale = append(stale, path)
	}
	sort.Strings(stale)
	return stale, nil
}
