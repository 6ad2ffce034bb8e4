package parallelize

import (
	"bytes"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/parallel"
	"github.com/taso-go/taso/parallel/machine"
	"github.com/taso-go/taso/parallel/plan"
)

// staged is a plan with stages: devices too small for all layers.
func staged(t *testing.T, planner string) (*Result, *graph.Graph) {
	t.Helper()
	text := "x : float32[4096, 256]\n"
	last := "x"
	for _, k := range []string{"0", "1", "2", "3"} {
		text += "w" + k + " : weight float32[256, 256]\nh" + k + " = matmul(" + last + ", w" + k + ")\nr" + k + " = relu(h" + k + ")\n"
		last = "r" + k
	}
	g, err := graph.ParseText("tower", text+"return "+last)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Make(ctx, Options{strategies: strategies, Name: "tower", Graph: g, Machine: "dgx-a100:1", Cluster: cluster(t), Planner: planner, Devices: 4, Memory: 8 << 20, Steps: 1 << 14,
		Recipe: &plan.Recipe{Loss: "meansquare", Optimizer: "adam", Rate: 0.01}})
	if err != nil {
		t.Fatal(err)
	}
	if r.File.Pipeline == nil || len(r.File.Stages) < 2 {
		t.Fatalf("%s: no stages", planner)
	}
	return r, g
}

