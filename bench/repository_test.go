package bench

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/page/pagetest"
)

// scratch replaces the registry by benchmarks of a module of tree's.
func scratch(t *testing.T, bs ...*Benchmark) {
	t.Helper()
	real := registry
	t.Cleanup(func() { registry = real })
	registry = map[string]*Benchmark{}
	for _, b := range bs {
		Register(b)
	}
}

// counting is a benchmark with one number.
func counting(name string, n *int) *Benchmark {
	return &Benchmark{Name: name, What: "counts", Packages: []string{"a"}, Run: func(context.Context, *Env) (*Record, error) {
		*n++
		t := NewTable("", Counted("n"))
		t.Add(*n)
		p := NewPlot("n", Axis{Name: "x"}, Axis{Name: "n"})
		p.Curve("n", FromCount).Add(1, float64(*n))
		return &Record{Tables: []*Table{t}, Plots: []*Plot{p}}, nil
	}}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What is run is kept, rendered and drawn; run again it takes the place of what
// was there, unless that was edited.
func TestPut(t *testing.T) {
	n := 0
	b := counting("one", &n)
	scratch(t, b)
	root := tree(t)
	r := open(t, root)
	if err := r.Ready(b); err == nil || !strings.Contains(err.Error(), `no section "one"`) {
		t.Errorf("no section: %v", err)
	}
	const text = "before\n\n<!-- bench:one -->\n<!-- /bench:one -->\n\nbehind\n"
	write(t, root, "RESULTS.md", text)
	for want := 1; want <= 2; want++ {
		if err := r.Ready(b); err != nil {
			t.Fatal(err)
		}
		rec, err := Make(context.Background(), b, &Env{Root: root}, "command")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Put(rec); err != nil {
			t.Fatal(err)
		}
		kept, err := Load(r.Records, "one")
		if err != nil || kept.Tables[0].Rows[0].Cells[0] != CellOf(want) || r.State(b, kept).Age != Fresh {
			t.Errorf("kept %+v, %v", kept, err)
		}
		if got, want := read(t, r.Results), strings.Replace(text, "-->\n", "-->\n\n"+rec.Markdown("bench/pictures")+"\n", 1); got != want {
			t.Errorf("document\n%s\nwant\n%s", got, want)
		}
		wellFormed(t, []byte(read(t, filepath.Join(r.Pictures, "one.svg"))))
	}
	edited := strings.Replace(read(t, r.Results), "| 2 |", "| 9 |", 1)
	write(t, root, "RESULTS.md", edited)
	var e *Edited
	if err := r.Ready(b); !errors.As(err, &e) || e.Name != "one" {
		t.Errorf("edited: %v", err)
	}
	rec, err := Make(context.Background(), b, &Env{Root: root}, "command")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Put(rec); !errors.As(err, &e) || !strings.Contains(err.Error(), "the record of one is kept") || read(t, r.Results) != edited {
		t.Errorf("edited: %v", err)
	}
	if kept, err := Load(r.Records, "one"); err != nil || kept.Tables[0].Rows[0].Cells[0] != CellOf(3) {
		t.Errorf("kept %+v, %v", kept, err)
	}
}

// A section may wait for its record, and another be made meanwhile; one of no
// benchmark, or with something in it, may not.
func TestWaiting(t *testing.T) {
	n := 0
	b, c := counting("one", &n), counting("two", &n)
	scratch(t, b, c)
	root := tree(t)
	r := open(t, root)
	const waiting = "<!-- bench:two -->\n<!-- /bench:two -->\n"
	write(t, root, "RESULTS.md", waiting+"<!-- bench:one -->\n<!-- /bench:one -->\n")
	if err := r.Ready(b); err != nil {
		t.Fatal(err)
	}
	rec, err := Make(context.Background(), b, &Env{Root: root}, "command")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Put(rec); err != nil {
		t.Fatal(err)
	}
	if got := read(t, r.Results); !strings.HasPrefix(got, waiting) {
		t.Errorf("what waits is not as it was:\n%s", got)
	}
	for text, want := range map[string]string{
		strings.Replace(waiting, "<!-- /", "x\n<!-- /", 1): `section "two" has no record`,
		strings.ReplaceAll(waiting, "two", "three"):        `section "three" has no record`,
	} {
		write(t, root, "RESULTS.md", text+"<!-- bench:one -->\n<!-- /bench:one -->\n")
		if err := r.Ready(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestRenderUnknown(t *testing.T) {
	scratch(t)
	r := open(t, tree(t))
	if _, err := r.Render(map[string]*Record{"other": example()}, nil, true); err == nil || !strings.Contains(err.Error(), "record other: there is no benchmark") {
		t.Errorf("error %v", err)
	}
}

func TestMake(t *testing.T) {
	n := 0
	good := counting("good", &n)
	good.Models, good.Default = true, []string{"bert"}
	run := good.Run
	good.Run = func(ctx context.Context, env *Env) (*Record, error) {
		if env.Models[0] != "bert" {
			t.Errorf("models %v", env.Models)
		}
		return run(ctx, env)
	}
	root := tree(t)
	rec, err := Make(context.Background(), good, &Env{Root: root}, "the command")
	if err != nil || rec.Name != "good" || rec.Command != "the command" || rec.Machine == "" || len(rec.Sources) != 4 {
		t.Errorf("%+v, %v", rec, err)
	}
	fails := func(name, want string, env *Env, change func(b *Benchmark)) {
		t.Helper()
		b := *good
		change(&b)
		if rec, err := Make(context.Background(), &b, env, ""); rec != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", name, rec, err)
		}
	}
	fails("past", "it cannot be run again", &Env{}, func(b *Benchmark) { b.Run = nil })
	fails("missing package", "package zz", &Env{Root: root}, func(b *Benchmark) { b.Packages = []string{"zz"} })
	fails("missing file", "needs rules.pb", &Env{Data: root}, func(b *Benchmark) { b.Needs = []string{"rules.pb"} })
	fails("no folder", "needs rules.pb", &Env{}, func(b *Benchmark) { b.Needs = []string{"rules.pb"} })
	fails("nothing", "made no record", &Env{}, func(b *Benchmark) {
		b.Run = func(context.Context, *Env) (*Record, error) { return nil, nil }
	})
	fails("faulty", "holds no table", &Env{}, func(b *Benchmark) {
		b.Run = func(context.Context, *Env) (*Record, error) { return &Record{}, nil }
	})
	fails("error", "benchmark good: no luck", &Env{}, func(b *Benchmark) {
		b.Run = func(context.Context, *Env) (*Record, error) { return nil, errors.New("no luck") }
	})
	fails("missing program", "benchmark good: needs a program", &Env{}, func(b *Benchmark) {
		b.Run = func(context.Context, *Env) (*Record, error) { return nil, &Missing{What: "a program"} }
	})
	ctx, cancel := context.WithCancel(context.Background())
	b := *good
	b.Run = func(ctx context.Context, env *Env) (*Record, error) {
		cancel()
		return run(ctx, env)
	}
	if rec, err := Make(ctx, &b, &Env{}, ""); rec != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v, %v", rec, err)
	}
}

// A commit is the last that touched the sources, and what is in no commit is told.
func TestCommit(t *testing.T) {
	root := tree(t)
	if c, changed := commit(root, []string{"a/a.go"}); c != "" || changed {
		t.Errorf("no repository: %q, %v", c, changed)
	}
	git := func(args ...string) {
		t.Helper()
		if err := gitIn(root, args...); err != nil {
			t.Skip("no git here:", err)
		}
	}
	git("init", "-q")
	git("add", "a", "b")
	git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "a and b")
	first, changed := commit(root, []string{"a/a.go", "b/b.go"})
	if first == "" || changed {
		t.Errorf("commit %q, %v", first, changed)
	}
	git("add", "d")
	git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "d")
	if c, changed := commit(root, []string{"a/a.go"}); c != first || changed {
		t.Errorf("commit %q, %v, want %q", c, changed, first)
	}
	if c, changed := commit(root, []string{"d/d.go"}); c == first || changed {
		t.Errorf("commit %q, %v", c, changed)
	}
	if c, changed := commit(root, []string{"c/c.go"}); c != "" || !changed {
		t.Errorf("a file that was never committed: commit %q, %v", c, changed)
	}
	if _, changed := commit(root, []string{"a/a.go", "c/c.go"}); !changed {
		t.Error("a new file is no change")
	}
	write(t, root, "b/b.go", "package b\n")
	if _, changed := commit(root, []string{"a/a.go"}); changed {
		t.Error("another file's change counts")
	}
	if _, changed := commit(root, []string{"b/b.go"}); !changed {
		t.Error("a changed file is no change")
	}
}

