package peer_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/tasopb"
	"pgregory.net/rapid"
)

// checkRead reads hostile data and, where it is a file, writes its rules and
// reads them again.
func checkRead(t *testing.T, data []byte, format peer.Format, write func(*tasopb.Rule) ([]string, error)) {
	f, err := peer.Read("f", data, format)
	if bad := clear(f, err); bad != nil {
		t.Fatal(bad)
	}
	if err != nil || write == nil {
		return
	}
	for i := range f.Rules {
		r := f.Rules[i].TASO
		if r == nil || len(r.Mapped) > 1 {
			continue
		}
		lines, err := write(r)
		if err != nil {
			if strings.Contains(err.Error(), "too large") || strings.Contains(err.Error(), "cannot be said") || strings.Contains(err.Error(), "wants") {
				continue
			}
			t.Fatalf("%s: %v", f.Rules[i].Source, err)
		}
		g, err := peer.Read("f", []byte(strings.Join(lines, "\n")), format)
		if err != nil && strings.Contains(err.Error(), "too large") {
			continue // shared terms are written out
		}
		if err != nil || len(g.Rules) != 1 || g.Rules[0].TASO == nil {
			t.Fatalf("%q, written %q, is read as %+v, %v", f.Rules[i].Source, lines, g, err)
		}
		again, err := write(g.Rules[0].TASO)
		if err != nil || strings.Join(again, "\n") != strings.Join(lines, "\n") {
			t.Fatalf("%q, written %q, read, is written %q, %v", f.Rules[i].Source, lines, again, err)
		}
	}
}

func FuzzVerifierText(f *testing.F) {
	f.Add(samples(f)[peer.Verifier])
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, data, peer.Verifier, peer.WriteVerifier) })
}

func FuzzTensat(f *testing.F) {
	f.Add(samples(f)[peer.Tensat])
	f.Add(samples(f)[peer.TensatMulti])
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRead(t, data, peer.Tensat, peer.WriteTensat)
		checkRead(t, data, peer.TensatMulti, nil)
	})
}

func FuzzFlexFlow(f *testing.F) {
	f.Add(samples(f)[peer.FlexFlow])
	f.Fuzz(func(t *testing.T, data []byte) { checkRead(t, data, peer.FlexFlow, nil) })
}

// FuzzDetect: a format that is detected can be read or says clearly why not.
func FuzzDetect(f *testing.F) {
	for _, format := range peer.Formats {
		f.Add("f", samples(f)[format])
	}
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		format, err := peer.Detect("f"+name, data)
		if (format == "") != (err != nil) {
			t.Fatalf("format %q, error %v", format, err)
		}
		checkRead(t, data, "", nil)
		checkRead(t, data, peer.JSON, nil)
		checkRead(t, data, peer.TASO, nil)
	})
}

