package verifymodels_test

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
)

// Models that differ only where functions jump differ, where rounding does not decide it.
func TestJumps(t *testing.T) {
	const head = "x : float32[16]\nu : float32[16]\n"
	for _, c := range []struct {
		name, a, b string
		verdict    verifymodels.Conclusion
	}{
		{"above and below", "y = ceil(x)\nreturn y", "f = floor(x)\no : float32 = one[shape=[16]]()\ny = ewadd(f, o)\nreturn y", verifymodels.ModelsDiffer},
		{"less, and at most", "y = ewless(x, u)\nreturn y", "y = ewlessequal(x, u)\nreturn y", verifymodels.ModelsDiffer},
		{"less, and at most, than a number of the model", "w : weight float32[]\nb = broadcast[shape=[16]](w)\ny = ewless(x, b)\nreturn y",
			"w : weight float32[]\nb = broadcast[shape=[16]](w)\ny = ewlessequal(x, b)\nreturn y", verifymodels.ModelsDiffer},
		{"more, and at least, than the middle of a bounded function", "h = hardsigmoid[alpha=0.2, beta=0.5](x)\no : float32 = one[shape=[16]]()\nt = ewadd(o, o)\nm = ewdiv(o, t)\ny = ewless(m, h)\nreturn y",
			"h = hardsigmoid[alpha=0.2, beta=0.5](x)\no : float32 = one[shape=[16]]()\nt = ewadd(o, o)\nm = ewdiv(o, t)\ny = ewlessequal(m, h)\nreturn y", verifymodels.ModelsDiffer},
		{"towards 0", "i = cast[to=int64](x)\ny = cast[to=float32](i)\nreturn y", "s = sign(x)\na = abs(x)\nf = floor(a)\ny = ewmul(s, f)\nreturn y", verifymodels.ModelsAgree},
		{"ties", "y = round(x)\nreturn y", "h = sign(x)\no : float32 = one[shape=[16]]()\nt = ewadd(o, o)\nq = ewdiv(o, t)\ns = ewadd(x, q)\ny = floor(s)\nreturn y", verifymodels.ModelsDiffer},
		{"no jump", "y = relu(x)\nreturn y", "a = abs(x)\ns = ewadd(a, x)\no : float32 = one[shape=[16]]()\nt = ewadd(o, o)\ny = ewdiv(s, t)\nreturn y", verifymodels.ModelsAgree},
	} {
		text := head
		if c.name != "less, and at most" {
			text = strings.Replace(head, "u : float32[16]\n", "", 1)
		}
		w := map[string][]float32{"w": {0.3}}
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: parse(t, "a", text+c.a, w), B: parse(t, "b", text+c.b, w)})
		if err != nil || r.Verdict != c.verdict {
			t.Errorf("%s: %v, want %s\n%s", c.name, err, c.verdict, r)
		}
		if strings.Contains(c.name, "of the model") && !strings.Contains(r.String(), "where input x is 0.3") {
			t.Errorf("%s: no example in\n%s", c.name, r)
		}
	}
}

// What models make of inputs that are no numbers does not count, and is said.
func TestNoNumbers(t *testing.T) {
	const head = "x : float32[4]\n"
	guard := head + "n = isnan(x)\ns = ewsub(x, x)\nz = ewwhere(n, n, x)\ny = exp(z)\nreturn y"
	for _, c := range []struct {
		name, a, b string
		verdict    verifymodels.Conclusion
		said       string
	}{
		{"a guard", guard, head + "y = exp(x)\nreturn y", verifymodels.ModelsAgree, "element [0] is 2.718282 and NaN, where input x is NaN"},
		{"none", head + "a = relu(x)\ny = relu(a)\nreturn y", head + "y = relu(x)\nreturn y", verifymodels.ModelsAgree, ""},
		{"positions", head + "E : weight float32[3]\ni = cast[to=int64](x)\ng = gather[axis=0](E, i)\na = relu(x)\nb = relu(a)\ny = ewadd(g, b)\nreturn y",
			head + "E : weight float32[3]\ni = cast[to=int64](x)\ng = gather[axis=0](E, i)\na = relu(x)\ny = ewadd(g, a)\nreturn y", verifymodels.ModelsAgree, ""},
	} {
		r, err := verifymodels.Run(context.Background(), verifymodels.Options{A: parse(t, "a", c.a, nil), B: parse(t, "b", c.b, nil)})
		if err != nil || r.Verdict != c.verdict {
			t.Errorf("%s: %v, want %s\n%s", c.name, err, c.verdict, r)
			continue
		}
		if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, c.said) || c.said == "" && strings.Contains(notes, "NaN or infinite elements") {
			t.Errorf("%s: %q", c.name, notes)
		}
	}
}