// copied is a file that shares nothing with another.
func copied(t *testing.T, f *plan.File) *plan.File {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	g, err := plan.ReadFile(&b, "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// lie is something that a file says and that is not so.
type lie struct {
	what string
	tell func(f *plan.File)
	want string // in what the checker says
}

// told checks each lie in a file that is accepted without it.
func told(t *testing.T, f *plan.File, c *machine.Cluster, of *graph.Graph, lies []lie) {
	t.Helper()
	if _, err := Check(ctx, copied(t, f), "plan.json", c, of, false); err != nil {
		t.Fatal(err)
	}
	for _, l := range lies {
		g := copied(t, f)
		l.tell(g)
		_, err := Check(ctx, g, "plan.json", c, of, false)
		var rejected *optimize.Rejected
		if err == nil || l.want != "" && !errors.As(err, &rejected) || !strings.Contains(err.Error(), l.want) {
			t.Errorf("%s: %v, want %q", l.what, err, l.want)
		}
	}
}

// A plan that computes the same and lies about anything else is rejected: who is where, what
// a step takes, how the next one begins.
func TestLies(t *testing.T) {
	r := made(t, "mlp-tiny", 16, "fsdp", 4)
	adam := *r.File.Training
	adam.Optimizer = "adam"
	trained, err := Make(ctx, Options{strategies: strategies, Name: "mlp-tiny", Batch: 16, Graph: network(t, "mlp-tiny", 16), Machine: "dgx-a100:1", Cluster: cluster(t), Planner: "fsdp", Devices: 4, Recipe: &adam})
	if err != nil {
		t.Fatal(err)
	}
	any := func(m map[int]float64) int {
		for k := range m {
			return k
		}
		return -1
	}
	of := func(f *plan.File, is func(plan.Origin) bool) string {
		least := ""
		for name, o := range f.Origins {
			if is(o) && (least == "" || name < least) {
				least = name
			}
		}
		return least
	}
	told(t, trained.File, cluster(t), network(t, "mlp-tiny", 16), []lie{
		{"state that begins as something else", func(f *plan.File) { f.Init[any(f.Init)]++ }, "init"},
		{"state that begins as nothing", func(f *plan.File) { delete(f.Init, any(f.Init)) }, "init"},
		{"another model's hash", func(f *plan.File) { f.Model.Hash = strings.Repeat("0", len(f.Model.Hash)) }, "hash"},
		{"weights that are not handed on", func(f *plan.File) { f.Next = f.Next[1:] }, "next"},
		{"another number of devices", func(f *plan.File) { f.Machine.Devices = 8 }, "devices"},
		{"less memory than it needs", func(f *plan.File) { f.Machine.Memory = f.Step.Memory - 1 }, "1 more than"},
		{"no memory", func(f *plan.File) { f.Machine.Memory = 0 }, "may hold 0"},
		{"more memory than a device has", func(f *plan.File) { f.Machine.Memory = 1 << 50 }, "may hold"},
		{"negative memory", func(f *plan.File) { f.Machine.Memory = -1 << 63 }, "may hold"},
		{"links that the machine has not", func(f *plan.File) { f.Machine.Links = [][2]int{{0, 1}} }, "links"},
		{"a faster step", func(f *plan.File) { f.Step.Makespan-- }, "step"},
		{"a smaller step", func(f *plan.File) { f.Step.Memory-- }, "step"},
		{"a class less", func(f *plan.File) { f.Step.Classes = f.Step.Classes[1:] }, "step"},
		{"nothing about the step", func(f *plan.File) { f.Step = nil }, "step"},
		{"another sum", func(f *plan.File) { f.Time-- }, "time_ps"},
		{"a bound above what is bounded", func(f *plan.File) { f.Passes[0].Bound = f.Passes[0].Cost + 1 }, "passes"},
		{"another degree", func(f *plan.File) { f.Passes[0].Degree = 2 }, "passes"},
		{"unknown means", func(f *plan.File) { f.Passes[0].Means = "magic" }, "passes"},
		{"a pass less", func(f *plan.File) { f.Passes = nil }, "passes"},
		{"devices in time", func(f *plan.File) { f.Mesh[0].Time = true }, ""},
		{"devices in time, said twice", func(f *plan.File) { f.Mesh[0].Time, f.Passes[0].Means, f.Machine.Devices = true, plan.Micro, 1 }, ""},
		{"another degree of the mesh", func(f *plan.File) { f.Mesh[0].Degree = 3 }, ""},
		{"a negative degree", func(f *plan.File) { f.Mesh[0].Degree = -4 }, "degree -4"},
		{"more devices than there are", func(f *plan.File) { f.Mesh[0].Degree = 1 << 62 }, "devices"},
		{"an axis of a stage", func(f *plan.File) { f.Mesh[0].Stage = 1 }, "stage"},
		{"very many micro-batches", func(f *plan.File) {
			f.Mesh = append(f.Mesh, plan.Axis{Degree: 1 << 40, Time: true})
			f.Passes = append(f.Passes, plan.Pass{Means: plan.Micro, Degree: 1 << 40, Cost: f.Time})
		}, "1099511627776 micro-batches"},
		{"stages without a pipeline", func(f *plan.File) { f.Stages = []plan.Submesh{{First: 0, Devices: 4}} }, "pipeline"},
		{"a node that comes from another", func(f *plan.File) {
			x := of(f, func(o plan.Origin) bool { return !o.Converts })
			if x == "" { // all have the names of their origins: give one another
				x = "left1_relu"
			}
			f.Origins[x] = plan.Origin{Of: "left0_relu"}
		}, "origins"},
		{"a node that computes is told to convert", func(f *plan.File) { f.Origins["left0_relu"] = plan.Origin{Of: "left0_fc_bias", Converts: true} }, "origins"},
		{"a node converts another tensor", func(f *plan.File) {
			x := of(f, func(o plan.Origin) bool { return o.Converts })
			f.Origins[x] = plan.Origin{Of: "left1_relu", Converts: true}
		}, "origins"},
		{"a rewritten graph that is another", func(f *plan.File) { f.Rewritten = strings.Replace(f.Sequential, "relu(", "step(", 1) }, "origins"},
	})
}

// role tells another role of the first node that has one and satisfies a condition.
func role(f *plan.File, was parallel.RoleKind, by parallel.Role, of func(name string) bool) bool {
	for _, line := range strings.Split(f.Graph, "\n") {
		name, _, _ := strings.Cut(line, " ")
		for _, l := range f.Layouts[name] {
			for i := range l {
				if l[i].Role.Kind == was && of(name) {
					l[i].Role = by
					return true
				}
			}
		}
	}
	return false
}

// Roles that are not so: partial sums or shards that are told to be copies, which programs
// for other compilers would take for them, and members that are ended as something else.
func TestLiesOfRoles(t *testing.T) {
	f := twoAxes(t)
	any := func(string) bool { return true }
	computes := func(name string) bool { return !f.Origins[name].Converts }
	for _, l := range []struct {
		what string
		was  parallel.RoleKind
		by   parallel.Role
		of   func(string) bool
	}{
		{"sums are copies", parallel.Sum, cop, any},
		{"computed sums are copies", parallel.Sum, cop, computes},
		{"shards are copies", parallel.Shard, cop, any},
		{"computed shards are copies", parallel.Shard, cop, computes},
		{"copies are sums", parallel.Copy, sum, any},
		{"shards are of another axis", parallel.Shard, shard(1), func(name string) bool {
			return slices.ContainsFunc(f.Layouts[name][0], func(s parallel.Spread) bool { return s.Role == shard(0) })
		}},
		{"sums are shards", parallel.Sum, shard(0), computes},
		{"computed shards are sums", parallel.Shard, sum, computes},
		{"computed shards are first members", parallel.Shard, parallel.Role{Kind: parallel.First}, computes},
		{"shards have places of neighbours", parallel.Shard, parallel.Role{Kind: parallel.Shard, Before: 1, After: 1}, any},
		{"computed shards have places of neighbours", parallel.Shard, parallel.Role{Kind: parallel.Shard, Before: 1, After: 1}, computes},
		{"computed shards are blocks", parallel.Shard, parallel.Role{Kind: parallel.Shard, Blocks: 2}, computes},
		{"shards are nothing", parallel.Shard, parallel.Role{}, any},
	} {
		g := copied(t, f)
		if !role(g, l.was, l.by, l.of) {
			t.Errorf("%s: there are none", l.what)
			continue
		}
		var rejected *optimize.Rejected
		if _, err := Check(ctx, g, "plan.json", cluster(t), nil, false); !errors.As(err, &rejected) || !strings.Contains(err.Error(), "layouts") {
			t.Errorf("%s: %v", l.what, err)
		}
	}
}

// What only a search knows is claimed, whatever it is: it is listed as such, and nothing
// else of the report says so. Of layouts that are not told it is said that they are open.
func TestClaims(t *testing.T) {
	r := made(t, "mlp-tiny", 16, "fsdp", 4)
	of := network(t, "mlp-tiny", 16)
	for _, c := range []struct {
		what string
		tell func(f *plan.File)
		want plan.Claim
	}{
		{"nothing", func(*plan.File) {}, plan.Claim{What: "planner", Value: "fsdp"}},
		{"another planner", func(f *plan.File) { f.Planner = "exhaustive" }, plan.Claim{What: "planner", Value: "exhaustive"}},
		{"another search", func(f *plan.File) { f.Passes[0].Means = plan.Megatron }, plan.Claim{What: "mesh axis 0: layouts searched", Value: "megatron"}},
		{"a lower cost", func(f *plan.File) { f.Passes[0].Cost, f.Passes[0].Bound, f.Time = 1000, 1000, 1000 }, plan.Claim{What: "mesh axis 0: cost without overlap", Value: "1 ns"}},
		{"a lower step", func(f *plan.File) { f.Passes[0].Cost, f.Passes[0].Bound, f.Time = 1000, 1000, 1000 }, plan.Claim{What: "step without overlap", Value: "1 ns"}},
		{"a bound of nothing", func(f *plan.File) { f.Passes[0].Bound = 0 }, plan.Claim{What: "mesh axis 0: lower bound", Value: "0 s"}},
		{"an optimum", func(f *plan.File) { f.Passes[0].Stop = extract.StopOptimal }, plan.Claim{What: "mesh axis 0: search ended", Value: "at an optimum"}},
		{"a search that was cut", func(f *plan.File) { f.Passes[0].Stop = extract.StopSteps }, plan.Claim{What: "mesh axis 0: search ended", Value: "at its step limit"}},
	} {
		f := copied(t, r.File)
		c.tell(f)
		got, err := Check(ctx, f, "plan.json", cluster(t), of, false)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if !slices.Contains(got.Claimed, c.want) || len(got.Open) > 0 {
			t.Errorf("%s: claimed is %v, want %v among it; %v are open", c.what, got.Claimed, c.want, got.Open)
		}
		if !reflect.DeepEqual(got.Step, r.File.Step) {
			t.Errorf("%s: a step takes %v, want %v", c.what, got.Step, r.File.Step)
		}
	}
	unknown := copied(t, r.File)
	unknown.Layouts["left2_relu"] = []plan.Layout{{{Axis: 0}}}
	if got, err := Check(ctx, unknown, "plan.json", cluster(t), of, false); err != nil || !slices.Contains(got.Open, "left2_relu") {
		t.Errorf("a layout that is not told: %v, open are %v", err, got)
	}
	without, err := Check(ctx, copied(t, r.File), "plan.json", cluster(t), nil, false)
	if err != nil || !slices.Contains(without.Claimed, plan.Claim{What: "model", Value: "mlp-tiny"}) {
		t.Errorf("without the model: %v, %v", err, without)
	}
	lies := func(name, layout string) func(f *plan.File) {
		return func(f *plan.File) {
			if f.Layouts[name] == nil {
				t.Errorf("%s has no layout", name)
			}
			if err := f.Layouts[name][0].UnmarshalText([]byte(layout)); err != nil {
				t.Error(err)
			}
		}
	}
	told(t, r.File, cluster(t), of, []lie{
		{"shards of another axis", lies("left0_relu", "0 shard 1"), "left0_relu: along mesh axis 0 its results are told to be: shard 1; they are: shard 0"},
		{"sums", lies("left0_relu", "0 sum"), "layouts"},
		{"sums behind a product", lies("left1_fc_matmul", "0 sum"), "layouts"},
		{"copies", lies("left0_relu", "0 copy"), "layouts"},
		{"blocks", lies("left0_relu", "0 shard 0 of 2 blocks"), "layouts"},
		{"neighbours", lies("left0_relu", "0 shard 0 with 1 before and 1 behind"), "layouts"},
		{"an end of a search that there is not", func(f *plan.File) { f.Passes[0].Stop = "proved" }, "passes"},
		{"a bound below nothing", func(f *plan.File) { f.Passes[0].Bound = -1 }, "passes"},
	})
}

// The same of stages: overlapping devices, stages in another order, schedules that are none
// of this step, figures.
func TestLiesOfStages(t *testing.T) {
	for _, planner := range []string{"alpa", "pipeline"}[:sweep.Size(1, 2)] {
		r, g := staged(t, planner)
		reversed := func(f *plan.File) {
			for id := range f.Pipeline.Of[1:] {
				f.Pipeline.Of[id+1] = len(f.Pipeline.Stages) + 1 - f.Pipeline.Of[id+1]
			}
		}
		told(t, r.File, cluster(t), g, []lie{
			{"a faster step", func(f *plan.File) { f.Pipeline.Makespan, f.Time, f.Step.Makespan = 1, 1, 1 }, "pipeline"},
			{"less memory", func(f *plan.File) { f.Pipeline.Peak, f.Step.Memory = 1, 1 }, "pipeline"},
			{"a stage that takes less", func(f *plan.File) { f.Pipeline.Stages[0].Forward = 1 }, "pipeline"},
			{"a negative time", func(f *plan.File) { f.Pipeline.Stages[0].Backward = -1 << 62 }, "pipeline"},
			{"activations at the host", func(f *plan.File) { f.Pipeline.Stages[0].Offload = true }, "pipeline"},
			{"a stage that waits for nobody", func(f *plan.File) { f.Pipeline.Stages[1].After = nil }, "pipeline"},
			{"recomputation that is none", func(f *plan.File) {
				f.Pipeline.Stages[0].Recompute = !f.Pipeline.Stages[0].Recompute
			}, ""},
			{"stages in reverse", reversed, "pipeline"},
			{"a bound above the makespan", func(f *plan.File) { f.Pipeline.Bound = f.Pipeline.Makespan + 1 }, "pipeline"},
			{"an end of the search that there is not", func(f *plan.File) { f.Pipeline.Stop = "proved" }, "pipeline"},
			{"fewer than no candidates", func(f *plan.File) { f.Pipeline.Looked = -1 }, "pipeline"},
			{"another schedule", func(f *plan.File) { f.Pipeline.Schedule = "gpipe" }, "pipeline"},
			{"stale weights", func(f *plan.File) { f.Pipeline.Schedule = "2bw" }, "2bw"},
			{"stages that overlap", func(f *plan.File) { f.Stages[1].First = f.Stages[0].First }, ""},
			{"a stage on no device of the machine", func(f *plan.File) { f.Stages[0].First = 8 }, "stage 1"},
			{"a stage on a device below 0", func(f *plan.File) { f.Stages[0].First = -1 }, "stage 1"},
			{"a stage on very many devices", func(f *plan.File) { f.Stages[0].Devices = 1<<63 - 1 }, "stage 1"},
			{"a stage less", func(f *plan.File) { f.Stages = f.Stages[1:] }, ""},
			{"no stages at all", func(f *plan.File) { f.Pipeline = nil }, "pipeline"},
			{"a stage without nodes", func(f *plan.File) {
				for id := range f.Pipeline.Of[1:] {
					f.Pipeline.Of[id+1] = 1
				}
			}, "pipeline"},
			{"one micro-batch", func(f *plan.File) { f.Mesh[0].Time, f.Passes[0].Means = false, plan.Data }, ""},
		})
	}
}

// A certificate is of its two graphs and no others.
func TestOtherCertificate(t *testing.T) {
	a, b := made(t, "mlp-tiny", 16, "data", 4), made(t, "mlp-tiny", 16, "megatron", 4)
	told(t, a.File, cluster(t), network(t, "mlp-tiny", 16), []lie{
		{"of another plan", func(f *plan.File) { f.Certificate = b.File.Certificate }, "other models"},
		{"none", func(f *plan.File) { f.Certificate = "" }, ""},
		{"two equations", func(f *plan.File) { f.Certificate += a.File.Certificate }, ""},
		{"a graph of another plan", func(f *plan.File) { f.Graph, f.Layouts, f.Origins = b.File.Graph, b.File.Layouts, b.File.Origins }, "other models"},
	})
}
