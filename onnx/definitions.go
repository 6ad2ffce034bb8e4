package onnx

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/onnx/onnxpb"
)

// definitionsText are the published definitions of ONNX's operators in all operator
// sets that are read, and of the operators of ONNX Runtime that are.
//
//go:embed definitions.txt
var definitionsText string

// definition is what ONNX publishes of an operator, from one version on.
type definition struct {
	since   int64
	in, out parameters
	attrs   map[string]attribute
	types   map[string]typeSet // of type parameters
}

// parameters are the inputs or outputs of an operator.
type parameters struct {
	least int
	all   []parameter
}

// parameter is an input or an output. Its type is a parameter of the operator's, such
// as T, or a type in braces.
type parameter struct {
	typ      string
	optional bool
	variadic bool // it is the last one, and there may be any number
	mixed    bool // those of a variadic one may have different types
}

// attribute is the definition of an attribute.
type attribute struct {
	kind     onnxpb.AttributeProto_AttributeType
	required bool
	missing  string // its default; "" if it has none
}

// typeSet are types by ONNX's names, such as float and seq(float).
type typeSet []string

// parseDefinitions reads definitions.txt, whose first lines describe its form.
func parseDefinitions(text string) map[operatorName][]*definition {
	sets, all := map[string]typeSet{}, map[operatorName][]*definition{}
	for line := range strings.Lines(text) {
		w := strings.Fields(line)
		switch {
		case len(w) == 0 || w[0] == "#":
			continue
		case w[0] == "set":
			sets[w[1]] = w[2:]
			continue
		}
		key := operatorName{w[0], w[1]}
		if defaultDomain(w[0]) {
			key.domain = ""
		}
		d := &definition{since: int64(number(w[2])), in: parseParameters(w[3]), out: parseParameters(w[4]),
			attrs: map[string]attribute{}, types: map[string]typeSet{}}
		for _, t := range strings.Split(w[5], ",") {
			if name, set, ok := strings.Cut(t, "="); ok {
				d.types[name] = sets[set]
			}
		}
		for _, text := range w[6:] {
			name, kind, _ := strings.Cut(text, ":")
			var a attribute
			kind, a.missing, _ = strings.Cut(kind, "=")
			kind, a.required = strings.CutSuffix(kind, "!")
			a.kind = onnxpb.AttributeProto_AttributeType(onnxpb.AttributeProto_AttributeType_value[strings.ToUpper(kind)])
			d.attrs[name] = a
		}
		all[key] = append(all[key], d)
	}
	for _, list := range all {
		slices.SortFunc(list, func(a, b *definition) int { return int(a.since - b.since) })
	}
	return all
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(fmt.Sprintf("onnx: definitions: %v", err))
	}
	return n
}

func parseParameters(text string) (p parameters) {
	least, list, _ := strings.Cut(text, ":")
	p.least = number(least)
	if list == "-" {
		return p
	}
	for _, t := range strings.Split(list, ",") {
		var one parameter
		t, one.mixed = strings.CutSuffix(t, "**")
		t, one.variadic = strings.CutSuffix(t, "*")
		t, one.optional = strings.CutSuffix(t, "?")
		one.variadic = one.variadic || one.mixed
		one.typ = t
		p.all = append(p.all, one)
	}
	return p
}

// at is parameter i, and whether there may be one.
func (p parameters) at(i int) (parameter, bool) {
	n := len(p.all)
	if i < n {
		return p.all[i], true
	}
	if n > 0 && p.all[n-1].variadic {
		return p.all[n-1], true
	}
	return parameter{}, false
}

// of are the types that a parameter may have.
func (d *definition) of(p parameter) typeSet {
	if t, ok := strings.CutPrefix(p.typ, "{"); ok {
		t = strings.TrimSuffix(t, "}")
		if inner, ok := strings.CutPrefix(t, "tensor("); ok {
			t = strings.TrimSuffix(inner, ")")
		}
		return typeSet{t}
	}
	return d.types[p.typ]
}

// at is the definition that counts in an operator set, nil if there is none.
func (o *operator) at(version int64) (d *definition) {
	for _, next := range o.definitions {
		if next.since <= version {
			d = next
		}
	}
	return d
}
