package onnx

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// RewriteOptions say how a file is rewritten.
type RewriteOptions struct {
	// Fix: sizes that the file leaves open are those that the model was read with, and
	// inputs that were given a value, or taken to have their default, are constants, even if
	// nothing else changes. They are constants in any file that changes.
	Fix bool
	// Clean: nodes on which no output of the file depends are left out, nodes that compute
	// what is there before, such as a reshape to the same sizes, and nodes that compute
	// constants, which are stored. The branch that is taken stands in place of an If whose
	// condition is constant, at all sizes that stay open.
	Clean bool
	// Link: files of numbers next to the model may be links to those of the source, as for a
	// file that is soon removed. Otherwise they are copies: who writes to one keeps the other.
	Link bool
	// Digest, if not nil, is the SHA-256 of the file that is to be written: another one is
	// not, and the error is [ErrDigest].
	Digest []byte
}

// ErrDigest is the error of [Rewrite] where [RewriteOptions.Digest] is another file's.
var ErrDigest = errors.New("the file would be another one than expected")

// Rewrite writes the file that s was read from with the changes that make it compute r, a
// model of the same inputs and outputs. A node of the file whose results r computes in the
// same way is copied byte by byte, as is everything else that r does not concern: names,
// metadata, versions, initializers, functions. What r computes otherwise is written in the
// operator set of the file. If nothing changes, the result is the file, byte by byte.
//
// Sizes that the file leaves open stay open, although r is a model of certain ones: whether
// the file computes the same at others is up to the caller, who can read both at others
// ([Source.Other]), or fix them.
// External data files are copied where path is in another folder.
//
// The error says what cannot be written so: an operator that the file's operator set does
// not have, for one.
func Rewrite(path string, s *Source, r *model.Model, opt RewriteOptions) (*Changes, error) {
	c, err := rewriteFile(path, s, r, opt)
	if err != nil {
		return nil, &Error{File: path, Err: err}
	}
	return c, nil
}

func rewriteFile(path string, s *Source, r *model.Model, opt RewriteOptions) (*Changes, error) {
	if len(r.Graph.Outputs()) != len(s.file.GetGraph().GetOutput()) {
		return nil, fmt.Errorf("the result has %d outputs, the file %d", len(r.Graph.Outputs()), len(s.file.GetGraph().GetOutput()))
	}
	src, done, err := s.src.open()
	if err != nil {
		return nil, err
	}
	defer done()
	f, err := newPatch(s, r, src, opt)
	if err != nil {
		return nil, err
	}
	return &f.changes, atomicfile.WriteFile(path, func(w io.Writer) error {
		h := sha256.New()
		b := bufio.NewWriterSize(io.MultiWriter(w, h), 1<<20)
		for _, piece := range f.out {
			if err := piece.copyTo(b, src); err != nil {
				return err
			}
		}
		if err := b.Flush(); err != nil {
			return err
		}
		if opt.Digest != nil && !bytes.Equal(h.Sum(nil), opt.Digest) {
			return ErrDigest
		}
		return s.dataFiles(path, opt.Link)
	})
}

// dataFiles copies the files that hold numbers to the folder of path, where they are missing.
func (s *Source) dataFiles(path string, link bool) error {
	from, to := filepath.Dir(s.src.path), filepath.Dir(path)
	for name := range s.src.others {
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		at := filepath.Join(to, rel)
		a, err := os.Stat(name)
		if err != nil {
			return err
		}
		if b, err := os.Stat(at); err == nil {
			if os.SameFile(a, b) || a.Size() == b.Size() && a.ModTime().Equal(b.ModTime()) {
				continue
			}
			return fmt.Errorf("the model reads its numbers from %s, and %s is another file", name, at)
		}
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		if link && os.Link(name, at) == nil {
			continue
		}
		err = atomicfile.WriteFile(at, func(w io.Writer) error {
			f, err := os.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = io.Copy(w, f)
			return err
		})
		if err != nil {
			return err
		}
		_ = os.Chtimes(at, a.ModTime(), a.ModTime())
	}
	return nil
}

