package parallelize

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// A plan that is read costs and needs what the one that was written does, and is written as
// the same file.
func TestRead(t *testing.T) {
	for _, planner := range []string{"data", "fsdp", "megatron", "soap"} {
		r := made(t, "mlp-tiny", 16, planner, 4)
		var b bytes.Buffer
		if err := r.File.Write(&b); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		f, err := plan.ReadFile(&b, "plan.json")
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Plan(r.Plan.Mesh.Cluster)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Describe(ctx, f, p)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Describe(ctx, r.File, r.Plan)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, written %+v", planner, got, want)
		}
		again := p.File()
		again.Model, again.Training, again.Machine, again.Certificate = f.Model, f.Training, f.Machine, f.Certificate
		if again.Step, err = p.Figures(ctx); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := again.Write(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != text {
			t.Errorf("%s: written again it is another file", planner)
		}
		if d := Diff(got, want); !d.Same() {
			t.Errorf("%s: %+v", planner, d)
		}
	}
}

// What is no plan is refused in one line that says where it is wrong.
func TestReadErrors(t *testing.T) {
	r := made(t, "mlp-tiny", 16, "data", 4)
	var b bytes.Buffer
	if err := r.File.Write(&b); err != nil {
		t.Fatal(err)
	}
	c, err := machine.Find("dgx-a100", machine.Options{Nodes: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	read := func(text string) error {
		f, err := plan.ReadFile(strings.NewReader(text), "x.json")
		if err == nil {
			_, err = f.Plan(c)
		}
		return err
	}
	edit := func(field string, value any) string {
		var m map[string]any
		if err := json.Unmarshal(b.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		m[field] = value
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if err := read(b.String()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, want string }{
		{"", "x.json: it ends within the plan"},
		{b.String()[:b.Len()/2], "x.json: it ends within the plan"},
		{"{}", `x.json: its format is ""`},
		{"[1]", "x.json: byte 1"},
		{b.String() + "{}", "something is behind"},
		{edit("format", "taso plan 9"), `its format is "taso plan 9"`},
		{edit("other", 1), `unknown field "other"`},
		{edit("mesh", []any{map[string]any{"degree": 0}}), "degree 0"},
		{edit("mesh", []any{map[string]any{"degree": 1 << 40}}), "dgx-a100 has 8 devices"},
		{edit("mesh", []any{map[string]any{"degree": 2}}), "mesh axis 0 has 2 members"},
		{edit("mesh", []any{}), "there are 0"},
		{edit("graph", "x : float32[2"), "graph"},
		{edit("sequential", ""), "sequential"},
		{edit("next", [][2]int{{1, 99}}), "next: output 1 takes the place of input 99"},
		{edit("next", [][2]int{{0, 1}}), "next: output 0 is"},
		{edit("layouts", map[string]any{"nobody": []string{""}}), "layouts: 1 are of nodes"},
		{edit("layouts", map[string]any{}), "layouts: node"},
		{edit("layouts", map[string]any{"a": []string{"0 shred"}}), "no role"},
		{edit("origins", map[string]any{"nobody": map[string]any{"of": "x"}}), "origins"},
		{edit("stages", []any{map[string]any{"first": 3, "devices": 9}}), "stage 1"},
		{edit("pipeline", map[string]any{"of": []int{1}, "schedule": "gpipe"}), "pipeline"},
	} {
		if err := read(c.text); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
