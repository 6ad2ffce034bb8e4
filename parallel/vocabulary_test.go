package parallel

import (
	"strings"
	"testing"
)

// sequentialVocabulary is an embedding and a layer.
const sequentialVocabulary = `
t : weight float32[6, 4]
i : int64[5]
w : weight float32[4, 2]
y = gather[axis=0](t, i)
z = matmul(y, w)
return z`

// vocabulary deals the rows of the table out: each device finds what it has.
const vocabulary = `
t : weight float32[6, 4]
i : int64[5]
w : weight float32[4, 2]
k : int64 = iota[n=6]()
p = partition[axis=0, on=3](t)
q = partition[axis=0, on=3](k)
r = replicate[on=3](i)
v = replicate[on=3](w)
s = each_pick[over=[3], n=6](p, q, r)
m = matmul(s, v)
z = reduce(m)
return z`

// An embedding by vocabulary: what the devices find is a partial sum of what there is to
// be found, and the layer behind it needs no more.
func TestVocabulary(t *testing.T) {
	p := pcgOf(t, parse(t, vocabulary))
	if len(p.Findings) > 0 {
		t.Errorf("findings: %v", p.Findings)
	}
	agrees(t, p, parse(t, sequentialVocabulary))
	for _, name := range []string{"s", "m"} {
		id, _ := p.Graph.Find(name)
		if got := p.LayoutText(p.Layout(id.Out(0))); got != "a=3 sum" {
			t.Errorf("%s lies %s", name, got)
		}
	}
}

// Every device takes its rows for the first ones: the members are no partial sum, and the
// numbers are others.
func TestVocabularyOffsets(t *testing.T) {
	text := strings.Replace(strings.Replace(vocabulary, "iota[n=6]", "iota[n=2]", 1), "partition[axis=0, on=3](k)", "replicate[on=3](k)", 1)
	p := pcgOf(t, parse(t, text))
	if len(p.Findings) == 0 {
		t.Error("no finding")
	}
	if err := differs(p, parse(t, sequentialVocabulary)); err == nil {
		t.Error("it computes the same")
	}
}

// The way back gives each device what is to be added to its rows.
func TestVocabularyPullback(t *testing.T) {
	if q, err := backDiffers(pcgOf(t, parse(t, vocabulary)), parse(t, sequentialVocabulary)); err != nil || q == nil {
		t.Errorf("derivatives %v, error %v", q, err)
	}
}
