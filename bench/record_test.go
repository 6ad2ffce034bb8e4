package bench

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/cost"
)

// example is a record with a bit of everything.
func example() *Record {
	t := NewTable("Times:", Label("model"), Counted("operators"), Measured("run", "ms").Decimals(1), Modelled("cost", "").Digits(3).Signed())
	t.Add("bert|x", 16405411, 26.54, -0.012345)
	t.AddFrom(FromBefore, "paper", 113, nil, "about 3")
	p := NewPlot("Cost [all]", Axis{Name: "time", Unit: "s", Log: true}, Axis{Name: "cost", Zero: true})
	c := p.Curve("search", FromModel)
	c.Steps = true
	c.Add(0.01, 3)
	c.Add(10, 1)
	return &Record{Name: "some-name", Date: "2026-11-22", Commit: "0123456789abcdef", Changed: true, Machine: "a machine", Command: "taso bench run some-name",
		Seconds: 1.5, Sources: map[string]string{"graph": "aa", "law": "bb"}, Tables: []*Table{t}, Plots: []*Plot{p}, Notes: []string{"A note with \"quotes\",\nof two lines."}}
}

const exampleMarkdown = `Times:

| model | operators | run, ms | cost |
|---|---:|---:|---:|
| bert\|x | 16,405,411 | 26.5 | -0.0123 |
| paper | 113 | – | about 3 |

![Cost \[all\]](bench/pictures/some-name.svg)

A note with "quotes",
of two lines.

*` + "`taso bench run some-name`" + ` at 0123456 with changes, 2026-11-22, a machine. Counted:
operators. Measured: run. Recorded: paper. Modelled: cost; search.*
`

