package verifymodels_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// Models that differ only where functions jump are not taken to agree.
func TestJumps(t *testing.T) {
	const head = "x : float32[16]\nu : float32[16]\n"
	for _, c := range []struct {
		name, a, b string
		verdict    verifymodels.Conclusion
	}{
		{"above and below", "y = ceil(x)\nreturn y", "f = floor(x)\no : float32 = one[shape=[16]]()\ny = ewadd(f, o)\nreturn y", verifymodels.NotKnown},
		{"less, and at most", "y = ewless(x, u)\nreturn y", "y = ewlessequal(x, u)\nreturn y", verifymodels.NotKnown},
		{"towards 0", "i = cast[to=int64](x)\ny = cast[to=float32](i)\nreturn y", "s = sign(x)\na = abs(x)\nf = floor(a)\ny = ewmul(s, f)\nreturn y", verifymodels.ModelsAgree},
		{"ties", "y = round(x)\nreturn y", "h = sign(x)\no : float32 = one[shape=[16]]()\nt = ewadd(o, o)\nq = ewdiv(o, t)\ns = ewadd(x, q)\ny = floor(s)\nreturn y", verifymodels.NotKnown},
		{"no jump", "y = relu(x)\nreturn y", "a = abs(x)\ns = ewadd(a, x)\no : float32 = one[shape=[16]]()\nt = ewadd(o, o)\ny = ewdiv(s, t)\nreturn y", verifymodels.ModelsAgree},
	} {
		text := head
		if c.name != "less, and at most" {
			text = strings.Replace(head, "u : float32[16]\n", "", 1)
		}
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: parse(t, "a", text+c.a, nil), B: parse(t, "b", text+c.b, nil)})
		if err != nil || r.Verdict != c.verdict {
			t.Errorf("%s: %v, want %s\n%s", c.name, err, c.verdict, r)
		}
		if jumps := strings.Contains(r.String(), "where functions jump"); jumps != (c.verdict == verifymodels.NotKnown) {
			t.Errorf("%s: %s", c.name, r)
		}
	}
}
