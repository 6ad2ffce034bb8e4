package modelpairs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// file is the ONNX file of a graph in the text form.
func file(dir, text string) ([]byte, error) {
	g, err := graph.ParseText("m", text)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "written.onnx")
	if err := onnx.Write(path, &model.Model{Name: "m", Graph: g}, onnx.WriteOptions{}); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

const (
	plain  = "x : float32[4]\ny = relu(x)\nreturn y"
	twice  = "x : float32[4]\nr = relu(x)\ny = relu(r)\nreturn y"
	other  = "x : float32[4]\ny = sigmoid(x)\nreturn y"
	larger = "x : float32[5]\ny = relu(x)\nreturn y"
)

// Every answer is counted as what it is.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		equal bool
		want  Answer
	}{
		{plain, twice, true, Right},
		{plain, twice, false, WrongEqual},
		{plain, other, false, Right},
		{plain, other, true, WrongDiffer},
		{plain, larger, false, Right},
		{plain, larger, true, WrongDiffer},
		{plain, "", false, NotKnown},
		{"", plain, true, NotRead},
	} {
		p := &Pair{Kind: "k", Equal: c.equal}
		for _, m := range []struct {
			to   *[]byte
			text string
		}{{&p.A, c.a}, {&p.B, c.b}} {
			*m.to = []byte("no model")
			if m.text != "" {
				var err error
				if *m.to, err = file(t.TempDir(), m.text); err != nil {
					t.Fatal(err)
				}
			}
		}
		o, err := Judge(context.Background(), p, t.TempDir())
		if err != nil || o.Answer != c.want {
			t.Errorf("%q and %q, equal %t: %s (%s), %v, want %s", c.a, c.b, c.equal, o.Answer, o.Why, err, c.want)
		}
	}
}

// A stream is not believed.
func TestRead(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{`{"number":7,"a":2,"b":1}` + "\nabc", ""},
		{`{"number":7,"a":2,"b":1}` + "\nab", "EOF"},
		{`{"number":7,"a":-1}` + "\n", "-1 bytes"},
		{`{"number":7,"a":1e9}` + "\n", "record"},
		{`{"number":7,"a":1000000000}` + "\n", "1000000000 bytes"},
		{`{"number":`, "EOF"},
		{"[]\n", "record"},
	} {
		var got []string
		err := Read(strings.NewReader(c.in), func(p *Pair) error {
			got = append(got, fmt.Sprintf("%d %s %s", p.Number, p.A, p.B))
			return nil
		})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.in, err, c.want)
		}
		if c.want == "" && c.in != "" && fmt.Sprint(got) != "[7 ab c]" {
			t.Errorf("%q: %v", c.in, got)
		}
	}
	stop := errors.New("stop")
	if err := Read(strings.NewReader("{}\n{}\n"), func(*Pair) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

// Our numbers are compared with those of each judge that has some.
func TestCompare(t *testing.T) {
	raw, err := file(t.TempDir(), plain)
	if err != nil {
		t.Fatal(err)
	}
	value := func(bits string) []Input {
		return []Input{{Name: "y", DType: "float32", Sizes: []int{4}, Data: []byte(strings.Repeat(bits, 4))}}
	}
	one, two := value("\x00\x00\x80\x3f"), value("\x00\x00\x00\x40")
	for _, c := range []struct {
		runtime, reference []Input
		want               Reading
	}{
		{one, one, Agrees}, {one, nil, Agrees}, {one, two, Disputed}, {two, nil, Wrong}, {two, two, Wrong}, {nil, nil, Alone},
	} {
		m := &Mutant{Model: raw, Inputs: []Input{{"x", "float32", []int{4}, one[0].Data}}, Runtime: c.runtime, Reference: c.reference}
		if c.runtime == nil {
			m.RuntimeError = "none"
		}
		if c.reference == nil {
			m.ReferenceError = "none"
		}
		if got, why, err := JudgeReading(context.Background(), m, t.TempDir()); err != nil || got != c.want {
			t.Errorf("got %s (%s), %v, want %s", got, why, err, c.want)
		}
	}
	m := &Mutant{Model: []byte("no model")}
	if got, why, err := JudgeReading(context.Background(), m, t.TempDir()); err != nil || got != Refused || why == "" {
		t.Errorf("got %s (%s), %v", got, why, err)
	}
}

func ExampleJudge() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	p := &Pair{Kind: "relu twice", Equal: true}
	if p.A, err = file(dir, plain); err == nil {
		p.B, err = file(dir, twice)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	o, err := Judge(context.Background(), p, dir)
	fmt.Println(o.Answer, err)
	// Output: right <nil>
}

func ExampleTable() {
	var t Table
	t.Add(&Pair{Kind: "identity", Equal: true}, Outcome{Answer: Right})
	t.Add(&Pair{Kind: "constant"}, Outcome{Answer: WrongEqual})
	t.Add(&Pair{Dropped: map[string]int{"no witness": 12}}, Outcome{})
	fmt.Println(t.All.Pairs, t.Kinds["≠ constant"].Answers[WrongEqual], t.NoPair, t.Dropped["no witness"])
	// Output: 2 1 1 12
}
