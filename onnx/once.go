package onnx

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
)

// A node of a file of our own that stands for several operators may say that those which
// are there already are not made again, and how the constants are called that it makes.

// notedOnce is what the note of the node that is being read says.
type notedOnce struct {
	once  bool
	names []string // of the constants that are still to come
}

// noted are what such notes of the model have in common.
type noted struct {
	constants map[string]*value       // by their names
	at        map[string]graph.NodeID // operators by what they are applied to
	until     graph.NodeID            // up to which at is filled
}

// noteOfOnce reads the note, nil if there is none.
func (c *call) noteOfOnce() *notedOnce {
	text, ok := c.noteOf()
	if !ok {
		return nil
	}
	n := &notedOnce{}
	if rest, ok := strings.CutPrefix(text, noteOnce); ok {
		n.once, text = true, strings.TrimPrefix(rest, " ")
	}
	if rest, ok := strings.CutPrefix(text, noteConstants); ok {
		for {
			q, err := strconv.QuotedPrefix(strings.TrimPrefix(rest, " "))
			if err != nil {
				break
			}
			rest = strings.TrimPrefix(rest, " ")[len(q):]
			name, _ := strconv.Unquote(q)
			n.names = append(n.names, name)
		}
		text = rest
	}
	if text != "" || !n.once && n.names == nil {
		return nil
	}
	return n
}

// named gives constants among operands the names that the note has for them. One that is
// there already is taken instead.
func (im *importer) namedOnce(in []*value) []*value {
	n := im.once
	if n == nil || len(n.names) == 0 {
		return in
	}
	in = slices.Clone(in)
	for i, v := range in {
		if v.known == nil || v.weight != nil || v.name != "" || v.tensor.Node != 0 || len(n.names) == 0 {
			continue
		}
		name := n.names[0]
		n.names = n.names[1:]
		if old := im.noted.constants[name]; n.once && old != nil && old.dtype == v.dtype && slices.Equal(old.dims(), v.dims()) && bytes.Equal(old.known.encode(), v.known.encode()) {
			in[i] = old
			continue
		}
		v.name = name
		if im.noted.constants == nil {
			im.noted.constants = map[string]*value{}
		}
		im.noted.constants[name] = v
	}
	return in
}

// again are the outputs of an operator that is there already, nil if it is not or the node
// that is being read does not ask for it.
func (im *importer) again(op *graph.Op, a graph.Attrs, in []*value) []*value {
	if im.once == nil || !im.once.once {
		return nil
	}
	g, s := im.made.Graph(), &im.noted
	if s.at == nil {
		s.at = map[string]graph.NodeID{}
	}
	for id := s.until + 1; int(id) <= g.Len(); id++ {
		if o := g.Op(id); o != nil && o.Name != graph.OpaqueName {
			if key := applicationKey(g, id); s.at[key] == 0 {
				s.at[key] = id
			}
		}
		s.until = id
	}
	var ts []graph.Tensor
	for _, v := range in {
		if v.tensor.Node == 0 {
			return nil
		}
		ts = append(ts, v.tensor)
	}
	id := s.at[operatorKey(op, a, ts)]
	if id == 0 {
		return nil
	}
	outs := make([]*value, g.NumOut(id))
	for i := range outs {
		outs[i] = im.values[id.Out(i)]
	}
	return outs
}
