package bench

import (
	"reflect"
	"testing"
)

// The plot of planners on GPT is made of a table of the record.
func TestAlpaPlot(t *testing.T) {
	tab := NewTable("", Label("model"), Counted("devices"), Modelled("expert", "x"), Modelled("alpa", "x"), Recorded("expert, paper", "x"), Recorded("Alpa, paper", "x"))
	tab.Add("`gpt-350m`", 1, 20, 26, 47, 45)
	tab.Add("`gpt-39b`", 64, "out of memory", 45, 57, 57)
	tab.Add("`moe-380m`", 1, 1, 1, 1, 1)
	p := alpaPlot(tab)
	if p == nil {
		t.Fatal("no plot")
	}
	if want := [][2]float64{{1, 26}, {64, 45}}; !reflect.DeepEqual(p.Curves[0].Points, want) || p.Curves[0].Source != FromModel {
		t.Errorf("%+v", p.Curves[0])
	}
	if want := [][2]float64{{1, 20}}; !reflect.DeepEqual(p.Curves[1].Points, want) || p.Curves[2].Source != FromBefore {
		t.Errorf("%+v", p.Curves[1])
	}
	if alpaPlot(NewTable("", Label("model"))) != nil {
		t.Error("a plot of a table without the columns")
	}
}
