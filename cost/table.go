package cost

import (
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Entry is one line of a table.
type Entry struct {
	Key    Key    `json:"key"`
	Sample Sample `json:"sample"`
	// Unix is when the sample was taken, in seconds since 1970; 0 is not known.
	Unix int64 `json:"unix,omitempty"`
}

// better says whether e replaces the entry d of the same key: the more trusted
// source does, then the later time, then the one added later.
func (e Entry) better(d Entry) bool {
	if e.Sample.Source != d.Sample.Source {
		return e.Sample.Source > d.Sample.Source
	}
	return e.Unix >= d.Unix
}

// Table holds the best sample of each key. The zero value is empty and ready;
// it may be used by any number of goroutines. [OpenStore] binds one to a file.
type Table struct {
	mu sync.RWMutex
	m  map[Key]Entry
}

// Put adds a sample, unless the key has one that is better: measured is better
// than recorded than modelled, and of one source the later one counts. It says
// whether the sample is now the key's.
func (t *Table) Put(e Entry) (bool, error) {
	if err := e.Sample.Check(); err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if old, ok := t.m[e.Key]; ok && !e.better(old) {
		return false, nil
	}
	if t.m == nil {
		t.m = map[Key]Entry{}
	}
	t.m[e.Key] = e
	return true, nil
}

// Get is the best sample of a key.
func (t *Table) Get(k Key) (Sample, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	e, ok := t.m[k]
	return e.Sample, ok
}

// Len is the number of keys.
func (t *Table) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.m)
}

// Entries are the best entries of all keys, by the keys' texts.
func (t *Table) Entries() []Entry {
	t.mu.RLock()
	type line struct {
		text string
		e    Entry
	}
	lines := make([]line, 0, len(t.m))
	for k, e := range t.m {
		lines = append(lines, line{k.String(), e})
	}
	t.mu.RUnlock()
	slices.SortFunc(lines, func(a, b line) int { return strings.Compare(a.text, b.text) })
	out := make([]Entry, len(lines))
	for i, l := range lines {
		out[i] = l.e
	}
	return out
}

// Settings are the different settings in the table, with the number of keys of
// each, by their texts.
func (t *Table) Settings() []SettingCount {
	var out []SettingCount
	at := map[Setting]int{}
	for _, e := range t.Entries() {
		i, ok := at[e.Key.Setting]
		if !ok {
			i = len(out)
			at[e.Key.Setting] = i
			out = append(out, SettingCount{Setting: e.Key.Setting})
		}
		out[i].Keys++
	}
	slices.SortFunc(out, func(a, b SettingCount) int { return strings.Compare(a.Setting.String(), b.Setting.String()) })
	return out
}

// SettingCount is a setting with the number of its keys in a table.
type SettingCount struct {
	Setting Setting
	Keys    int
}

// Model is the table's times of one setting as a [Model], as they are now. An
// application that is not in the table is a *MissingError, and so is every opaque
// operator. A view costs the median of the setting's times of reshapes, which
// move nothing.
//
// A group that was not timed as one is priced from its parts, which makes its
// time a modelled one: the root's time, and of each fused operator a share of its
// own time without the start, which is the shortest time of the setting. A function
// of many instructions keeps all of it; of others only the part for the operands
// that are still read counts.
func (t *Table) Model(s Setting) Model {
	m := &tabled{t: t, s: s, start: Seconds(math.Inf(1)), viewSource: Measured}
	var views []Seconds
	t.mu.RLock()
	defer t.mu.RUnlock()
	for k, e := range t.m {
		switch op, known := graph.Lookup(k.Op); {
		case k.Setting != s:
		case k.Op == "reshape":
			views = append(views, e.Sample.Seconds)
			m.viewSource = min(m.viewSource, e.Sample.Source)
		case !known || !lower.IsView(op): // which may move nothing
			m.start = min(m.start, e.Sample.Seconds)
		}
	}
	m.view = Median(views)
	return m
}

type tabled struct {
	t           *Table
	s           Setting
	view, start Seconds
	viewSource  Source
}

func (m *tabled) Cost(a Application) (Seconds, Source, error) {
	k := KeyOf(m.s, a)
	if a.View && m.view > 0 {
		return m.view, m.viewSource, nil
	}
	if s, ok := m.t.Get(k); ok && a.Op != nil && !a.View {
		return s.Seconds, s.Source, nil
	}
	if len(a.Tail) > 0 {
		return ofParts(m, a)
	}
	if a.repeated() {
		// As with operands of the result's shape, without the traffic that is not there.
		whole := a
		whole.In = slices.Clone(a.In)
		for i := range whole.In {
			whole.In[i].Sizes = a.Out[0].Sizes
		}
		if s, _, err := m.Cost(whole); err == nil {
			part := float64(WorkOf(a).Bytes()) / float64(max(1, WorkOf(whole).Bytes()))
			return min(s, m.start+Seconds(part)*max(0, s-m.start)), Modelled, nil
		}
	}
	return 0, 0, &MissingError{k}
}

func (m *tabled) Fused(f Fused, t graph.TensorType) (Seconds, Source, error) {
	s, source, err := m.Cost(f.alone(t))
	return Seconds(f.share(t)) * max(0, s-m.start), source, err
}

// share is the part of an elementwise operator's time that is left when it is
// fused into another one's kernel.
func (f *Fused) share(t graph.TensorType) float64 {
	w := WorkOf(f.alone(t))
	if w.Class == Function {
		return 1
	}
	return float64(f.bytes(t)) / float64(max(1, w.Bytes()))
}

// NewEntry is an entry of now.
func NewEntry(k Key, s Sample) Entry { return Entry{Key: k, Sample: s, Unix: time.Now().Unix()} }
