package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"pgregory.net/rapid"
)

// wellFormed requires XML that can be read to its end.
func wellFormed(t testing.TB, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	d.Strict = true
	d.Entity = xml.HTMLEntity
	for {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
	}
}

func TestSVG(t *testing.T) {
	var b bytes.Buffer
	p := NewPlot("Cost <over> time", Axis{Name: "time", Unit: "s", Log: true}, Axis{Name: "cost & more", Unit: "ms", Zero: true})
	c := p.Curve("backtracking", FromModel)
	c.Steps = true
	for _, q := range [][2]float64{{0.01, 26.5}, {0.2, 20}, {3, 18.25}} {
		c.Add(q[0], q[1])
	}
	p.Curve("e-graph", FromClock).Add(1, 17)
	if err := p.SVG(&b, false); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, b.Bytes())
	golden.Equal(t, filepath.Join("testdata", "plot.golden"), b.String())
}

// Any plot is well-formed, the same twice, and draws all points within the field.
func TestSVGWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := &Plot{Title: rapid.StringN(1, 9, -1).Draw(t, "title"), X: Axis{Name: "x", Log: rapid.Bool().Draw(t, "log")},
			Y: Axis{Name: "y", Zero: rapid.Bool().Draw(t, "zero")}}
		c := p.Curve("c", FromCount)
		for range rapid.IntRange(1, 70).Draw(t, "n") {
			x := rapid.OneOf(rapid.Float64Range(1e-9, 1e9), rapid.Float64Range(1/largest, largest), rapid.Float64Range(1, 1+1e-12)).Draw(t, "x")
			c.Add(x, rapid.OneOf(rapid.Float64Range(-1e12, 1e12), rapid.Float64Range(-largest, largest),
				rapid.Float64Range(1e29, 1e29*(1+1e-14)), rapid.Float64Range(-1e-300, 1e-300)).Draw(t, "y"))
		}
		if p.check() != nil {
			t.Skip("a title of no use")
		}
		for j, a := range []Axis{p.X, p.Y} {
			lo, hi := p.bounds(j)
			s := scaleOf(a, lo, hi)
			for _, v := range []float64{lo, hi} {
				if at := s.at(v); !(at >= -1e-6 && at <= 1+1e-6) {
					t.Fatalf("%v lies at %v of %+v", v, at, s)
				}
			}
			if len(s.ticks) < 2 || len(s.ticks) > 2*mostTicks {
				t.Fatalf("%d ticks from %v to %v", len(s.ticks), lo, hi)
			}
		}
		var a, b bytes.Buffer
		if err := errors.Join(p.SVG(&a, true), p.SVG(&b, true)); err != nil || a.String() != b.String() {
			t.Fatal(err, "not the same twice")
		}
		if strings.Contains(a.String(), "NaN") || strings.Contains(a.String(), "Inf") {
			t.Fatal("a point is drawn nowhere")
		}
	})
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		a      Axis
		lo, hi float64
		want   string
	}{
		{Axis{}, 0, 10, "0 2 4 6 8 10"},
		{Axis{}, 1.1, 1.2, "1.1 1.12 1.14 1.16 1.18 1.2"},
		{Axis{Zero: true}, 7, 95, "0 20 40 60 80 100"},
		{Axis{}, 5, 5, "2 3 4 5 6 7 8"},
		{Axis{Log: true}, 0.02, 30, "0.01 0.1 1 10 100"},
		{Axis{Log: true}, 1, 1, "1 10"},
		{Axis{Log: true}, 1, 1e12, "1 100 10,000 1e+06 1e+08 1e+10 1e+12"},
	} {
		var got []string
		for _, v := range scaleOf(c.a, c.lo, c.hi).ticks {
			got = append(got, tick(v))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v %v..%v: %v, want %s", c.a, c.lo, c.hi, got, c.want)
		}
	}
	if got := scaleOf(Axis{}, -math.MaxFloat32, math.MaxFloat32); len(got.ticks) > mostTicks {
		t.Errorf("%d ticks", len(got.ticks))
	}
}