// patch is a file with changes.
type patch struct {
	w       *rewriting
	s       *Source
	src     io.ReaderAt
	opt     RewriteOptions
	taken   *names
	rename  map[string]string // values that have the name of an output now
	region  *onnxpb.ModelProto
	changed bool
	final   map[string]bool // values of the result
	read    map[string]bool // values that nodes of the file read
	input   map[string]bool // inputs of the file
	added   []*onnxpb.TensorProto
	held    int64 // bytes of numbers of nodes that come out of branches
	out     []segment
	changes Changes
}

// item is a node of the result.
type item struct {
	reads, makes []string
	at           int // of the nodes of the source; -1: new
	node         *onnxpb.NodeProto
}

func newPatch(s *Source, r *model.Model, src io.ReaderAt, opt RewriteOptions) (f *patch, err error) {
	if r.Graph != s.model.Graph {
		if r, err = once(r); err != nil {
			return nil, err
		}
	}
	plain := s
	if opt.Clean {
		s = s.inlined(opt.Fix)
	}
	open := &opened{values: map[string]bool{}, nodes: map[int]bool{}}
	p, m := newPaths(s), match(s.model, r)
	for {
		f, err = open.patch(p, m, r, src, opt, s != plain)
		// Each turn keeps less of the file, so that there is a last one.
		if c := (*cycle)(nil); !errors.As(err, &c) || !open.add(s, c) {
			return f, err
		}
	}
}

// patch makes the patch, or finds a cycle.
func (o *opened) patch(p *paths, m *matching, r *model.Model, src io.ReaderAt, opt RewriteOptions, inlined bool) (f *patch, err error) {
	defer must.Catch(&err)
	s := p.s
	f = &patch{w: newRewriting(p, m, r, o), s: s, src: src, opt: opt, taken: newNames(), rename: map[string]string{}, final: map[string]bool{},
		changes: Changes{Operators: map[string]int{}}}
	w := f.w
	w.clean = opt.Clean
	w.decide()
	for _, o := range s.file.GetGraph().GetOutput() {
		w.demand(o.GetName())
	}
	if !opt.Clean {
		w.dead()
	}
	w.write()
	items := f.items()
	f.changed = inlined || len(w.written)+len(w.stored)+len(w.sizes)+len(w.alias) > 0 || opt.Clean && slices.Contains(w.copied, false) ||
		opt.Fix && len(s.open)+len(s.given)+len(s.defaults) > 0
	if !f.changed {
		f.out = []segment{{end: s.src.size}}
		f.changes.Kept = len(s.file.GetGraph().GetNode())
		return f, nil
	}
	f.read, f.input = map[string]bool{}, map[string]bool{}
	for _, reads := range w.reads {
		for _, v := range reads {
			f.read[v] = true
		}
	}
	for _, o := range s.file.GetGraph().GetOutput() {
		f.read[o.GetName()] = true
	}
	for _, in := range s.file.GetGraph().GetInput() {
		f.input[in.GetName()] = !slices.Contains(s.defaults, in.GetName())
	}
	f.add()
	f.assemble(items)
	return f, nil
}

// name is the name that a value of the file has in the result.
func (f *patch) name(v string) string {
	for n := 0; n <= len(f.w.alias); n++ {
		u, ok := f.w.alias[v]
		if !ok {
			break
		}
		v = u
	}
	if u, ok := f.rename[v]; ok {
		return u
	}
	return v
}

