package law_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

var partGiven = []law.Declaration{
	{Name: "X", Shape: graph.ShapeOf(graph.Var("n"))}, {Name: "s", Sort: graph.SortStride},
	{Name: "p", Sort: graph.SortPadding}, {Name: "q", Sort: graph.SortSame}, {Name: "f", Sort: law.SortZero1},
}

func TestParseParts(t *testing.T) {
	value := func(sort string) func(string) (interface{ String() string }, error) {
		return func(s string) (interface{ String() string }, error) { return law.ParseValue(s, sort, partGiven) }
	}
	term := func(s string) (interface{ String() string }, error) { return law.ParseTerm(s, partGiven) }
	dim := func(s string) (interface{ String() string }, error) { return law.ParseDim(s, partGiven) }
	shape := func(s string) (interface{ String() string }, error) { return law.ParseShape(s, partGiven) }
	for _, c := range []struct {
		parse    func(string) (interface{ String() string }, error)
		text     string
		want     string // or the error
		isReject bool
	}{
		{value("axis"), "#P", "#P", false},
		{value("axis"), "#P+1", "#P+1", false},
		{value("axis"), "\n#P", "#P", false},
		{value("int"), "b+a*2-3", "2*a+b-3", false},
		{value("perm"), "(1, 0)", "(1, 0)", false},
		{value("perm"), "(1, 1)", ":1:1: (1, 1) is not a value of sort perm", true},
		{value("shape"), "[P.., #P, 3]", "[P.., #P, 3]", false},
		{value("stride"), "s", "s", false},
		{value("stride"), "q", ":1:1: q : same stands where a value of sort stride is wanted", true},
		{value("padding"), "q", "q", false},
		{value("padding"), "(1, 2, 3, 4)", "(1, 2, 3, 4)", false},
		{value("same"), "valid", ":1:1: valid is not a value of sort same", true},
		{value("same"), "p", ":1:1: p : padding stands where a value of sort same is wanted", true},
		{value("act"), "relu", "relu", false},
		{value("act"), "ewadd", ":1:1: ewadd is not a value of sort act", true},
		{value("border"), "excluded", "excluded", false},
		{value("colour"), "red", ":1:1: unknown sort colour", true},
		{value("int"), "2 3", ":1:3: found \"3\" after the end", true},
		{dim, "#P", "#P", false},
		{dim, "-1+k", "k-1", false},
		{dim, "window(7, 3, (2, 1), valid, 0)", "3", false}, // what is known is computed
		{dim, "strided(h, s, 1)", "strided(h,s,1)", false},
		{dim, "2147483648*2147483648", ":1:1: product is more than 2147483648", true},
		{dim, "a+", ":1:3: size: found the end of the text, want a name", true},
		{dim, "halve(a)", ":1:1: unknown size function halve", true},
		{dim, strings.Repeat("a+", 70) + "a", ":1:1: size of more than 64 summands", true},
		{dim, strings.Repeat("a*", 20) + "a", ":1:1: product of more than 16 factors", true},
		{shape, "[]", "[]", false},
		{shape, "[p..]", ":1:2: axis run p: its name begins with a capital letter", true},
		{term, "f(X)", "f(X)", false},
		{term, "(f(X))", "f(X)", false},
		{term, "split[axis=0, at=1](X)", ":1:1: a term of 2 outputs where one is wanted; choose one with .0, .1, ...", true},
		{term, "split[axis=0, at=1](X).1", "split[axis=0, at=1](X).1", false},
		{term, "s(X)", ":1:1: s is not an operator or a function", true},
		{term, strings.Repeat("f(", 2000), ":1:2001: nested more than 1000 deep", true},
	} {
		got, err := c.parse(c.text)
		switch {
		case c.isReject && (err == nil || err.Error() != c.want):
			t.Errorf("%.40s: got %v, %v, want error %s", c.text, got, err, c.want)
		case !c.isReject && (err != nil || got.String() != c.want):
			t.Errorf("%.40s: got %v, %v, want %s", c.text, got, err, c.want)
		}
	}
}

// Macros that double at each step would be exponentially large.
func TestParseLargeMacro(t *testing.T) {
	text := "# D.\naxiom a given X : [n]\nlet f0(A) = ewadd(A, A)\n"
	prev := "f0"
	for i := 0; i < 40; i++ {
		name := "f" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		text += "let " + name + "(A) = " + prev + "(" + prev + "(A))\n"
		prev = name
	}
	_, err := law.ParseLaw(text + "then " + prev + "(X) == X")
	if err == nil || !strings.Contains(err.Error(), "term of more than 100000 operators") {
		t.Errorf("got %v", err)
	}
}

func TestParseLawWantsOne(t *testing.T) {
	for text, want := range map[string]string{
		"": ":1:1: 0 laws, want one",
		"axiom a given X : [n] then X == X axiom b given X : [n] then X == X": ":1:1: 2 laws, want one",
	} {
		if _, err := law.ParseLaw(text); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// A comment that is set off by a blank line belongs to no law.
func TestDoc(t *testing.T) {
	laws, err := law.Parse("", []byte("# The file.\n\n# One.\n# Two.\naxiom a given X : [n] then X == X # not this\naxiom b given X : [n] then X == X\n"))
	if err != nil {
		t.Fatal(err)
	}
	if laws[0].Doc != "One.\nTwo." || laws[1].Doc != "" {
		t.Errorf("comments %q and %q", laws[0].Doc, laws[1].Doc)
	}
}

// What is read has a canonical form that can be read, and linting it does no
// harm. (FuzzParse asks the same of the text itself.)
func FuzzCanonical(f *testing.F) {
	for _, l := range axioms.Default() {
		f.Add(law.Format(l))
	}
	f.Add("section \"S\"\n# D.\nrule a [ordered] given g : mesh, X : [P.., g] where #P % 2 != 0 let f(A) = relu(A) then f(X) => X cite k")
	f.Add("axiom a given X : [n] then split[axis=0, at=1](X) == (X, X)")
	f.Fuzz(func(t *testing.T, text string) {
		laws, _ := law.Parse("x", []byte(text))
		for _, l := range laws {
			if law.Size(l.LHS...)+law.Size(l.RHS...) > 12 {
				continue
			}
			c := law.Format(law.Canonical(l))
			m, err := law.ParseLaw(c)
			if err != nil {
				t.Fatalf("canonical form: %v\n%s", err, c)
			}
			if got := law.Format(law.Canonical(m)); got != c {
				t.Fatalf("canonical form\n%s\nhas canonical form\n%s", c, got)
			}
			law.Lint([]*law.Law{l}, instance.Mismatch)
		}
	})
}
