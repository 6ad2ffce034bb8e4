package onnx

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taso-go/taso/onnx/onnxpb"
)

// operator is the record of an operator: which of its published definitions are
// understood, how it is read, and how operators of ours are written as it.
type operator struct {
	domain string // "" is ONNX's own
	name   string
	// versions are those of its definitions in definitions.txt. A node of a version
	// with "!" is opaque.
	versions string
	// attrs are all its attributes. A node that has one with "!", and not with its
	// default, is opaque. One with "~" has no effect on what is computed in inference.
	attrs string
	lower lowering  // nil: nodes are folded or opaque
	fold  evaluator // of an operator that no graph has
	move  mover     // of one that moves elements to places which may be constant
	types typeRule  // of results of nodes that are not lowered; nil: the file says them
	// writes are our operators that are written as this one.
	writes map[string]writer
	lists  listUse

	definitions []*definition // in the order of versions
	read        map[int64]bool
	attr        map[string]bool // of attributes: whether one is understood
}

// lowering defines a node's outputs.
type lowering func(c *call)

// typeRule is the types of the results of a node, so far as its inputs tell: no sizes
// where they do not. It may fail.
type typeRule func(c *call) []openType

// listUse says whether an operator takes sequences of tensors.
type listUse int

const (
	noLists   listUse = iota
	mayList           // or tensors
	onlyLists         // takes or gives them
)

// records are the records of all operators.
func records() []*operator {
	return slices.Concat(
		pointwiseOperators(), comparisonOperators(), integerOperators(), moveOperators(), indexOperators(), placeOperators(),
		productOperators(), windowOperators(), resizeOperators(), normalizationOperators(), attentionOperators(),
		quantizedOperators(), recurrentOperators(), signalOperators(), constantOperators(), randomOperators(),
		controlOperators(), sequenceOperators(), trainingOperators(), learningOperators(), contributedOperators(),
	)
}

// operatorKey is what an operator is found by.
type operatorName struct{ domain, name string }

// table holds the records by name. It is filled when it is first used: lowerings of
// graphs within nodes look up operators themselves.
var table struct {
	once    sync.Once
	all     map[operatorName]*operator
	writers map[string]writer
}

func fillTable() {
	table.all, table.writers = map[operatorName]*operator{}, map[string]writer{}
	published := parseDefinitions(definitionsText)
	for _, o := range records() {
		key := operatorName{o.domain, o.name}
		if table.all[key] != nil {
			panic("onnx: two records of " + o.name)
		}
		table.all[key] = o
		o.definitions, o.read, o.attr = published[key], map[int64]bool{}, map[string]bool{}
		for _, text := range strings.Fields(o.versions) {
			v, err := strconv.ParseInt(strings.TrimPrefix(text, "!"), 10, 64)
			if err != nil {
				panic("onnx: version " + text + " of " + o.name)
			}
			o.read[v] = text[0] != '!'
		}
		for _, text := range strings.Fields(o.attrs) {
			o.attr[strings.TrimLeft(text, "!~")] = text[0] != '!'
		}
		for own, w := range o.writes {
			if table.writers[own] != nil {
				panic("onnx: two forms of " + own)
			}
			table.writers[own] = w
		}
	}
}

// lookup is the record of an operator, nil if there is none.
func lookup(domain, name string) *operator {
	table.once.Do(fillTable)
	if defaultDomain(domain) {
		domain = ""
	}
	return table.all[operatorName{domain, name}]
}

// operatorOf is the record of a node's operator, nil if there is none.
func operatorOf(n *onnxpb.NodeProto) *operator { return lookup(n.GetDomain(), n.GetOpType()) }

// writerOf emits an operator of ours, nil if it has no form in ONNX.
func writerOf(own string) writer {
	table.once.Do(fillTable)
	return table.writers[own]
}

// fullName is the name with the domain, if that is not ONNX's own.
func (o *operator) fullName() string {
	if o.domain == "" {
		return o.name
	}
	return o.domain + "." + o.name
}

// reads reports whether some nodes of the operator are read as operators of ours, or
// computed while reading.
func (o *operator) reads() bool {
	return o.lower != nil || o.fold != nil
}

// Operators lists ONNX's operators, and those that ONNX Runtime adds, that are read as
// operators of ours, or computed while reading, by name. All others become opaque.
func Operators() []string {
	table.once.Do(fillTable)
	all := map[string]bool{}
	for _, o := range table.all {
		if o.reads() {
			all[o.fullName()] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}
