package draw

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// largest is the largest number that is drawn.
const largest = 1e30

// Any plot is well-formed, the same twice, and draws all points within the field.
func TestPlotWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 90, -1)
		p := &Plot{Title: text.Draw(t, "title"), X: Axis{Name: text.Draw(t, "x name"), Log: rapid.Bool().Draw(t, "log")},
			Y: Axis{Name: text.Draw(t, "y name"), Unit: "s", Zero: rapid.Bool().Draw(t, "zero")}}
		c := Curve{Name: text.Draw(t, "curve")}
		for range rapid.IntRange(1, 70).Draw(t, "n") {
			x := rapid.OneOf(rapid.Float64Range(1e-9, 1e9), rapid.Float64Range(1/largest, largest), rapid.Float64Range(1, 1+1e-12)).Draw(t, "x")
			c.Points = append(c.Points, [2]float64{x, rapid.OneOf(rapid.Float64Range(-1e12, 1e12), rapid.Float64Range(-largest, largest),
				rapid.Float64Range(1e29, 1e29*(1+1e-14)), rapid.Float64Range(-1e-300, 1e-300)).Draw(t, "y")})
		}
		p.Curves = append(p.Curves, c)
		for j, a := range []Axis{p.X, p.Y} {
			lo, hi := p.bounds(j)
			for _, most := range []int{mostTicks, 4} {
				s := scaleOf(a, lo, hi, most)
				for _, v := range []float64{lo, hi} {
					if at := s.at(v); !(at >= -1e-6 && at <= 1+1e-6) {
						t.Fatalf("%v lies at %v of %+v", v, at, s)
					}
				}
				if len(s.ticks) < 2 || len(s.ticks) > 2*most {
					t.Fatalf("%d ticks from %v to %v", len(s.ticks), lo, hi)
				}
			}
		}
		for _, opt := range []PlotOptions{{Inline: true}, {Narrow: true}} {
			var a, b bytes.Buffer
			if err := errors.Join(p.SVG(&a, opt), p.SVG(&b, opt)); err != nil || a.String() != b.String() {
				t.Fatal(err, "not the same twice")
			}
			if strings.Contains(a.String(), `"NaN`) || strings.Contains(a.String(), "Inf ") {
				t.Fatal("a point is drawn nowhere")
			}
			wellFormed(t, a.String())
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
		{Axis{}, -123456, 1234, "-150,000 -100,000 -50,000 0 50,000"},
		{Axis{}, 5, 5, "2 3 4 5 6 7 8"},
		{Axis{Log: true}, 0.02, 30, "0.01 0.1 1 10 100"},
		{Axis{Log: true}, 1, 1, "1 10"},
		{Axis{Log: true}, 1, 1e12, "1 100 10,000 1,000,000 100,000,000 1e+10 1e+12"},
	} {
		var got []string
		for _, v := range scaleOf(c.a, c.lo, c.hi, mostTicks).ticks {
			got = append(got, tick(v))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%+v %v..%v: %v, want %s", c.a, c.lo, c.hi, got, c.want)
		}
	}
	if got := scaleOf(Axis{}, -math.MaxFloat32, math.MaxFloat32, mostTicks); len(got.ticks) > mostTicks {
		t.Errorf("%d ticks", len(got.ticks))
	}
}

// Lines are as wide as asked for and lose no character but blanks.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(0, 200, -1).Draw(t, "text")
		lines := fold(s, 100, 12)
		for _, l := range lines {
			if TextWidth(l, 12) > 100 && len([]rune(l)) > 1 {
				t.Fatalf("line %q is %v pixels wide", l, TextWidth(l, 12))
			}
		}
		if got, want := strings.Join(strings.Fields(strings.Join(lines, "")), ""), strings.Join(strings.Fields(s), ""); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	})
	if got := strings.Join(fold("one two three four", 60, 12), "|"); got != "one two|three four" {
		t.Errorf("got %s", got)
	}
}

// Bars lie within the timeline, thin ones are joined, empty ones are not drawn.
func TestTimeline(t *testing.T) {
	tl := &Timeline{Title: "<t>", End: 100, Format: func(x float64) string { return tick(x) + " s" }, Lanes: []Lane{
		{Name: "gpu 0", Bars: []Bar{{0, 50, "first", Activity("forward")}, {50, 50, "nothing", ""}, {60, 60.001, "a", ""}, {60.001, 60.002, "b", ""}, {90, 100, "<last>", ""}}},
		{Name: "gpu 1", Below: []Bar{{10, 20, "sum", Activity("all-reduce")}}},
	}}
	for _, narrow := range []bool{false, true} {
		var b bytes.Buffer
		if err := tl.SVG(&b, narrow); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(wellFormed(t, b.String()), "|")
		for _, want := range []string{"first: 0 s to 50 s", "a and 1 more: 60 s to 60.002 s", "<last>: 90 s to 100 s", "sum: 10 s to 20 s", "gpu 0", "gpu 1"} {
			if !strings.Contains(got, want) {
				t.Errorf("narrow %v: no %q in %s", narrow, want, got)
			}
		}
		if strings.Contains(got, "nothing") || strings.Count(b.String(), "<rect") != 4 {
			t.Errorf("narrow %v: %s", narrow, b.String())
		}
	}
	var b bytes.Buffer
	if err := (&Timeline{Format: func(float64) string { return "0" }, Lanes: []Lane{{}}}).SVG(&b, false); err != nil || strings.Contains(b.String(), "NaN") {
		t.Errorf("%v: %s", err, b.String())
	}
}

// The activities have colours that there are; what is not known has none.
func TestActivity(t *testing.T) {
	for name := range activities {
		if LineColour(Activity(name)) == "" {
			t.Errorf("%s has no colour", name)
		}
	}
	if Activity("nosuch") != "" || lineClass("line11") != "" || lineClass("line10") != "line10" {
		t.Error("a class that is in no style sheet")
	}
}
