package graph_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
)

func TestParseTextForms(t *testing.T) {
	// Spaces, comments, empty lines, defaults, quoted names, types, scalars.
	text := "# a comment\r\n\n  x:float32[ 2 ,3]   # x\n" +
		"s : float32[]\n" +
		"\"conv/1:0\" = smul ( x , s )\n" +
		"\"return\" = transpose[perm=(1, 0)](\"conv/1:0\")\n" +
		"k : float16 = one[shape=[2, 2]]()\n" +
		"c : float32 = cpool[kw=3, c=1, kh=2]()\n" +
		"return \"return\" , k,c # end\n\n# after\n"
	want := `x : float32[2, 3]
s : float32[]
"conv/1:0" = smul(x, s)
"return" = transpose("conv/1:0")
k : float16 = one[shape=[2, 2]]()
c = cpool[c=1, kh=2, kw=3]()
return "return", k, c
`
	g := parse(t, text)
	if g.String() != want {
		t.Errorf("got\n%swant\n%s", g, want)
	}
	if !g.Equal(parse(t, want)) {
		t.Error("the graph differs from its text")
	}
}

func TestParseTextErrors(t *testing.T) {
	const x = "x : float32[2, 3]\n"
	for _, c := range []struct{ text, want string }{
		{"", "f:1:1: the graph ends without a return"},
		{x, "f:2:1: the graph ends without a return"},
		{"return", "f:1:7: the line ends where a name is wanted"},
		{x + "return x\ny = relu(x)", "f:3:1: text after the return"},
		{x + "return x x", `f:2:10: "x" after the end of the statement`},
		{x + "return y", "f:2:8: y is not defined"},
		{x + "return x.1", "f:2:8: x has no output 1"},
		{x + "x = relu(x)\nreturn x", "f:2:1: x is defined on line 1 already"},
		{"x : float33[2]", "f:1:5: element type \"float33\" is not known"},
		{"x : float32[-1]", "f:1:1: input x: shape [-1]: size -1 is not in 0 to 2147483647"},
		{"x : float32[2000000000, 2000000000]", "f:1:1: input x: shape [2000000000, 2000000000]: more than 1099511627776 elements"},
		{"x : float32[99999999999999999999]", "f:1:13: number 99999999999999999999 is more than 9223372036854775807"},
		{"x : float32[2, ]", `f:1:16: "]" where a number is wanted`},
		{"x : float32[2", `f:1:14: the line ends where "," is wanted`},
		{"x : float32[2 3]", `f:1:15: "3]" where "," is wanted`},
		{"x", `f:1:2: the line ends where "=" is wanted`},
		{"1x : float32[]", `f:1:1: "1x : float32[]" is not a name`},
		{`"x : float32[]`, "f:1:1: string has no end"},
		{`"\q" : float32[]`, "f:1:1: string is not well formed"},
		{`x ! float32[]`, "f:1:3: unexpected character '!'"},
		{`"" : float32[]`, "f:1:1: the name is empty"},
		{x + "y = relux(x)", "f:2:5: unknown operator relux; did you mean relu?"},
		{x + "y = relu[a=1](x)", "f:2:10: operator relu has no attribute a"},
		{x + "y = slice[axis=0, lo=0](x)", "f:2:5: operator slice: attribute hi is missing"},
		{x + "y = slice[axis=0, axis=0](x)", "f:2:19: attribute axis is given twice"},
		{x + "y = slice[axis=relu, lo=0, hi=1](x)", "f:2:16: operator slice: attribute axis: relu is not a value of sort axis"},
		{x + "y = slice[axis=0, lo=0, hi=3000000000](x)", "f:2:28: operator slice: attribute hi: 3000000000 is not in -2147483647 to 2147483647"},
		{x + "y = slice[axis=0, lo=0, hi=3](x)", "f:2:5: node y: operator slice: slice of [2, 3] ends outside: 3 is more than 2"},
		{x + "y = slice[axis=5, lo=0, hi=3](x)", "f:2:5: node y: operator slice: axis 5 of shape [2, 3]: no such axis"},
		{x + "y = matmul(x, x)", "f:2:5: node y: operator matmul: shapes [2, 3] and [2, 3]: inner sizes differ: size 3 is not 2"},
		{x + "y = relu()", "f:2:5: node y: operator relu: 0 inputs, want 1"},
		{x + "y = relu(x", `f:2:11: the line ends where ")" is wanted`},
		{x + "y : int64 = relu(x)", "f:2:13: node y has element type int64, but x is float32"},
		{x + "y = split[axis=1, at=1](x)\nz = relu(y)", "f:3:10: y has 2 outputs: write y.0"},
		{x + "y = ewadd(x, z)\nz = relu(x)", "f:2:14: z is used before its definition on line 3"},
		{x + "y = relu(y)", "f:2:10: cycle: y -> y"},
		{x + "y = ewadd(x, z)\nz = relu(w)\nw = ewadd(y, x)\nreturn y", "f:2:14: cycle: y -> z -> w -> y"},
		{x + "return z\nz = relu(x)", "f:2:8: z is used before its definition on line 3"},
		{"y = one[shape=[-1]]()", "f:1:15: operator one: attribute shape: shape [-1]: size -1 is not in 0 to 2147483647"},
		{"y = one[shape=(1)]()", "f:1:15: operator one: attribute shape: (1) is not a value of sort shape"},
		{"y = iconv[c=2000000000, kh=2000000000, kw=1]()", "f:1:5: node y: operator iconv: output 0: shape [2000000000, 2000000000, 2000000000, 1]: more than 1099511627776 elements"},
	} {
		_, err := graph.ParseText("f", c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\ngot  %v\nwant %s", c.text, err, c.want)
			continue
		}
		var te *graph.TextError
		if !errors.As(err, &te) || te.File != "f" || te.Unwrap() == nil {
			t.Errorf("%q: error of type %T", c.text, err)
		}
	}
}

// FuzzParseText: the reader does not panic, its errors have a place inside the
// text, and a graph that it accepts is written and read back the same.
func FuzzParseText(f *testing.F) {
	f.Add(sample)
	f.Fuzz(func(t *testing.T, text string) {
		g, err := graph.ParseText("fuzz", text)
		if err != nil {
			var te *graph.TextError
			if !errors.As(err, &te) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			lines := strings.Split(text, "\n")
			if te.Line < 1 || te.Line > len(lines) || te.Col < 1 || te.Col > len(lines[te.Line-1])+1 {
				t.Fatalf("%v is outside the text", err)
			}
			return
		}
		h, err := graph.ParseText("again", g.String())
		if err != nil || !g.Equal(h) {
			t.Fatalf("read back: %v\n%s", err, g)
		}
		if g.Hash() != g.WithoutDead().Hash() {
			t.Fatalf("dead operators change the hash of\n%s", g)
		}
		if w := g.Work(); w.FLOPs < 0 || w.BytesRead < 0 || w.BytesWrite < 0 {
			t.Fatalf("negative work %+v", w)
		}
	})
}
