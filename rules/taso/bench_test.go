package taso

import (
	"bytes"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// published are the laws of TASO's 619 candidates.
func published(b *testing.B) []*law.Law {
	b.Helper()
	var out []*law.Law
	for _, tr := range From(sharedFile(b, "taso_depth3.pb"), Reading{}) {
		if tr.Err != nil {
			b.Fatal(tr.Err)
		}
		out = append(out, tr.Law)
	}
	return out
}

func BenchmarkFrom(b *testing.B) {
	c := sharedFile(b, "taso_depth3.pb")
	for b.Loop() {
		From(c, Reading{})
	}
	b.ReportMetric(float64(len(c.Rules)*b.N)/b.Elapsed().Seconds(), "rules/s")
}

func BenchmarkNew(b *testing.B) {
	ls := published(b)
	for b.Loop() {
		for _, l := range ls {
			if _, err := rules.New(l); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(ls)*b.N)/b.Elapsed().Seconds(), "rules/s")
}

func BenchmarkSubsumePublished(b *testing.B) {
	ls := published(b)
	kept := 0
	for b.Loop() {
		k, _ := rules.Subsume(ls)
		kept = len(k)
	}
	b.ReportMetric(float64(len(ls)*b.N)/b.Elapsed().Seconds(), "laws/s")
	b.ReportMetric(float64(kept), "kept")
}

func BenchmarkReadText(b *testing.B) {
	set := &rules.Set{}
	for _, l := range published(b) {
		r, err := rules.New(l)
		if err != nil {
			b.Fatal(err)
		}
		set.Add(r)
	}
	var text bytes.Buffer
	if err := rules.WriteText(&text, set); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := rules.ReadText(bytes.NewReader(text.Bytes()), "x"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(set.Len()*b.N)/b.Elapsed().Seconds(), "rules/s")
}