func TestRegister(t *testing.T) {
	to := map[string]*Benchmark{}
	ok := Benchmark{Name: "a-1", What: "w", Packages: []string{"a"}, Run: modelCounts}
	if err := register(to, &ok); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(b *Benchmark){
		"registered twice":    func(*Benchmark) {},
		"its name is not":     func(b *Benchmark) { b.Name = "A" },
		"is not one line":     func(b *Benchmark) { b.Name, b.What = "b", "x\ny" },
		"no packages":         func(b *Benchmark) { b.Name, b.Packages = "b", nil },
		"no default models":   func(b *Benchmark) { b.Name, b.Models = "b", true },
		`"--": its name`:      func(b *Benchmark) { b.Name = "--" },
		`"a--b": its name is`: func(b *Benchmark) { b.Name = "a--b" },
	} {
		b := ok
		change(&b)
		if err := register(to, &b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestPage(t *testing.T) {
	n := 0
	scratch(t, counting("some-name", &n), counting("two", &n))
	rec := example()
	rec.Notes = append(rec.Notes, "`a*b` and **strong** <script>")
	var page bytes.Buffer
	state := func(*Benchmark, *Record) State { return State{Age: Older, Changed: []string{"graph"}} }
	if err := WritePage(&page, map[string]*Record{"some-name": rec}, state); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	pagetest.Check(t, text)
	for _, want := range []string{`<section id="some-name">`, `stale</span></td><td data-l="reason">graph</td>`, "1 of 1 record stale", "<svg", "16,405,411", "<code>a*b</code> and <strong>strong</strong> &lt;script&gt;"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not hold %q", want)
		}
	}
	for _, not := range []string{"<script ", "<script>alert", "http:", "https:", "src=", `id="two"`} {
		if strings.Contains(text, not) {
			t.Errorf("the page holds %q", not)
		}
	}
}