// items are the nodes of the result, operands first.
func (f *patch) items() []item {
	w, g := f.w, f.s.file.GetGraph()
	for v := range f.s.values {
		f.taken.claim(v)
	}
	inside := newNames()
	for _, n := range f.s.nodes {
		f.taken.claim(n.GetName())
		for _, o := range n.GetOutput() {
			f.taken.claim(o)
		}
		claimInside(f.taken, n)
		claimInside(inside, n)
	}
	var list []item
	// An output whose node is gone and that another value is: this value gets its name, unless
	// a graph within a node defines this name: there it would be another value.
	for _, o := range g.GetOutput() {
		u, v := w.alias[o.GetName()], o.GetName()
		if u == "" {
			continue
		}
		u = f.name(u)
		_, made := w.maker[u]
		_, other := w.outputs[u]
		if made && !other && !inside.taken[v] {
			f.rename[u] = v
			continue
		}
		list = append(list, item{reads: []string{u}, makes: []string{v}, at: -1, node: &onnxpb.NodeProto{
			OpType: proto.String("Identity"), Name: proto.String(f.taken.unique(v + "/identity")), Input: []string{u}, Output: []string{v}}})
	}
	if len(w.written)+len(w.sizes) > 0 {
		f.region = must.Get(w.export(f.name, f.taken, !f.opt.Fix && len(f.s.open) > 0))
		w.originals(f.region, f.taken)
		if len(w.written) != len(f.region.GetGraph().GetOutput()) {
			must.Failf("a new node needs what is new itself")
		}
		for _, n := range f.region.GetGraph().GetNode() {
			reads := slices.DeleteFunc(slices.Clone(n.GetInput()), func(v string) bool { return v == "" })
			for v := range captured(n) {
				reads = append(reads, v)
			}
			list = append(list, item{reads: reads, makes: n.GetOutput(), at: -1, node: n})
		}
	}
	// New nodes come right before the first that reads them.
	maker := map[string]*item{}
	var kept []*item
	for i, n := range f.s.nodes {
		if !w.copied[i] {
			continue
		}
		it := &item{at: i, node: n}
		for _, v := range w.reads[i] {
			it.reads = append(it.reads, f.name(v))
		}
		for _, v := range n.GetOutput() {
			if v != "" {
				it.makes = append(it.makes, f.name(v))
			}
		}
		kept = append(kept, it)
	}
	for i := range list {
		kept = append(kept, &list[i])
	}
	for _, it := range kept {
		for _, v := range it.makes {
			maker[v] = it
		}
	}
	return ordered(kept, maker)
}

// claimInside claims the names that graphs within a node define.
func claimInside(taken *names, n *onnxpb.NodeProto) {
	eachGraph(n, func(g *onnxpb.GraphProto) {
		for _, v := range g.GetInput() {
			taken.claim(v.GetName())
		}
		for _, t := range g.GetInitializer() {
			taken.claim(t.GetName())
		}
		for _, m := range g.GetNode() {
			taken.claim(m.GetName())
			for _, o := range m.GetOutput() {
				taken.claim(o)
			}
			claimInside(taken, m)
		}
	})
}

// field is a message as a field.
func field(num protowire.Number, m proto.Message) segment {
	b := must.Get(deterministic.Marshal(m))
	return segment{num: num, text: protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)}
}

// assemble lines up the pieces of the result.
func (f *patch) assemble(items []item) {
	model := must.Get(fieldsOf(f.src, f.s.src.size, 0, f.s.src.size))
	isGraph := func(s segment) bool { return s.num == modelGraph }
	at := slices.IndexFunc(model, isGraph)
	if slices.ContainsFunc(model[at+1:], isGraph) {
		must.Failf("the file has two graphs")
	}
	fields := must.Get(fieldsOf(f.src, f.s.src.size, model[at].body, model[at].end))
	content := f.graph(fields, items)
	size := int64(0)
	for _, s := range content {
		size += s.size()
	}
	for i, s := range model {
		if i != at {
			f.out = append(f.out, s)
			continue
		}
		head := protowire.AppendVarint(protowire.AppendTag(nil, modelGraph, protowire.BytesType), uint64(size))
		f.out = append(append(f.out, segment{text: head}), content...)
	}
	if f.region == nil {
		return
	}
	have := map[string]int64{}
	for _, o := range f.s.file.GetOpsetImport() {
		have[o.GetDomain()] = o.GetVersion()
	}
	for _, o := range f.region.GetOpsetImport() {
		switch v, ok := have[o.GetDomain()]; {
		case defaultDomain(o.GetDomain()) || ok && v == o.GetVersion():
		case ok:
			must.Failf("a new node is of version %d of the domain %q, the file of version %d", o.GetVersion(), clip(o.GetDomain()), v)
		default:
			f.out = append(f.out, field(modelOpsets, o))
		}
	}
}

