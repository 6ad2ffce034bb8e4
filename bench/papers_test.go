package bench

import (
	"slices"
	"strings"
	"testing"
)

// Every benchmark that the index names exists, every benchmark serves a paper or is one of
// our own, and every row has a figure.
func TestPapers(t *testing.T) {
	papers, err := Papers()
	if err != nil {
		t.Fatal(err)
	}
	if papers[len(papers)-1].Name != Own {
		t.Error("the last entry is not our own")
	}
	rows := map[string]bool{}
	for _, p := range papers {
		if p.Venue == "" && p.Name != Own {
			t.Errorf("paper %s: no venue", p.Name)
		}
		for _, it := range p.Items {
			if p.Name == Own && !it.Covered() {
				t.Errorf("item %s is our own and has no benchmark", it.ID)
			}
			for _, name := range it.Benchmarks {
				b, err := Find(name)
				if err != nil {
					t.Errorf("item %s: %v", it.ID, err)
				} else if b.Past() && it.Headline {
					t.Errorf("item %s: benchmark %s cannot be run, so that its row is no headline", it.ID, name)
				}
			}
			if it.Topic != "" {
				rows[it.ID] = true
				if figures[it.ID] == nil {
					t.Errorf("item %s has no figure of ours", it.ID)
				}
			}
		}
	}
	for _, id := range sortedKeys(figures) {
		if !rows[id] {
			t.Errorf("a figure for item %s, which is not in the index or has no topic", id)
		}
	}
	for _, b := range All() {
		names, err := PapersOf(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		if len(names) == 0 {
			t.Errorf("benchmark %s serves no entry of papers.json: add it to a paper or to %q", b.Name, Own)
		}
	}
	for _, want := range []string{"metaflow", "taso", "pet", "tensat", "flexflow", "unity", "alpa", "spores"} {
		if _, err := FindPaper(want); err != nil {
			t.Error(err)
		}
	}
	if p, err := FindPaper("Unity"); err != nil || p.Short() != "Unity" || !slices.Contains(p.Benchmarks(), "plans-unity") {
		t.Errorf("%v, %v", p, err)
	}
	if _, err := FindPaper("soap"); err == nil || !strings.Contains(err.Error(), "taso bench paper --list") {
		t.Errorf("error %v", err)
	}
	if _, err := FindPaper("uni"); err == nil || !strings.Contains(err.Error(), "did you mean unity?") {
		t.Errorf("error %v", err)
	}
}

func TestReadPapers(t *testing.T) {
	const good = `[{"name": "p", "title": "T", "venue": "V 2020", "items": [{"id": "p-1", "what": "w", "topic": "rules", "benchmarks": ["models"]}]}]`
	if _, err := readPapers([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string][2]string{
		"unknown field":               {`"venue"`, `"place"`},
		"its name is not":             {`"name": "p"`, `"name": "P"`},
		"title or items are missing":  {`"title": "T"`, `"title": ""`},
		`item "P-1": its id is not`:   {`"p-1"`, `"P-1"`},
		"want one line of text":       {`"w"`, `""`},
		`unknown topic "cooking"`:     {`"topic": "rules"`, `"topic": "cooking"`},
		"a row without a benchmark":   {`, "benchmarks": ["models"]`, ""},
		"a headline without a topic":  {`"topic": "rules"`, `"headline": true`},
		"or occurs twice":             {`["models"]}`, `["models"]}, {"id": "p-1", "what": "w"}`},
		"papers.json: unexpected EOF": {"}]}]", "}]}"},
	} {
		if _, err := readPapers([]byte(strings.Replace(good, change[0], change[1], 1))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