// A drawn rule over most operators, with sharing.
func drawRule(t *rapid.T, n peer.Format) *tasopb.Rule {
	param := func(k tasopb.ParamKey, v int) tasopb.Parameter { return tasopb.Parameter{Key: k, Value: int32(v)} }
	side := func() []tasopb.Operator {
		var ops []tasopb.Operator
		for i := range rapid.IntRange(1, 6).Draw(t, "operators") {
			in := func() tasopb.Tensor {
				// The latest operator first: everything must be used.
				if k := rapid.IntRange(0, 4).Draw(t, "input"); i > 0 && k == 0 {
					id := int32(rapid.IntRange(0, i-1).Draw(t, "operator"))
					ts := int32(0)
					if ops[id].Type == tasopb.OpSplit {
						ts = int32(rapid.IntRange(0, 1).Draw(t, "half"))
					}
					return tasopb.Tensor{OpID: id, TsID: ts}
				}
				return tasopb.Tensor{OpID: int32(-rapid.IntRange(1, 4).Draw(t, "variable"))}
			}
			last := func() tasopb.Tensor {
				if i == 0 {
					return in()
				}
				ts := int32(0)
				if ops[i-1].Type == tasopb.OpSplit {
					ts = int32(rapid.IntRange(0, 1).Draw(t, "half"))
				}
				return tasopb.Tensor{OpID: int32(i - 1), TsID: ts}
			}
			axis := rapid.IntRange(0, 1).Draw(t, "axis")
			var o tasopb.Operator
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0:
				o = tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{last()}}
			case 1:
				o = tasopb.Operator{Type: tasopb.OpMatmul, Inputs: []tasopb.Tensor{last(), in()}}
				// The verifier does not write that there is no activation.
				if acti := rapid.IntRange(0, 3).Draw(t, "acti"); n == peer.Tensat || acti > 0 {
					o.Params = append(o.Params, param(tasopb.ParamActi, acti))
				}
			case 2:
				o = tasopb.Operator{Type: tasopb.OpConcat, Inputs: []tasopb.Tensor{in(), last()}, Params: []tasopb.Parameter{param(tasopb.ParamAxis, axis)}}
				if n == peer.Tensat {
					o.Params = append(o.Params, param(tasopb.ParamNumDim, 2))
				}
				o.Params = append(o.Params, param(tasopb.ParamNumInputs, 2))
			case 3:
				o = tasopb.Operator{Type: tasopb.OpSplit, Inputs: []tasopb.Tensor{last()}, Params: []tasopb.Parameter{param(tasopb.ParamAxis, axis), param(tasopb.ParamNumOutputs, 2)}}
			case 4:
				o = tasopb.Operator{Type: tasopb.OpConv2D, Inputs: []tasopb.Tensor{last(), in()}, Params: []tasopb.Parameter{
					param(tasopb.ParamStrideH, 1), param(tasopb.ParamStrideW, 2), param(tasopb.ParamPad, axis), param(tasopb.ParamActi, 2)}}
			case 5:
				o = tasopb.Operator{Type: tasopb.OpTranspose, Inputs: []tasopb.Tensor{last()}, Params: []tasopb.Parameter{
					param(tasopb.ParamNumDim, 2), param(tasopb.ParamPerm, 2), param(tasopb.ParamOutShuffle, 0)}}
			case 6:
				o = tasopb.Operator{Type: tasopb.OpEnlarge, Inputs: []tasopb.Tensor{last()}}
				if n == peer.Tensat { // the size is that of another kernel there
					o.Inputs = append(o.Inputs, in())
				} else {
					o.Params = []tasopb.Parameter{param(tasopb.ParamKernelH, 3), param(tasopb.ParamKernelW, 5)}
				}
			}
			ops = append(ops, o)
		}
		return ops
	}
	r := &tasopb.Rule{SrcOps: side(), DstOps: side()}
	r.Mapped = []tasopb.MapOutput{{SrcOpID: int32(len(r.SrcOps) - 1), DstOpID: int32(len(r.DstOps) - 1)}}
	return r
}

// What is written is read as the same rule: the same term, with equal subterms
// shared.
func TestRoundTrip(t *testing.T) {
	for _, c := range []struct {
		format peer.Format
		write  func(*tasopb.Rule) ([]string, error)
	}{{peer.Verifier, peer.WriteVerifier}, {peer.Tensat, peer.WriteTensat}} {
		t.Run(string(c.format), rapid.MakeCheck(func(t *rapid.T) {
			r := drawRule(t, c.format)
			// A substitution must bind its variables: the source names all.
			if c.format == peer.Tensat {
				all := tasopb.Operator{Type: tasopb.OpEwAdd, Inputs: []tasopb.Tensor{{OpID: -1}, {OpID: -2}}}
				more := tasopb.Operator{Type: tasopb.OpEwMul, Inputs: []tasopb.Tensor{{OpID: -3}, {OpID: -4}}}
				k := int32(len(r.SrcOps))
				last := tasopb.Tensor{OpID: k - 1}
				r.SrcOps = append(r.SrcOps, all, more,
					tasopb.Operator{Type: tasopb.OpEwAdd, Inputs: []tasopb.Tensor{{OpID: k}, {OpID: k + 1}}},
					tasopb.Operator{Type: tasopb.OpEwMul, Inputs: []tasopb.Tensor{last, {OpID: k + 2}}})
				r.Mapped[0].SrcOpID = k + 3
			}
			lines, err := c.write(r)
			if err != nil {
				t.Fatal(err)
			}
			f, err := peer.Read("f", []byte(lines[0]), c.format)
			if err != nil {
				t.Fatal(err)
			}
			got := f.Rules[0]
			if got.Fault != nil || got.TASO.String() != r.String() {
				t.Fatalf("%s\nis read as\n%v %v", r, got.TASO, got.Fault)
			}
		}))
	}
}
