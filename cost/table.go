package cost

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taso-go/taso/graph"
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

// Merge puts all entries of another table and returns how many of them are now
// the table's own.
func (t *Table) Merge(other *Table) (int, error) {
	n := 0
	for _, e := range other.Entries() {
		taken, err := t.Put(e)
		if err != nil {
			return n, err
		}
		if taken {
			n++
		}
	}
	return n, nil
}

// Model is the table's times of one setting as a [Model]. An application that
// is not in the table is a *MissingError, and so is every opaque operator. A
// view that was not measured costs nothing the table knows of: it is missing
// too, for the caller to decide with [WithFallback].
func (t *Table) Model(s Setting) Model { return tabled{t, s} }

type tabled struct {
	t *Table
	s Setting
}

func (m tabled) Cost(op *graph.Op, a graph.Attrs, in, out []graph.TensorType) (Seconds, Source, error) {
	if op == nil {
		return 0, 0, &MissingError{Key{Setting: m.s, Op: "opaque", In: formatTypes(in), Out: formatTypes(out)}}
	}
	k := KeyOf(m.s, op, a, in, out)
	s, ok := m.t.Get(k)
	if !ok {
		return 0, 0, &MissingError{k}
	}
	return s.Seconds, s.Source, nil
}

// NewEntry is an entry of now.
func NewEntry(k Key, s Sample) Entry { return Entry{Key: k, Sample: s, Unix: time.Now().Unix()} }
