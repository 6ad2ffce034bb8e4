package bench

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/taso-go/taso/internal/suggest"
)

//go:embed papers.json
var papersText []byte

// Own is the name of the entry of the index that holds results which no paper has.
const Own = "own"

// Paper is an entry of the index from papers to benchmarks.
type Paper struct {
	Name  string `json:"name"` // as `taso bench paper` takes it
	Title string `json:"title"`
	Venue string `json:"venue"` // with the year
	Items []Item `json:"items"`
}

// Item is a table, a figure or a claim of a paper.
type Item struct {
	ID   string `json:"id"`
	What string `json:"what"`
	// Published is what the paper reports, with units; "" where it was not read.
	Published string `json:"published,omitempty"`
	// Topic is the section of RESULTS.md that holds a row for the item, "" for none.
	Topic string `json:"topic,omitempty"`
	// Headline rows are kept fresh: all together take [HeadlineLimit] at most.
	Headline bool `json:"headline,omitempty"`
	// Benchmarks cover the item; the row is made from the record of the first one.
	// None: the item is not covered.
	Benchmarks []string `json:"benchmarks,omitempty"`
}

// Covered says whether a benchmark covers the item.
func (it *Item) Covered() bool { return len(it.Benchmarks) > 0 }

var papersIndex = sync.OnceValues(func() ([]*Paper, error) { return readPapers(papersText) })

// Papers lists the index in the order of its file. The last entry is [Own].
func Papers() ([]*Paper, error) { return papersIndex() }

// readPapers reads an index and checks names, ids, and that covered items say their basis.
func readPapers(text []byte) ([]*Paper, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var papers []*Paper
	if err := d.Decode(&papers); err != nil {
		return nil, fmt.Errorf("papers.json: %w", err)
	}
	names, ids := map[string]bool{}, map[string]bool{}
	for _, p := range papers {
		fail := func(err error) ([]*Paper, error) { return nil, fmt.Errorf("papers.json: %s: %w", p.Name, err) }
		switch {
		case !nameForm.MatchString(p.Name) || names[p.Name]:
			return fail(errors.New("its name is not lower-case words joined by \"-\", or occurs twice"))
		case p.Title == "" || len(p.Items) == 0:
			return fail(errors.New("title or items are missing"))
		}
		names[p.Name] = true
		for _, it := range p.Items {
			switch {
			case !nameForm.MatchString(it.ID) || ids[it.ID]:
				return fail(fmt.Errorf("item %q: its id is not lower-case words joined by \"-\", or occurs twice", it.ID))
			case it.What == "" || strings.Contains(it.What+it.Published, "\n"):
				return fail(fmt.Errorf("item %s: want one line of text", it.ID))
			case it.Topic != "" && topicOf(it.Topic) == nil:
				return fail(fmt.Errorf("item %s: unknown topic %q", it.ID, it.Topic))
			case (it.Topic != "" || it.Headline) && !it.Covered():
				return fail(fmt.Errorf("item %s: a row without a benchmark", it.ID))
			case it.Headline && it.Topic == "":
				return fail(fmt.Errorf("item %s: a headline without a topic", it.ID))
			}
			ids[it.ID] = true
		}
	}
	return papers, nil
}

// FindPaper finds an entry of the index by name. The error names the nearest ones.
func FindPaper(name string) (*Paper, error) {
	papers, err := Papers()
	if err != nil {
		return nil, err
	}
	var names, titled []string
	low := strings.ToLower(name)
	for _, p := range papers {
		if p.Name == low {
			return p, nil
		}
		names = append(names, p.Name)
		if low != "" && strings.Contains(strings.ToLower(p.Title), low) {
			titled = append(titled, p.Name)
		}
	}
	hint := suggest.DidYouMean(low, names)
	switch {
	case hint == "" && len(titled) > 0:
		hint = "; did you mean " + strings.Join(titled, " or ") + "?"
	case hint == "":
		hint = "; taso bench paper --list lists all"
	}
	return nil, fmt.Errorf("no paper %q in the index%s", name, hint)
}

// PapersOf lists the entries of the index that a benchmark serves, by name.
func PapersOf(benchmark string) ([]string, error) {
	papers, err := Papers()
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range papers {
		if slices.ContainsFunc(p.Items, func(it Item) bool { return slices.Contains(it.Benchmarks, benchmark) }) {
			out = append(out, p.Name)
		}
	}
	return out, nil
}

// Benchmarks lists the benchmarks that cover items of the paper, each once.
func (p *Paper) Benchmarks() []string {
	var out []string
	for _, it := range p.Items {
		for _, b := range it.Benchmarks {
			if !slices.Contains(out, b) {
				out = append(out, b)
			}
		}
	}
	return out
}
