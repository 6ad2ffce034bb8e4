package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"github.com/taso-go/taso/internal/golden"
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
