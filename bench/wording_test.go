package bench

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// A record of an older wording gets present captions when it is loaded with the others. The
// record itself, and what is read of it alone, stay.
func TestReworded(t *testing.T) {
	old := func() *Record {
		tab := NewTable("One device a stage:", Label("model"), Modelled("faster by", "%"), Measured("run, before", "ms"), Measured("after", "ms"))
		tab.Add("nobody", 1, 2, 3)
		tab.Add("the default, more", 1, 2, 3)
		p := NewPlot("Cost by the nodes that one e-graph may have", Axis{Name: "nodes"}, Axis{Name: "cost beside the model's"})
		p.Curve("x", FromModel).Add(1, 1)
		return &Record{Name: "some-name", Date: "2026-11-22", Tables: []*Table{tab}, Plots: []*Plot{p}, Notes: []string{"A. Costs are sums. Without a program: x."}}
	}
	r := old()
	now := reworded(r)
	if !reflect.DeepEqual(r, old()) {
		t.Error("the record was changed")
	}
	head, rows, _ := now.Tables[0].Grid()
	if got := strings.Join(head, "; "); got != "model; speedup, %; run, before, ms; run, after, ms" {
		t.Errorf("headings %s", got)
	}
	if rows[0][0] != "none" || rows[1][0] != "default, more" || now.Tables[0].Title != "One device per stage:" {
		t.Errorf("%q: %q", now.Tables[0].Title, rows)
	}
	if now.Plots[0].Title != "Cost by node limit of an e-graph" || now.Plots[0].Y.Name != "cost relative to the model" || !strings.Contains(now.Notes[0], "Not exported: x.") {
		t.Errorf("%+v, %q", now.Plots[0], now.Notes)
	}
	if again := reworded(now); !reflect.DeepEqual(again, now) {
		t.Errorf("twice is not once: %+v", again)
	}
	dir := t.TempDir()
	if err := r.Save(dir); err != nil {
		t.Fatal(err)
	}
	all, err := LoadAll(dir)
	if err != nil || !reflect.DeepEqual(all["some-name"], now) {
		t.Errorf("%+v, %v", all, err)
	}
	if one, err := Load(dir, "some-name"); err != nil || !reflect.DeepEqual(one, r) {
		t.Errorf("%+v, %v", one, err)
	}
}

// No benchmark writes a caption that is renamed: a new record would be renamed, too.
func TestCaptions(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`\b(?:Label|Counted|Measured|Recorded|Modelled|NewTable|NewPlot)\("([^"]*)"`)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range form.FindAllStringSubmatch(string(text), -1) {
			if now, ok := captions[m[1]]; ok {
				t.Errorf("%s: %q is called %q by now", f, m[1], now)
			}
		}
	}
	for old, now := range captions {
		if again, ok := captions[now]; ok {
			t.Errorf("%q becomes %q and then %q", old, now, again)
		}
	}
}

// The plot of planners on GPT is made of a table of the record.
func TestAlpaPlot(t *testing.T) {
	tab := NewTable("", Label("model"), Counted("devices"), Modelled("expert", "x"), Modelled("alpa", "x"), Recorded("expert, paper", "x"), Recorded("Alpa, paper", "x"))
	tab.Add("`gpt-350m`", 1, 20, 26, 47, 45)
	tab.Add("`gpt-39b`", 64, "out of memory", 45, 57, 57)
	tab.Add("`moe-380m`", 1, 1, 1, 1, 1)
	p := alpaPlot(tab)
	if p == nil {
		t.Fatal("no plot")
	}
	if want := [][2]float64{{1, 26}, {64, 45}}; !reflect.DeepEqual(p.Curves[0].Points, want) || p.Curves[0].Source != FromModel {
		t.Errorf("%+v", p.Curves[0])
	}
	if want := [][2]float64{{1, 20}}; !reflect.DeepEqual(p.Curves[1].Points, want) || p.Curves[2].Source != FromBefore {
		t.Errorf("%+v", p.Curves[1])
	}
	if alpaPlot(NewTable("", Label("model"))) != nil {
		t.Error("a plot of a table without the columns")
	}
}
