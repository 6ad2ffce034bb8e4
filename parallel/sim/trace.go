package sim

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// WriteTrace writes the run in the format of Chrome's trace viewer, which Perfetto
// (ui.perfetto.dev) reads: a process for each device with what it computes and a curve of
// its memory, and one for the links, each with what holds it. Times are in microseconds,
// to the picosecond. ("Trace Event Format", Google, 2016.)
func (g *Graph) WriteTrace(w io.Writer) error {
	b := bufio.NewWriter(w)
	first := true
	event := func(format string, args ...any) {
		if !first {
			b.WriteString(",\n")
		}
		first = false
		fmt.Fprintf(b, format, args...)
	}
	b.WriteString("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")
	n := g.cluster.Devices()
	for d := range n {
		event(`{"ph":"M","pid":%d,"name":"process_name","args":{"name":%s}}`, d, quote(g.cluster.Vertices[d].Name))
	}
	event(`{"ph":"M","pid":%d,"name":"process_name","args":{"name":"links"}}`, n)
	named := make([]bool, len(g.orders))
	for _, id := range g.IDs() {
		t, s := g.tasks[id], g.spans[id]
		for _, h := range g.placedAs[id] {
			pid, tid := h.Link, 0
			if h.Link >= n {
				pid, tid = n, h.Link-n
				if !named[h.Link] {
					named[h.Link] = true
					event(`{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":%s}}`, pid, tid, quote(g.linkName(tid)))
				}
			}
			event(`{"ph":"X","pid":%d,"tid":%d,"ts":%s,"dur":%s,"name":%s,"cat":%s,"args":{"task":%d}}`,
				pid, tid, micro(s.Start), micro(h.Time), quote(t.Name), quote(t.Class), id)
		}
	}
	for _, m := range g.Memory() {
		if m.Vertex >= n {
			continue
		}
		for _, l := range m.Curve {
			event(`{"ph":"C","pid":%d,"ts":%s,"name":"memory","args":{"bytes":%d}}`, m.Vertex, micro(l.From), l.Bytes)
		}
	}
	b.WriteString("\n]}\n")
	if err := b.Flush(); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	return nil
}

// linkName is "n0.d0 → n0.d1".
func (g *Graph) linkName(i int) string {
	l := g.cluster.Links[i]
	return g.cluster.Vertices[l.From].Name + " → " + g.cluster.Vertices[l.To].Name
}

// micro is a time in microseconds with all its digits.
func micro(t Time) string { return fmt.Sprintf("%d.%06d", t/1e6, t%1e6) }

// quote is a text as JSON, which replaces bytes that are no UTF-8.
func quote(s string) []byte {
	b, err := json.Marshal(s)
	if err != nil { // not for a string
		return []byte(`""`)
	}
	return b
}
