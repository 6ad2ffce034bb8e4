package onnx

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

var oddTexts = []string{"linear", "nearest", "cubic", "bilinear", "border", "reflection", "zeros", "add", "mul", "max", "min", "none", "avg", "SAME_UPPER", "VALID", "TF", "IDF",
	"circular", "standard", "nesterov", "output_half_pixel", "ij,jk->ik", "nothing"}

// TestOddNodes: nodes of every operator with inputs and attributes that are drawn, most of
// which make no sense, are read, kept or refused, and what is read runs.
func TestOddNodes(t *testing.T) {
	t.Parallel()
	table.once.Do(fillTable)
	ops := slices.DeleteFunc(records(), func(o *operator) bool { return o.lower == nil })
	for i, o := range ops {
		ops[i] = lookup(o.domain, o.name)
	}
	slices.SortFunc(ops, func(a, b *operator) int { return strings.Compare(a.fullName(), b.fullName()) })
	rounds := 60
	if n, err := strconv.Atoi(os.Getenv("TASO_ODD_NODES")); err == nil {
		rounds = n
	}
	path := filepath.Join(t.TempDir(), "odd.onnx")
	read := 0
	for _, o := range ops {
		for round := range rounds {
			rng := rand.New(rand.NewPCG(uint64(round), uint64(len(o.name)*1000+int(o.name[0]))))
			v := oddNode(rng, o)
			if o.domain != "" {
				v.nodes[0].Domain, v.domain = proto.String(o.domain), o.domain
			}
			if err := os.WriteFile(path, marshal(t, v.proto()), 0o666); err != nil {
				t.Fatal(err)
			}
			func() {
				defer func() {
					if e := recover(); e != nil {
						t.Errorf("%s %s, round %d: %v", o.domain, v.name, round, e)
					}
				}()
				m, r, err := Read(path, ReadOptions{})
				if err != nil || len(r.Opaque) > 0 {
					return
				}
				read++
				_, _ = evaluateVariant(m, v) // places may be outside, which is an error
			}()
		}
	}
	t.Logf("%d operators, %d nodes read", len(ops), read)
	if read == 0 {
		t.Error("no node was read")
	}
}

// oddNode is a node of a version of an operator with inputs of few axes and some of its
// attributes.
func oddNode(rng *rand.Rand, op *operator) *variant {
	d := op.definitions[rng.IntN(len(op.definitions))]
	types := []graph.DType{graph.Float32, graph.Int64, graph.Bool, graph.Int32, graph.Uint8}
	shapes := [][]int{{}, {1}, {2}, {2, 3}, {1, 4, 8}, {2, 3, 4}, {2, 2, 4, 4}, {1, 2, 3, 4}, {3, 4, 4}}
	first := rng.IntN(len(shapes))
	bound := map[string]graph.DType{}
	var in []operand
	for i := range max(d.in.least, rng.IntN(len(d.in.all)+2)) {
		sizes := shapes[first]
		if rng.IntN(2) == 0 {
			sizes = shapes[rng.IntN(len(shapes))]
		}
		p, _ := d.in.at(i)
		typ, ok := bound[p.typ]
		if !ok {
			var fit []graph.DType
			for _, t := range types {
				if d.of(p).has(&value{dtype: t}) {
					fit = append(fit, t)
				}
			}
			if typ = graph.Float32; len(fit) > 0 {
				typ = fit[rng.IntN(len(fit))]
			}
			bound[p.typ] = typ
		}
		o := feed(fmt.Sprintf("in%d", i), sizes...)
		if p.optional && rng.IntN(3) == 0 {
			o = none
		} else if o = o.as(typ); rng.IntN(3) == 0 {
			o = o.held()
		}
		in = append(in, o)
	}
	outs := []string{"z"}
	for i := range rng.IntN(len(d.out.all) + 1) {
		outs = append(outs, fmt.Sprintf("z%d", i))
	}
	var as []any
	for _, name := range slices.Sorted(maps.Keys(d.attrs)) {
		a := d.attrs[name]
		if !a.required && rng.IntN(2) == 0 {
			continue
		}
		switch small := rng.IntN(9) - 2; a.kind {
		case onnxpb.AttributeProto_INT:
			if rng.IntN(10) == 0 {
				small = 1 << (10 * rng.IntN(5))
			}
			as = append(as, name, small)
		case onnxpb.AttributeProto_FLOAT:
			as = append(as, name, float64(small)/2)
		case onnxpb.AttributeProto_STRING:
			text := oddTexts[rng.IntN(len(oddTexts))]
			if a.missing != "" && rng.IntN(2) == 0 {
				text = a.missing
			}
			as = append(as, name, text)
		case onnxpb.AttributeProto_INTS:
			xs := make([]int, rng.IntN(5))
			for i := range xs {
				xs[i] = rng.IntN(7) - 1
			}
			as = append(as, name, xs)
		}
	}
	return variantOf(max(d.since, 9), op.name, in, outs, attributesNamed(as)...)
}
