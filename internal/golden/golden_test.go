package golden

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMain(m *testing.M) {
	os.Exit(Main(m, "testdata/*.golden"))
}

// handle is the function under the golden tests of this package.
func handle(t *testing.T, cmd, args, input string) string {
	switch cmd {
	case "upper":
		return strings.ToUpper(args + "\n" + input)
	case "count":
		return fmt.Sprint(strings.Count(input, "\n"))
	case "double":
		return strings.ReplaceAll(input, "\n", "\n\n")
	case "empty":
		return ""
	case "marks":
		return "a\n\n" + mark + "\n" + mark + "\n"
	case "fail":
		t.Fatal("asked to fail")
	}
	t.Fatalf("unknown command %q", cmd)
	return ""
}

func TestRun(t *testing.T) { Run(t, "testdata/example.golden", handle) }

func TestEqual(t *testing.T) {
	Equal(t, "testdata/whole.golden", "a whole file\n\nwith an empty line")
}

func TestParse(t *testing.T) {
	f, err := parse("p", "# note\n\ncmd  a b \nin\n\nin2\n----\nout\n\ntwo\n----\n----\nx\n\n----\ny\n----\n----\nthree\n----\n\n# end\n")
	if err != nil {
		t.Fatal(err)
	}
	want := []testCase{
		{3, "# note\n\n", "cmd  a b ", "cmd", "a b", "in\n\nin2\n", "out\n"},
		{10, "\n", "two", "two", "", "", "x\n\n----\ny\n"},
		{19, "", "three", "three", "", "", ""},
	}
	if len(f.cases) != len(want) {
		t.Fatalf("%d cases", len(f.cases))
	}
	for i, w := range want {
		if f.cases[i] != w {
			t.Errorf("case %d: %+v, want %+v", i, f.cases[i], w)
		}
	}
	if f.tail != "\n# end\n" {
		t.Errorf("tail %q", f.tail)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"cmd\nin\n": "p:1: case \"cmd\" has no ----",
		"a\n----\nx\n\n\nb\n----\n----\ny\n----\n": "p:6: the output of case \"b\" does not end",
		"a\n----\nx\n\na\n----\ny\n":               "p:5: the same case as on line 1",
		"a 1\nin\n----\n\na   1\nin\n----\n":       "p:5: the same case as on line 1",
		"----\nx\n":                                "p:1: a case begins with ----",
	} {
		if _, err := parse("p", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// TestFormat: whatever a test returns can be written and read back, and what is
// written does not change when written again.
func TestFormat(t *testing.T) {
	piece := rapid.SampledFrom([]string{"", "\n", mark, mark + "\n", "x", "# y\n", " ", "word\n", "\r\n"})
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 8).Draw(t, "pieces"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		f, err := parse("p", "# lead\na\nin\n----\nout\nb\n\nc 2\n----\n\n# tail\n")
		if err != nil || len(f.cases) != 2 {
			t.Fatalf("%v %+v", err, f)
		}
		for i := range f.cases {
			out := normalize(text.Draw(t, "output"))
			if !writable(out) {
				t.Skip("cannot be written")
			}
			f.cases[i].output = out
		}
		g, err := parse("p", f.format())
		if err != nil {
			t.Fatalf("%v in\n%s", err, f.format())
		}
		for i, c := range f.cases {
			if len(g.cases) != len(f.cases) || g.cases[i].output != c.output || g.cases[i].input != c.input || g.cases[i].head != c.head {
				t.Fatalf("wrote %+v, read %+v from\n%s", f.cases, g.cases, f.format())
			}
		}
		if again := g.format(); again != f.format() {
			t.Fatalf("written again:\n%s\nfirst:\n%s", again, f.format())
		}
	})
}

func TestCompare(t *testing.T) {
	if msg := compare("a\nb\n", "a\nb\n"); msg != "" {
		t.Errorf("equal texts: %s", msg)
	}
	if msg := compare("a\nb\n", "a\nc\n"); !strings.Contains(msg, "line 2") {
		t.Errorf("message %q", msg)
	}
}

// childDir tells the test binary, started again by TestFailures, where the
// golden file to run lies.
const childDir = "GOLDEN_TEST_FILE"

// TestChild runs the file that TestFailures has prepared.
func TestChild(t *testing.T) {
	path := os.Getenv(childDir)
	if path == "" {
		t.Skip("only as a child of TestFailures")
	}
	Run(t, path, handle)
}

// TestFailures runs golden files in a child process and looks at what fails and
// what -update writes.
func TestFailures(t *testing.T) {
	if os.Getenv(childDir) != "" {
		t.Skip("is the child")
	}
	for _, c := range []struct {
		name, file string
		update     bool
		message    string // "" for a test that passes
		after      string // "" for unchanged
	}{
		{name: "right", file: "upper a\n----\nA\n"},
		{name: "stale", file: "upper a\n----\nB\n", message: "file:1: upper a: output differs"},
		{name: "later case runs", file: "fail\n----\n\nupper a\n----\nB\n", message: "file:4: upper a"},
		{name: "no case", file: "# nothing\n", message: "has no case"},
		{name: "unknown command", file: "lower a\n----\na\n", message: `unknown command "lower"`},
		{name: "twice", file: "upper a\n----\nA\n\nupper a\n----\nA\n", message: "same case"},
		{name: "update", file: "# c\nupper a\n----\nB\n", update: true, after: "# c\nupper a\n----\nA\n"},
		{name: "update to empty lines", file: "double\na\n----\n\nempty\n----\nx\n", update: true,
			after: "double\na\n----\n----\na\n\n----\n----\n\nempty\n----\n"},
		{name: "update to marks", file: "marks\n----\nx\n", update: true, message: "cannot hold"},
		{name: "update keeps failed", file: "fail\n----\nold\n\nupper a\n----\nB\n", update: true,
			message: "asked to fail", after: "fail\n----\nold\n\nupper a\n----\nA\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, []byte(c.file), 0o666); err != nil {
				t.Fatal(err)
			}
			args := []string{"-test.run=^TestChild$"}
			if c.update {
				args = append(args, "-update")
			}
			cmd := exec.Command(os.Args[0], args...)
			cmd.Env = append(os.Environ(), childDir+"="+path)
			out, err := cmd.CombinedOutput()
			if (err != nil) != (c.message != "") || !strings.Contains(string(out), c.message) {
				t.Errorf("error %v, want message %q in\n%s", err, c.message, out)
			}
			want := c.after
			if want == "" {
				want = c.file
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != want {
				t.Errorf("%v, file is\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

func TestUnused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.golden", "b.golden", "c.txt"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if !*update {
		Equal(t, filepath.Join(dir, "a.golden"), "x")
	}
	stale, err := unused([]string{filepath.Join(dir, "*.golden"), filepath.Join(dir, "b*")})
	want := filepath.Join(dir, "b.golden")
	if err != nil || !*update && (len(stale) != 1 || stale[0] != want) {
		t.Errorf("unused %v, %v, want %s", stale, err, want)
	}
	if _, err := unused([]string{"["}); err == nil {
		t.Error("a malformed pattern passes")
	}
}

// ExampleRun shows what a golden test looks like in a package.
func ExampleRun() {
	test := func(t *testing.T) {
		Run(t, "testdata/parse.golden", func(t *testing.T, cmd, args, input string) string {
			switch cmd {
			case "parse":
				return strings.ToUpper(input)
			default:
				t.Fatalf("unknown command %q", cmd)
				return ""
			}
		})
	}
	_ = test
	fmt.Println(flag.Lookup("update").Usage)
	// Output: write the outputs of golden tests into their files
}

// Data reads from the folder that the environment names, and skips without it.
func TestData(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TASO_DATA", dir)
	if err := os.WriteFile(filepath.Join(dir, "f"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	if got := string(Data(t, "f")); got != "text" {
		t.Errorf("read %q", got)
	}
	t.Run("missing", func(t *testing.T) {
		defer func() {
			if !t.Skipped() {
				t.Error("a file that is not there: not skipped")
			}
		}()
		Data(t, "none")
	})
}
