package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/taso-go/taso/cost"
)

// spec is what a file says, checked field by field.
type spec struct {
	name, doc string
	device    *cost.Machine
	memory    int64
	shape     []int
	most      int
	classes   []Class
	node      nodeSpec
	net       *netSpec
}

// nodeSpec is one node, of which a cluster has many.
type nodeSpec struct {
	line     int
	devices  int
	forward  bool
	switches []string
	hosts    []Vertex // with name and memory
	links    []linkSpec
}

// linkSpec is one line of links within a node.
type linkSpec struct {
	form  string // of linkForms
	ends  []string
	hub   string
	class int
	width int64
}

// linkForms are the ways to say which ends are joined.
var linkForms = []string{"pair", "mesh", "ring", "star", "bus"}

// Options are choices that a cluster's file leaves open.
type Options struct {
	// Nodes replaces the number of nodes of the file, on a torus its sizes; none: as the
	// file says.
	Nodes []int
}

// maxFileBytes bounds what is read of a file; a cluster has about 2 KB.
const maxFileBytes = 1 << 20

// ReadFile reads the description of a cluster. A device that is named by a path is looked
// for beside the file.
func ReadFile(path string, opt Options) (*Cluster, error) {
	// Opening a pipe would wait for somebody to write.
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() {
		return nil, fmt.Errorf("cluster %s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", path, err)
	}
	return Parse(path, text, opt)
}

// Parse reads the description of a cluster: one YAML document with the fields of the
// package comment. Errors name file and line; all that is wrong with the fields is
// reported at once.
func Parse(file string, text []byte, opt Options) (*Cluster, error) {
	if len(text) > maxFileBytes {
		return nil, fmt.Errorf("cluster %s: more than %d bytes", file, maxFileBytes)
	}
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	if err := d.Decode(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("cluster %s:1: the file is empty", file)
		}
		return nil, fmt.Errorf("cluster %s: %w", file, err)
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cluster %s: text after the description", file)
	}
	r := &reader{file: file}
	if len(doc.Content) != 1 {
		return nil, fmt.Errorf("cluster %s:1: the file is empty", file)
	}
	s := r.spec(doc.Content[0], opt)
	if err := r.err(); err != nil {
		return nil, err
	}
	c, err := s.build()
	if err != nil {
		return nil, fmt.Errorf("cluster %s:%d: %w", file, s.node.line, err)
	}
	return c, nil
}

func (r *reader) spec(n *yaml.Node, opt Options) *spec {
	f := r.mapping(n, "the cluster", "name", "doc", "device", "memory", "flops", "nodes", "most", "classes", "node", "network")
	s := &spec{name: r.word(f.need("name"), "name"), doc: r.word(f.at["doc"], "doc")}
	r.device(f, s)
	s.most = r.whole(f.at["most"], "most", 1, MaxDevices)
	if f.at["most"] == nil {
		s.most = MaxDevices
	}
	if c := f.need("classes"); c != nil {
		r.classes(c, s)
	}
	if node := f.need("node"); node != nil {
		r.node(node, s)
	}
	if net := f.at["network"]; net != nil {
		r.network(net, s)
	}
	if nodes := f.need("nodes"); nodes != nil {
		r.nodes(nodes, s, opt.Nodes)
	}
	return s
}

