package onnx

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	sweeps "github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// TestMutatedNodes: ONNX's own models of single operators, changed in one place: a size or
// the type of an input, an attribute, an input or an output that is left out, the operator set. They are
// read, kept or refused.
func TestMutatedNodes(t *testing.T) {
	t.Parallel()
	rounds, part, met := 2, sweeps.Size(5, 1), map[string]bool{}
	if n, err := strconv.Atoi(os.Getenv("TASO_MUTATED_NODES")); err == nil {
		rounds = n
	}
	path := filepath.Join(t.TempDir(), "mutated.onnx")
	read, kept, refused := 0, 0, 0
	for i, c := range newerTests(t) {
		raw, err := os.ReadFile(c.model)
		if err != nil {
			t.Fatal(err)
		}
		for round := range rounds {
			var m onnxpb.ModelProto
			if err := proto.Unmarshal(raw, &m); err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(round), uint64(len(raw))))
			what := mutate(rng, &m)
			var keys []string
			for op := range c.ops {
				keys = append(keys, op+" "+what)
			}
			if !addsTo(met, slices.Values(keys)) && i%part != 0 {
				continue
			}
			if err := os.WriteFile(path, marshal(t, &m), 0o666); err != nil {
				t.Fatal(err)
			}
			d := *c
			d.model = path
			for _, from := range []int{len(c.inputs), 1, 0} {
				func() {
					defer func() {
						if e := recover(); e != nil {
							t.Errorf("%s, round %d, %s, from %d: %v", c.name, round, what, from, e)
						}
					}()
					got, r, err := d.read(from)
					switch {
					case err != nil:
						refused++
					case len(r.Opaque) > 0:
						kept++
					default:
						read++
						_, _ = d.evaluate(got) // places may be outside
					}
				}()
			}
		}
	}
	t.Logf("mutated models: %d read, %d kept in part, %d refused", read, kept, refused)
}

// mutate changes a model in one place, and says where.
func mutate(rng *rand.Rand, m *onnxpb.ModelProto) string {
	odd := []int64{-3, -1, 0, 1, 2, 3, 5, 7, 64, 1 << 20, 1 << 40}
	for range 20 {
		n := m.Graph.Node[rng.IntN(len(m.Graph.Node))]
		switch rng.IntN(7) {
		case 0, 1:
			if len(n.Attribute) == 0 {
				continue
			}
			a := n.Attribute[rng.IntN(len(n.Attribute))]
			switch x := odd[rng.IntN(len(odd))]; {
			case a.I != nil:
				a.I = proto.Int64(x)
			case a.F != nil:
				a.F = proto.Float32(float32(x))
			case len(a.Ints) > 0 && rng.IntN(3) == 0:
				a.Ints = a.Ints[1:]
			case len(a.Ints) > 0:
				a.Ints[rng.IntN(len(a.Ints))] = x
			case a.S != nil:
				a.S = []byte("odd")
			default:
				a.Name = proto.String("odd")
			}
			return "attribute " + a.GetName()
		case 2:
			if len(n.Input) == 0 {
				continue
			}
			n.Input[rng.IntN(len(n.Input))] = ""
			return "an input is left out"
		case 3:
			if len(n.Input) == 0 {
				continue
			}
			n.Input = n.Input[:rng.IntN(len(n.Input))]
			return "inputs are left out"
		case 4:
			if len(m.Graph.Input) == 0 {
				continue
			}
			tt := m.Graph.Input[rng.IntN(len(m.Graph.Input))].GetType().GetTensorType()
			dims := tt.GetShape().GetDim()
			if len(dims) == 0 {
				continue
			}
			d := dims[rng.IntN(len(dims))]
			d.Value = &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: odd[rng.IntN(len(odd))]}
			return "a size"
		case 5:
			if len(n.Input) < 2 {
				continue
			}
			i, j := rng.IntN(len(n.Input)), rng.IntN(len(n.Input))
			n.Input[i], n.Input[j] = n.Input[j], n.Input[i]
			return "inputs change places"
		default:
			for _, o := range m.OpsetImport {
				if defaultDomain(o.GetDomain()) {
					o.Version = proto.Int64(7 + int64(rng.IntN(18)))
				}
			}
			return "the operator set"
		}
	}
	return "nothing"
}