func TestMarkdown(t *testing.T) {
	r := example()
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if got := r.Markdown("bench/pictures"); got != exampleMarkdown {
		t.Errorf("got\n%s\nwant\n%s", got, exampleMarkdown)
	}
	if strings.Contains(r.Markdown(""), "svg") {
		t.Error("a picture without a folder of pictures")
	}
	two := NewTable("", Label("model"), Measured("time", "s"), Label("by"))
	two.AddFrom(FromBefore, "bert", 1, "TASO")
	if by := (&Record{Tables: []*Table{two}}).bySource(); len(by) != 1 || by[FromBefore][0] != "TASO" {
		t.Errorf("a row goes by %v", by)
	}
	r.Tables[0].Across = true
	want := "| model | bert\\|x | paper |\n|---|---:|---:|\n| operators | 16,405,411 | 113 |\n| run, ms | 26.5 | – |\n| cost | -0.0123 | about 3 |\n"
	if got := r.Markdown(""); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is read is what was written, and written again it is the same bytes.
func TestRecordRoundTrip(t *testing.T) {
	r := example()
	dir := t.TempDir()
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	again, err := Load(dir, r.Name)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(r, again) {
		t.Errorf("read\n%+v\nwrote\n%+v", again, r)
	}
	var a, b bytes.Buffer
	if err := errors.Join(r.Write(&a), again.Write(&b)); err != nil || a.String() != b.String() {
		t.Errorf("%v, written again:\n%s\nfirst:\n%s", err, b.String(), a.String())
	}
	for line := range strings.Lines(a.String()) {
		if len(line) > prettyWidth+2 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	if r.Markdown("p") != again.Markdown("p") {
		t.Error("renders otherwise after it is read")
	}
}

// Digits that a file has are kept: 4.10 stays 4.10.
func TestNumbersKeepDigits(t *testing.T) {
	var c Cell
	for text, want := range map[string]string{"4.10": "4.10", "16405411": "16,405,411", "-1234.50": "-1,234.50", "1e-09": "1e-09", `"a"`: "a", "null": "–", "123": "123"} {
		if err := c.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := c.show(""); got != want {
			t.Errorf("%s shows as %s, want %s", text, got, want)
		}
		if back, err := c.MarshalJSON(); err != nil || string(back) != text {
			t.Errorf("%s is written as %s, %v", text, back, err)
		}
	}
	for _, bad := range []string{"[1]", "true", "{}"} {
		if err := c.UnmarshalJSON([]byte(bad)); err == nil {
			t.Errorf("%s is taken as a cell", bad)
		}
	}
}

func TestFormatted(t *testing.T) {
	for _, c := range []struct {
		x            float64
		format, want string
	}{
		{4.104, ".2f", "4.10"}, {215.94, ".3g", "216"}, {2.1764, ".3g", "2.18"}, {41.64, ".3g", "41.6"}, {215941, ".3g", "215941"},
		{0.000123456, ".3g", "0.000123"}, {0, ".3g", "0"}, {1.5, "+.1f", "+1.5"}, {-1.5, "+.1f", "-1.5"}, {3, "", "3"}, {1000, ".0f", "1000"},
	} {
		if got := formatted(c.x, c.format); c.format != "" && got != c.want {
			t.Errorf("%v as %s: %s, want %s", c.x, c.format, got, c.want)
		}
	}
}

func TestCheckRefuses(t *testing.T) {
	for want, spoil := range map[string]func(r *Record){
		"its name":                        func(r *Record) { r.Name = "Some Name" },
		"its date":                        func(r *Record) { r.Date = "yesterday" },
		"its commit":                      func(r *Record) { r.Commit = "HEAD" },
		"holds no table":                  func(r *Record) { r.Tables, r.Plots = nil, nil },
		"table 1: is missing":             func(r *Record) { r.Tables[0] = nil },
		"plot 1: is missing":              func(r *Record) { r.Plots[0] = nil },
		"no column or no row":             func(r *Record) { r.Tables[0].Rows = nil },
		"3 cells under 4 columns":         func(r *Record) { r.Tables[0].Add("x", 1, 2) },
		`source "guessed"`:                func(r *Record) { r.Tables[0].Columns[1].Source = "guessed" },
		`row 3: source "guessed"`:         func(r *Record) { r.Tables[0].AddFrom("guessed", "x", 1, 2, 3) },
		"a number without a source":       func(r *Record) { r.Tables[0].Add(1, 1, 2, 3) },
		`column "run": NaN is no number`:  func(r *Record) { r.Tables[0].Add("x", 1, math.NaN(), 3) },
		"value of type []int":             func(r *Record) { r.Tables[0].Add("x", []int{1}, 2, 3) },
		`format "%d"`:                     func(r *Record) { r.Tables[0].Columns[1].Format = "%d" },
		`"a\nb" is more than a line`:      func(r *Record) { r.Tables[0].Add("a\nb", 1, 2, 3) },
		"mark of comments":                func(r *Record) { r.Notes = []string{"<!-- /bench:some-name -->"} },
		"does not print":                  func(r *Record) { r.Machine = "a\x00b" },
		"more than a line":                func(r *Record) { r.Command = "a\nb" },
		"its duration is negative":        func(r *Record) { r.Seconds = math.NaN() },
		"plot 1: it has no title":         func(r *Record) { r.Plots[0].Title = "" },
		"plot 1: 0 curves":                func(r *Record) { r.Plots[0].Curves = nil },
		`curve "search": source ""`:       func(r *Record) { r.Plots[0].Curves[0].Source = "" },
		`curve "search": 0 points`:        func(r *Record) { r.Plots[0].Curves[0].Points = nil },
		`point 3: 0 is not above 0`:       func(r *Record) { r.Plots[0].Curves[0].Add(0, 1) },
		`point 3: NaN is no number`:       func(r *Record) { r.Plots[0].Curves[0].Add(1, math.NaN()) },
		"a curve is missing":              func(r *Record) { r.Plots[0].Curves = append(r.Plots[0].Curves, nil) },
		"plot 1: title \"a\\nb\" is more": func(r *Record) { r.Plots[0].Title = "a\nb" },
	} {
		r := example()
		spoil(r)
		dir := t.TempDir()
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if err := r.Save(dir); err == nil {
			t.Errorf("%s: saved", want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: left %v behind", want, left)
		}
	}
}

// A record that cannot be written leaves the one before as it was.
func TestSaveIsAtomic(t *testing.T) {
	dir := t.TempDir()
	r := example()
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(filepath.Join(dir, "some-name.json"))
	if err != nil {
		t.Fatal(err)
	}
	r.Tables[0].Add("x", 1, math.Inf(1), 3)
	if err := r.Save(dir); err == nil {
		t.Fatal("saved an infinity")
	}
	after, err := os.ReadFile(filepath.Join(dir, "some-name.json"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("%v: the record before is not as it was", err)
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := Load(dir, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no record: %v", err)
	}
	if all, err := LoadAll(filepath.Join(dir, "nowhere")); err != nil || len(all) > 0 {
		t.Errorf("no folder: %v, %v", all, err)
	}
	r := example()
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "some-name.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"other": text, "cut": text[:len(text)/2], "twice": append(bytes.Clone(text), text...),
		"unknown": bytes.Replace(text, []byte(`"date"`), []byte(`"day": "", "date"`), 1), "empty": nil} {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir, name); err == nil || !strings.Contains(err.Error(), name+".json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	all, err := LoadAll(dir)
	if len(all) != 1 || err == nil || !strings.Contains(err.Error(), "cut.json") || !strings.Contains(err.Error(), "unknown.json") {
		t.Errorf("%d records, %v", len(all), err)
	}
}

// The words of sources of times are those of package cost.
func TestSourceWords(t *testing.T) {
	for s, want := range map[Source]cost.Source{FromModel: cost.Modelled, FromBefore: cost.Recorded, FromClock: cost.Measured} {
		if string(s) != want.String() {
			t.Errorf("%s is called %s in package cost", s, want)
		}
	}
}

// FuzzReadRecord: whatever is read is written as the same record, and renders.
func FuzzReadRecord(f *testing.F) {
	var b bytes.Buffer
	if err := example().Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"name":"a","date":"2026-01-01","tables":[{"columns":[{"name":"x"}],"rows":[{"cells":["y"]}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := ReadRecord("file", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file: ") {
				t.Errorf("error %q names no file", err)
			}
			return
		}
		var a, b bytes.Buffer
		if err := r.Write(&a); err != nil {
			t.Fatal(err)
		}
		again, err := ReadRecord("again", a.Bytes())
		if err != nil {
			t.Fatalf("%v in\n%s", err, a.String())
		}
		if err := again.Write(&b); err != nil || a.String() != b.String() {
			t.Fatalf("%v, written again:\n%s\nfirst:\n%s", err, b.String(), a.String())
		}
		body := r.Markdown("p")
		filled, err := Fill("f", openMarker(r.Name)+"\n"+closeMarker(r.Name)+"\n", map[string]string{r.Name: body}, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		twice, err := Fill("f", filled, map[string]string{r.Name: again.Markdown("p")}, nil, false)
		if err != nil || twice != filled {
			t.Fatalf("%v, filled twice:\n%s\nonce:\n%s", err, twice, filled)
		}
		for _, p := range r.Plots {
			if err := p.SVG(&b, true); err != nil {
				t.Fatal(err)
			}
		}
	})
}