// device reads the device and what is said otherwise of it.
func (r *reader) device(f fields, s *spec) {
	n := f.need("device")
	name := r.word(n, "device")
	if name == "" {
		return
	}
	if strings.ContainsAny(name, `./\`) && !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(r.file), name)
		if !strings.ContainsAny(name, `./\`) { // a file of this folder: a path all the same
			name = "./" + name
		}
	}
	m, err := cost.FindMachine(name)
	if err != nil {
		r.bad(n.Line, "device: %v", err)
		return
	}
	own := *m
	own.FLOPS, own.Matrix = maps.Clone(m.FLOPS), maps.Clone(m.Matrix)
	if o := f.at["flops"]; o != nil {
		rates := r.mapping(o, "flops")
		for _, t := range rates.keys {
			own.FLOPS[t] = float64(r.quantity(rates.at[t], "flops of "+t, flopsUnit, 1))
			delete(own.Matrix, t) // products have that rate, too
		}
	}
	if o := f.at["memory"]; o != nil {
		own.Memory = r.quantity(o, "memory", byteUnit, 1)
	} else if own.Memory == 0 {
		r.bad(n.Line, "the memory of device %s is not known: say memory: 16GiB", m.Name)
	}
	if err := own.Check(); err != nil && len(r.faults) == 0 {
		r.bad(n.Line, "device %s: %s", m.Name, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	s.device, s.memory = &own, own.Memory
}

// nodes reads how many nodes there are, or takes what is asked for instead.
func (r *reader) nodes(n *yaml.Node, s *spec, asked []int) {
	torus := s.net != nil && s.net.topology == "torus"
	if n.Kind == yaml.SequenceNode {
		for _, x := range n.Content {
			s.shape = append(s.shape, r.whole(x, "nodes", 1, MaxDevices))
		}
	} else {
		s.shape = []int{r.whole(n, "nodes", 1, MaxDevices)}
	}
	if !torus && len(s.shape) != 1 {
		r.bad(n.Line, "nodes is a list, which only a torus has")
		return
	}
	if len(s.shape) == 0 || len(s.shape) > maxTorus {
		r.bad(n.Line, "nodes: want 1 to %d sizes of a torus", maxTorus)
		return
	}
	if len(asked) > 0 {
		if torus && len(asked) != len(s.shape) {
			r.bad(n.Line, "nodes: asked for %d sizes, and the torus of the file has %d", len(asked), len(s.shape))
			return
		}
		if !torus && len(asked) != 1 {
			r.bad(n.Line, "nodes: asked for %d sizes, and the network is no torus", len(asked))
			return
		}
		s.shape = slices.Clone(asked)
	}
	count := 1
	for _, x := range s.shape {
		if x < 1 || x > s.most || count > s.most/x {
			r.bad(n.Line, "nodes: %s, want 1 to %d", shapeText(s.shape), s.most)
			return
		}
		count *= x
	}
	if count*s.node.devices > MaxDevices {
		r.bad(n.Line, "%d nodes of %d devices: more than %d devices", count, s.node.devices, MaxDevices)
	}
	if count > 1 && s.net == nil {
		r.bad(n.Line, "%d nodes, and network is missing", count)
	}
}

func shapeText(shape []int) string {
	var parts []string
	for _, x := range shape {
		parts = append(parts, strconv.Itoa(x))
	}
	return strings.Join(parts, "x")
}

var nameForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)

// name checks a name of a class or a vertex.
func (r *reader) name(n *yaml.Node, what string, taken []string) (string, bool) {
	w := r.word(n, what)
	switch {
	case w == "":
	case !nameForm.MatchString(w) || len(w) > 40:
		r.bad(n.Line, "%s %q: want a letter and letters, digits, - and _", what, w)
	case slices.Contains(taken, w):
		r.bad(n.Line, "%s %s is said twice", what, w)
	default:
		return w, true
	}
	return "", false
}

func (r *reader) classes(n *yaml.Node, s *spec) {
	all := r.mapping(n, "classes")
	var names []string
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		name, ok := r.name(n.Content[i], "class", names)
		if !ok || all.at[name] == nil {
			continue
		}
		names = append(names, name)
		f := r.mapping(all.at[name], "class "+name, "latency", "bandwidth")
		s.classes = append(s.classes, Class{
			Name:      name,
			Latency:   Time(r.quantity(f.need("latency"), "latency of "+name, timeUnit, 0)),
			Bandwidth: r.quantity(f.need("bandwidth"), "bandwidth of "+name, rateUnit, 1),
		})
	}
}

// maxPart bounds devices, switches and links of a node.
const maxPart = 1024

func (r *reader) node(n *yaml.Node, s *spec) {
	f := r.mapping(n, "node", "devices", "forward", "switches", "hosts", "links")
	s.node.line = n.Line
	s.node.devices = r.whole(f.need("devices"), "devices", 1, maxPart)
	s.node.forward = r.flag(f.at["forward"], "forward")
	var names []string
	for _, x := range r.list(f.at["switches"], "switches") {
		if name, ok := r.name(x, "switch", names); ok {
			names = append(names, name)
			s.node.switches = append(s.node.switches, name)
		}
	}
	if h := f.at["hosts"]; h != nil {
		hosts := r.mapping(h, "hosts")
		for i := 0; i+1 < len(h.Content) && h.Kind == yaml.MappingNode; i += 2 {
			if name, ok := r.name(h.Content[i], "host", names); ok {
				names = append(names, name)
				s.node.hosts = append(s.node.hosts, Vertex{Name: name, Memory: r.quantity(hosts.at[name], "memory of "+name, byteUnit, 1)})
			}
		}
	}
	links := r.list(f.at["links"], "links")
	if len(names) > maxPart || len(links) > maxPart {
		r.bad(n.Line, "node: more than %d switches or lines of links", maxPart)
		return
	}
	joined := map[[2]string]bool{}
	for _, x := range links {
		if l, ok := r.link(x, s, names); ok {
			r.twice(x, l, joined)
			s.node.links = append(s.node.links, l)
		}
	}
}

// twice refuses ends that another line of links joins: messages would take one of both.
func (r *reader) twice(n *yaml.Node, l linkSpec, joined map[[2]string]bool) {
	if l.form == "bus" {
		return
	}
	// free is false at the first two ends that are joined already: one fault a line.
	free := func(a, b string) bool {
		if a > b {
			a, b = b, a
		}
		if joined[[2]string{a, b}] {
			r.bad(n.Line, "link: %s and %s are joined already; for several cables say width", a, b)
			return false
		}
		joined[[2]string{a, b}] = true
		return true
	}
	for i, e := range l.ends {
		others := l.ends[i+1:]
		switch l.form {
		case "star":
			others = []string{l.hub}
		case "ring":
			others = []string{l.ends[(i+1)%len(l.ends)]}
		}
		for _, x := range others {
			if !free(e, x) {
				return
			}
		}
	}
}

// end reads the number of a device or the name of a switch or host.
func (r *reader) end(n *yaml.Node, s *spec, names []string) string {
	w := r.word(n, "end of a link")
	if i, err := strconv.Atoi(w); err == nil {
		if i < 0 || i >= s.node.devices {
			r.bad(n.Line, "end of a link: %d is none of the devices 0 to %d", i, s.node.devices-1)
		}
		return strconv.Itoa(i)
	}
	if w != "" && !slices.Contains(names, w) {
		r.bad(n.Line, "end of a link: %q is neither a device nor a switch or host of the node", w)
	}
	return w
}

// link reads a line of links; false if what it joins is not known.
func (r *reader) link(n *yaml.Node, s *spec, names []string) (l linkSpec, ok bool) {
	f := r.mapping(n, "link", append([]string{"class", "width", "of"}, linkForms...)...)
	l = linkSpec{class: r.class(f.need("class"), s), width: int64(r.whole(f.at["width"], "width", 1, 1000))}
	var ends *yaml.Node
	for _, form := range linkForms {
		if x := f.at[form]; x != nil {
			if l.form != "" {
				r.bad(x.Line, "link: both %s and %s are said", l.form, form)
				return l, false
			}
			l.form, ends = form, x
		}
	}
	if l.form == "" {
		r.bad(n.Line, "link: which ends are joined is missing: want one of %s", strings.Join(linkForms, ", "))
		return l, false
	}
	if l.form == "star" {
		l.hub = r.end(ends, s, names)
		ends = f.need("of")
	} else if of := f.at["of"]; of != nil {
		r.bad(of.Line, "link: of goes with star only")
	}
	all := r.list(ends, l.form)
	if most := s.node.devices + len(names); len(all) > most {
		r.bad(ends.Line, "link: %d ends, the node has %d devices, switches and hosts", len(all), most)
		return l, false
	}
	for _, x := range all {
		e := r.end(x, s, names)
		if slices.Contains(l.ends, e) || e == l.hub {
			r.bad(x.Line, "link: %s is an end twice", e)
			return l, false
		}
		l.ends = append(l.ends, e)
	}
	fewest := map[string]int{"pair": 2, "mesh": 2, "ring": 3, "star": 1, "bus": 2}[l.form]
	if ends != nil && (len(l.ends) < fewest || l.form == "pair" && len(l.ends) != 2) {
		r.bad(ends.Line, "link: %d ends are too few or too many for a %s", len(l.ends), l.form)
	}
	return l, true
}

// class reads the name of a class; what is none is a fault.
func (r *reader) class(n *yaml.Node, s *spec) int {
	w := r.word(n, "class")
	if i := slices.IndexFunc(s.classes, func(c Class) bool { return c.Name == w }); i >= 0 || w == "" {
		return i
	}
	r.bad(n.Line, "class %q is none of classes", w)
	return -1
}
