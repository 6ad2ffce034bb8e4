package runpcg

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op"
)

const (
	rows = `
x : float32[6, 4]
w : weight float32[4, 5]
px = partition[axis=1, on=2](x)
pw = partition[axis=0, on=2](w)
y = matmul(px, pw)
z = reduce(y)
return z`
	one = `
w : weight float32[4, 5]
x : float32[6, 4]
z = matmul(x, w)
return z`
)

func read(t testing.TB, text string) *graph.Graph {
	t.Helper()
	g, err := graph.ParseText("g", text)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// What is equal and what is not is said, with inputs paired by name.
func TestDo(t *testing.T) {
	ctx := context.Background()
	r, err := Do(ctx, Options{Name: "rows", Graph: read(t, rows), Against: read(t, one), AgainstName: "one", Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Good() || !r.Run.EqualAgainst || r.Run.Deviation == nil || *r.Run.Deviation > 1e-6 {
		t.Errorf("%+v, %+v", r, r.Run)
	}
	if r.Loaded != (6*4+4*5)*4/2 || r.Sent != 6*5*4 || r.Collectives[2].Messages != 1 {
		t.Errorf("%d bytes loaded, %d sent, %+v", r.Loaded, r.Sent, r.Collectives)
	}
	wrong := strings.Replace(rows, "reduce(y)", "drop(y)", 1)
	if r, err = Do(ctx, Options{Name: "rows", Graph: read(t, wrong), Against: read(t, one), AgainstName: "one"}); err != nil {
		t.Fatal(err)
	}
	if r.Good() || !r.Run.Equal || r.Run.EqualAgainst || len(r.Findings) != 1 || *r.Run.Deviation < 1e-3 {
		t.Errorf("%+v, %+v", r, r.Run)
	}
	if r, err = Do(ctx, Options{Name: "rows", Graph: read(t, wrong), NoRun: true}); err != nil || r.Run != nil || r.NotRun == "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// Inputs that do not fit are named.
func TestPairs(t *testing.T) {
	for want, text := range map[string]string{
		"compared with b: input v is none of the other graph":                      "v : float32[2]\nreturn v",
		"compared with b: input x is float32[2], in the other graph float32[6, 4]": "x : float32[2]\nreturn x",
	} {
		_, err := Do(context.Background(), Options{Name: "a", Graph: read(t, rows), Against: read(t, text), AgainstName: "b"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Large graphs are described and not run; places in tables are places.
func TestLargeAndPlaces(t *testing.T) {
	r, err := Do(context.Background(), Options{Name: "a", Graph: read(t, "x : float32[4096, 4096]\np = replicate[on=2](x)\ny = matmul(p, p)\nz = drop(y)\nreturn z")})
	if err != nil || r.Run != nil || !strings.Contains(r.NotRun, "FLOP") || r.Sent+r.Loaded != 4*4096*4096 {
		t.Errorf("%+v, %v", r, err)
	}
	r, err = Do(context.Background(), Options{Name: "a", Graph: read(t, `
t : float32[1, 6]
n : int64[4]
p = partition[axis=1, on=3](t)
i = replicate[on=3](n)
y = each_gather[over=[3], axis=0](p, i)
z = combine[axis=1](y)
return z`)})
	if err != nil || !r.Good() || r.Run.Deviation == nil || *r.Run.Deviation != 0 {
		t.Errorf("%+v, %v", r, err)
	}
}

func ExampleDo() {
	g, err := graph.ParseText("rows", rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := Do(context.Background(), Options{Name: "rows", Graph: g, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Devices, "devices, equal:", r.Run.Equal)
	for _, c := range r.Collectives {
		fmt.Println(c.Kind, c.Nodes, c.Bytes, "bytes")
	}
	// Output:
	// 2 devices, equal: true
	// scatter [px] 48 bytes
	// scatter [pw] 40 bytes
	// reduce [z] 120 bytes
}