// graph lines up the pieces of the graph.
func (f *patch) graph(fields []segment, items []item) (out []segment) {
	by := map[protowire.Number][]segment{}
	for _, s := range fields {
		by[s.num] = append(by[s.num], s)
	}
	g := f.s.file.GetGraph()
	if len(by[graphNode]) != len(g.GetNode()) || len(by[graphWeight]) != len(g.GetInitializer()) || len(by[graphInput]) != len(g.GetInput()) {
		must.Do(errors.New("the file changed since it was read"))
	}
	replace := map[protowire.Number][]segment{graphNode: f.nodes(by[graphNode], items), graphWeight: f.weights(by[graphWeight])}
	replace[graphInput] = f.inputs(by[graphInput])
	replace[graphInfo] = f.infos(by[graphInfo])
	for i, s := range by[graphQuantized] {
		if f.final[g.GetQuantizationAnnotation()[i].GetTensorName()] {
			replace[graphQuantized] = append(replace[graphQuantized], s)
		}
	}
	for _, s := range fields {
		pieces, ok := replace[s.num]
		if !ok && s.num != graphQuantized {
			out = append(out, s)
			continue
		}
		out = append(out, pieces...)
		replace[s.num] = nil
	}
	for _, num := range []protowire.Number{graphNode, graphWeight, graphInput, graphInfo} {
		out = append(out, replace[num]...)
	}
	return out
}

func (f *patch) nodes(pieces []segment, items []item) (out []segment) {
	place := map[*onnxpb.NodeProto]int{}
	for i, n := range f.s.file.GetGraph().GetNode() {
		place[n] = i
	}
	f.changes.Dropped = len(pieces)
	for _, it := range items {
		for _, v := range it.makes {
			f.final[v] = true
		}
		if it.at < 0 {
			f.changes.Written++
			f.changes.Operators[opName(it.node)]++
			out = append(out, field(graphNode, it.node))
			continue
		}
		at, ok := place[it.node]
		if !ok {
			f.changes.Inlined++
			out = append(out, field(graphNode, f.moved(it.node)))
			continue
		}
		f.changes.Dropped--
		s := pieces[at]
		same := !slices.ContainsFunc(it.node.GetInput(), f.renamed) && !slices.ContainsFunc(it.node.GetOutput(), f.renamed)
		for v := range captured(it.node) {
			same = same && !f.renamed(v)
		}
		if same {
			f.changes.Kept++
			out = append(out, s)
			continue
		}
		f.changes.Renamed++
		n := &onnxpb.NodeProto{}
		must.Do(proto.Unmarshal(must.Get(s.content(f.src)), n))
		renameNode(n, f.name)
		out = append(out, field(graphNode, n))
	}
	return out
}

// moved is a node of a branch that stands in place of its If.
func (f *patch) moved(n *onnxpb.NodeProto) *onnxpb.NodeProto {
	n = proto.Clone(n).(*onnxpb.NodeProto)
	im := &importer{src: f.s.src, opt: f.s.opt, held: f.held}
	im.inflate(n)
	f.held = im.held
	renameNode(n, f.name)
	return n
}

func (f *patch) renamed(v string) bool { return v != "" && f.name(v) != v }

func (f *patch) weights(pieces []segment) (out []segment) {
	g := f.s.file.GetGraph()
	for i, t := range g.GetInitializer() {
		if f.s.given[t.GetName()] == nil && f.keepsInitializer(t.GetName()) {
			f.final[t.GetName()] = true
			out = append(out, pieces[i])
		}
	}
	for _, t := range f.added {
		f.final[t.GetName()] = true
		out = append(out, field(graphWeight, t))
	}
	return out
}

// keepsInitializer: those that nobody read before stay as well.
func (f *patch) keepsInitializer(v string) bool {
	return f.w.inits[v] || !f.read[v] || f.s.file.GetIrVersion() > 3 && f.input[v]
}

// add makes the new initializers.
func (f *patch) add() {
	if f.region != nil {
		f.added = append(f.added, f.region.GetGraph().GetInitializer()...)
	}
	store := func(v string, w *model.Weight) {
		t := tensorProto(v, graph.TensorType{DType: w.DType, Sizes: w.Sizes})
		t.RawData = pack(w.DType, must.Get(w.Read()))
		f.added = append(f.added, t)
	}
	for _, v := range f.w.stored {
		store(f.name(v), f.s.values[v].fixed.stored())
	}
	for _, v := range f.s.initial {
		if f.w.inits[v] {
			store(v, f.s.values[v].fixed.stored())
		}
	}
	for _, in := range f.s.file.GetGraph().GetInput() {
		if w := f.s.given[in.GetName()]; w != nil && f.w.needed[in.GetName()] {
			store(in.GetName(), w)
		}
	}
}

func (f *patch) inputs(pieces []segment) (out []segment) {
	g := f.s.file.GetGraph()
	stored := map[string]bool{}
	for _, t := range g.GetInitializer() {
		stored[t.GetName()] = true
	}
	open := map[string]bool{}
	for _, o := range f.s.open {
		open[o.Input] = true
	}
	for i, in := range g.GetInput() {
		v := in.GetName()
		switch {
		case f.s.given[v] != nil, slices.Contains(f.s.defaults, v), stored[v] && !f.keepsInitializer(v):
			continue
		case f.opt.Fix && open[v] && f.s.values[v].tensor.Node != 0:
			in = proto.Clone(in).(*onnxpb.ValueInfoProto)
			typ := f.s.model.Graph.Type(f.s.values[v].tensor)
			shape := valueInfo(v, typ).GetType().GetTensorType().GetShape()
			for _, o := range f.s.axes { // variables stay
				if o.Input == v {
					shape.Dim[o.Axis] = in.GetType().GetTensorType().GetShape().GetDim()[o.Axis]
				}
			}
			in.GetType().GetTensorType().Shape = shape
			out = append(out, field(graphInput, in))
		default:
			out = append(out, pieces[i])
		}
	}
	if f.opt.Fix {
		f.changes.Fixed = f.s.open
	}
	if f.s.file.GetIrVersion() < 4 { // initializers are inputs there
		for _, t := range f.added {
			typ := must.Get(dtypeOf(elem(t.GetDataType())))
			out = append(out, field(graphInput, valueInfo(t.GetName(), graph.TensorType{DType: typ, Sizes: sizesOf(t)})))
		}
	}
	return out
}

func (f *patch) infos(pieces []segment) (out []segment) {
	have := map[string]bool{}
	for i, v := range f.s.file.GetGraph().GetValueInfo() {
		if f.final[v.GetName()] {
			have[v.GetName()] = true
			out = append(out, pieces[i])
		}
	}
	for _, v := range f.s.infos {
		_, output := f.w.outputs[v.GetName()]
		if f.final[v.GetName()] && !have[v.GetName()] && !output {
			have[v.GetName()] = true
			out = append(out, field(graphInfo, v))
		}
	}
	for _, v := range f.region.GetGraph().GetValueInfo() {
		// Where sizes stay open, those of new values are not known.
		if !have[v.GetName()] && (f.opt.Fix || len(f.s.open) == 0) && len(f.s.axes) == 0 {
			out = append(out, field(graphInfo, v))
		}
	}
	return out
}
