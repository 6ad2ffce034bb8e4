package machine_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/parallel/machine"
)

func find(t testing.TB, name string) *machine.Cluster {
	t.Helper()
	c, err := machine.Find(name, machine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestShipped: every cluster that comes with the program is read in all the sizes that
// issue and papers ask for, and says where its numbers come from.
func TestShipped(t *testing.T) {
	for _, name := range machine.Names() {
		if c := find(t, name); c.Name != name || c.Doc == "" || c.Memory == 0 {
			t.Errorf("%s: name %q, %d bytes a device, doc %q", name, c.Name, c.Memory, c.Doc)
		}
	}
	for name, devices := range map[string]int{
		"summit:1": 6, "summit:32": 192, "p3-16xlarge:8": 64, "dgx-a100:128": 1024, "dgx-h100:16": 128,
		"tpu-like:32x32": 1024, "tpu-like:2x3": 6, "laptop": 2, "k80-cluster": 64, "p100-cluster": 16,
	} {
		c := find(t, name)
		if c.Devices() != devices || c.Devices() != c.PerNode()*c.Nodes {
			t.Errorf("%s: %d devices, want %d", name, c.Devices(), devices)
		}
	}
}

// TestBricks: each V100 has six NVLink bricks, in both machines that have some.
func TestBricks(t *testing.T) {
	for name, brick := range map[string]int64{"summit:1": 25e9, "p3-16xlarge": 25e9} {
		c := find(t, name)
		for d := range c.Devices() {
			sum := int64(0)
			for _, l := range c.Links {
				if l.From == d && l.Class == "nvlink" {
					sum += l.Bandwidth
				}
			}
			if sum != 6*brick {
				t.Errorf("%s, device %d: %d B/s of NVLink, want six bricks of %d", name, d, sum, brick)
			}
		}
	}
}

func TestBisection(t *testing.T) {
	for name, want := range map[string]int64{
		"summit:1": 64e9, // the X-bus
		"summit:2": 2 * 12.5e9,
		// 0 to 3 and 4 to 7: bricks 0-4 and 1-5 are two, 2-6 and 3-7 one; X-bus and PCIe:
		// all pass between the processors, 19.2 GB/s.
		"p3-16xlarge": 6*25e9 + 19.2e9,
		// Four rows of a torus of 4 × 4: two cuts of four links.
		"tpu-like":     2 * 4 * 82e9,
		"tpu-like:2x2": 2 * 82e9,
		"laptop":       7.5e9,
		"tpu-like:1x1": 0,
	} {
		if got := find(t, name).Bisection(); got != want {
			t.Errorf("%s: %d B/s between the halves, want %d", name, got, want)
		}
	}
}

const whole = `name: c
device: v100
memory: 8GiB
flops: {float16: 100TFLOPS}
nodes: 2
most: 16
classes:
  near: {latency: 1us, bandwidth: 10GB/s}
  far: {latency: 5us, bandwidth: 8Gbit/s}
node:
  devices: 3
  forward: false
  switches: [nic]
  hosts: {cpu: 1GiB}
  links:
    - {class: near, mesh: [0, 1, nic]}
    - {class: near, star: cpu, of: [2, nic], width: 2}
network:
  topology: fat-tree
  class: far
  ports: [nic]
  leaf: 1
  oversubscription: 2
`

// TestErrors changes one place of a file that is right: each error names the line.
func TestErrors(t *testing.T) {
	if _, err := machine.Parse("c.yaml", []byte(whole), machine.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		old, new string
		line     int
		want     string
	}{
		{"name: c", "name: ", 1, `name is empty, want a word`},
		{"name: c\n", "", 1, "the cluster: name is missing"},
		{"name: c", "nam: c", 1, `the cluster has no field "nam", only name, doc`},
		{"device: v100", "device: v101", 2, `unknown machine "v101"; did you mean v100?`},
		{"device: v100", "device: ./no.json", 2, "no such file"},
		{"memory: 8GiB", "memory: 8", 3, `memory "8" has no unit: want one of B, kB`},
		{"memory: 8GiB", "memory: -8GiB", 3, `memory "-8GiB" is negative`},
		{"memory: 8GiB", "memory: 0B", 3, `want more than 0`},
		{"memory: 8GiB\n", "memory: 8Gi\n", 3, `"Gi" is none of the units`},
		{"memory: 8GiB", "memory: 999999999999TiB", 3, "too large"},
		{"memory: 8GiB", "memory: 8GiB\nmemory: 8GiB", 4, "memory is said twice"},
		{"float16: 100TFLOPS", "float15: 100TFLOPS", 2, `element type "float15"`},
		{"nodes: 2", "nodes: 0", 5, `nodes is "0", want a whole number from 1 to 4096`},
		{"nodes: 2", "nodes: 17", 5, "nodes: 17, want 1 to 16"},
		{"nodes: 2", "nodes: [2, 2]", 5, "nodes is a list, which only a torus has"},
		{"nodes: 2", "nodes: 1000000000000000000000", 5, "want a whole number"},
		{"devices: 3", "devices: 1024", 5, ""}, // 2048 devices are not too many
		{"latency: 1us", "latency: 1", 8, `latency of near: time "1" has no unit`},
		{"latency: 1us", "latency: -1us", 8, "is negative"},
		{"latency: 1us, ", "", 8, "class near: latency is missing"},
		{"latency: 1us", "latency: 1e3us", 8, `"e3us" is none of the units`},
		{"latency: 1us", "latency: 0.0001ps", 8, "below one ps"},
		{"bandwidth: 8Gbit/s", "bandwidth: 8Gb/s", 9, "say GB/s for bytes or Gbit/s for bits"},
		{"bandwidth: 8Gbit/s", "bandwidth: 0B/s", 9, "want more than 0"},
		{"bandwidth: 8Gbit/s", "bandwith: 8Gbit/s", 9, `class far has no field "bandwith"`},
		{"devices: 3", "devices: 0", 11, `devices is "0", want a whole number from 1 to 1024`},
		{"devices: 3", "devices: 99999", 11, "want a whole number from 1 to 1024"},
		{"devices: 3", "devices: 4", 11, "device n0.d0: no links lead from it to n0.d3"},
		{"forward: false", "forward: maybe", 12, `forward is "maybe", want true or false`},
		{"switches: [nic]", "switches: [nic, nic]", 13, "switch nic is said twice"},
		{"switches: [nic]", "switches: nic", 13, `switches is "nic", want a list`},
		{"mesh: [0, 1, nic]", "mesh: [0, 3, nic]", 16, "3 is none of the devices 0 to 2"},
		{"mesh: [0, 1, nic]", "mesh: [0, 0, nic]", 16, "0 is an end twice"},
		{"mesh: [0, 1, nic]", "mesh: [0, 1, nix]", 16, `"nix" is neither a device nor a switch`},
		{"mesh: [0, 1, nic]", "pair: [0, 1, nic]", 16, "3 ends are too few or too many for a pair"},
		{"mesh: [0, 1, nic]", "mesh: [0, 1, nic], ring: [0, 1, 2]", 16, "both mesh and ring are said"},
		{"class: near, mesh: [0, 1, nic]", "class: near", 16, "which ends are joined is missing"},
		{"class: near, mesh", "class: nah, mesh", 16, `class "nah" is none of classes`},
		{"of: [2, nic]", "of: [2, nic]}\n    - {class: near, pair: [nic, 1]", 18, "1 and nic are joined already; for several cables say width"},
		{"of: [2, nic], ", "", 17, "link: of is missing"},
		{"width: 2", "width: 0", 17, `width is "0"`},
		{"fat-tree", "fat-tee", 19, `topology "fat-tee" is none of switch, fat-tree`},
		{"fat-tree", "ring", 22, "leaf goes with topology fat-tree only"},
		{"ports: [nic]", "ports: []", 21, "want the vertices of a node"},
		{"  leaf: 1\n", "", 19, "leaf is missing"},
		{"network:", "other:", 18, `no field "other"`},
		{"memory: 8GiB", "memory: &m 8GiB\ndoc: *m", 4, "an alias"},
		{"name: c", "name: [", 0, "c.yaml"},
		{whole, "", 1, "the file is empty"},
		{whole, "--- {}\n--- {}\n", 0, "text after the description"},
		{whole, "[]", 1, "the cluster is a list, want a mapping"},
	} {
		text := strings.Replace(whole, c.old, c.new, 1)
		if text == whole {
			t.Fatalf("%q does not occur", c.old)
		}
		_, err := machine.Parse("c.yaml", []byte(text), machine.Options{})
		if c.want == "" {
			if err == nil || strings.Contains(err.Error(), "more than 4096") {
				t.Errorf("%s → %s: %v", c.old, c.new, err)
			}
			continue
		}
		at := fmt.Sprintf("cluster c.yaml:%d: ", c.line)
		if c.line == 0 {
			at = "cluster c.yaml"
		}
		found := false
		for _, l := range strings.Split(fmt.Sprint(err), "\n") {
			found = found || strings.HasPrefix(l, at) && strings.Contains(l, c.want)
		}
		if !found {
			t.Errorf("%s → %s: %v\nwant %s..%s", c.old, c.new, err, at, c.want)
		}
	}
	// All that is wrong is said at once, in the order of lines.
	_, err := machine.Parse("c.yaml", []byte("nodes: 0\nclasses: {a: {latency: 1}}\nnode: {devices: x}\n"), machine.Options{})
	if n := strings.Count(fmt.Sprint(err), "\n"); n != 5 {
		t.Errorf("%d more faults than one, want 5: %v", n, err)
	}
}

func TestNodesAsked(t *testing.T) {
	for name, want := range map[string]string{
		"summit:0":           `nodes "0"`,
		"summit:5000":        `nodes "5000"`,
		"summit:4x4":         "asked for 2 sizes, and the network is no torus",
		"tpu-like:4":         "asked for 1 sizes, and the torus of the file has 2",
		"tpu-like:64x32":     "64x32, want 1 to 1024",
		"laptop:2":           "nodes: 2, want 1 to 1",
		"summit:x":           `nodes "x"`,
		"sumit":              `unknown cluster "sumit"; did you mean summit?`,
		"./no.yaml:2":        "no such file",
		"summit:4096":        "want 1 to 512",
		"topoopt:1000000000": "want a number",
	} {
		if _, err := machine.Find(name, machine.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", name, err, want)
		}
	}
}

func TestTooMany(t *testing.T) {
	text := strings.Replace(strings.Replace(whole, "most: 16\n", "", 1), "nodes: 2", "nodes: 4096", 1)
	if _, err := machine.Parse("c.yaml", []byte(text), machine.Options{}); err == nil || !strings.Contains(err.Error(), "c.yaml:5: 4096 nodes of 3 devices: more than 4096 devices") {
		t.Errorf("12288 devices: %v", err)
	}
}

func TestTooManyLinks(t *testing.T) {
	text := "name: x\ndevice: k80\nnodes: 4000\nclasses: {a: {latency: 0s, bandwidth: 1B/s}}\nnode: {devices: 1}\nnetwork: {topology: full, class: a, ports: [0]}\n"
	if _, err := machine.Parse("c.yaml", []byte(text), machine.Options{}); err == nil || !strings.Contains(err.Error(), "c.yaml:5: more than 524288 links") {
		t.Errorf("each of 4000 nodes with each: %v", err)
	}
}

// TestRoutes: links join, no route is longer than another way by brute force, messages do
// not pass through devices that do not forward, and asking in another order gives the same.
func TestRoutes(t *testing.T) {
	for _, name := range []string{"summit:3", "p3-16xlarge:2", "tpu-like:3x4", "topoopt:7", "laptop", "k80-cluster:2"} {
		c, d := find(t, name), find(t, name)
		n := c.Devices()
		for from := range n {
			dist := hops(c, from, name == "tpu-like:3x4")
			for to := range n {
				route, err := c.Route(from, to)
				if err != nil {
					t.Fatal(err)
				}
				at := from
				for _, l := range route {
					if c.Links[l].From != at {
						t.Fatalf("%s: route %d to %d: link %d begins elsewhere", name, from, to, l)
					}
					if at = c.Links[l].To; at < n && at != to && name != "tpu-like:3x4" {
						t.Fatalf("%s: route %d to %d passes device %d", name, from, to, at)
					}
				}
				if at != to || len(route) != dist[to] {
					t.Fatalf("%s: route %d to %d: %d links to %d, want %d", name, from, to, len(route), at, dist[to])
				}
				again, err := d.Route(n-1-from, n-1-to)
				if err != nil {
					t.Fatal(err)
				}
				same, _ := c.Route(n-1-from, n-1-to)
				if fmt.Sprint(again) != fmt.Sprint(same) {
					t.Fatalf("%s: route %v, then %v", name, again, same)
				}
			}
		}
	}
	if _, err := find(t, "laptop").Route(0, 99); err == nil {
		t.Error("a route to a vertex that is not there")
	}
}

// TestWide: of ways with as many links messages take the widest: NVLink within a node of a
// DGX, not the processor, though its links have less latency.
func TestWide(t *testing.T) {
	for _, name := range []string{"dgx-a100", "dgx-h100", "p100-cluster"} {
		c := find(t, name)
		for d := 1; d < c.PerNode(); d++ {
			route, err := c.Route(0, d)
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range route {
				if c.Links[l].Class != "nvlink" {
					t.Errorf("%s: from 0 to %d by %s", name, d, c.Links[l].Class)
				}
			}
		}
	}
}

// hops counts links by relaxing all of them until nothing changes (Bellman, Ford).
func hops(c *machine.Cluster, from int, forward bool) []int {
	const far = 1 << 30
	dist := make([]int, len(c.Vertices))
	for i := range dist {
		dist[i] = far
	}
	dist[from] = 0
	for changed := true; changed; {
		changed = false
		for _, l := range c.Links {
			if l.From != from && l.From < c.Devices() && !forward {
				continue
			}
			if dist[l.From]+1 < dist[l.To] {
				dist[l.To] = dist[l.From] + 1
				changed = true
			}
		}
	}
	return dist
}

func TestReconfigurable(t *testing.T) {
	c := find(t, "topoopt")
	leave := map[int]int{}
	for _, l := range c.Links {
		if l.Class == "optical" {
			leave[l.From]++
		}
	}
	for v, n := range leave {
		if n != c.Degree() {
			t.Errorf("%d links leave %s by default, want the degree %d", n, c.Vertices[v].Name, c.Degree())
		}
	}
	if len(leave) != c.Nodes {
		t.Errorf("links leave %d nodes of %d", len(leave), c.Nodes)
	}
	for _, x := range []struct {
		links [][2]int
		want  string
	}{
		{[][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}}, "5 links leave node 0"},
		{[][2]int{{0, 12}}, "a link of node 12"},
		{[][2]int{{3, 3}}, "from node 3 to itself"},
		{nil, "no links lead"},
	} {
		if _, err := c.Rewire(x.links); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%v: %v, want an error with %q", x.links, err, x.want)
		}
	}
	if _, err := find(t, "summit").Rewire(nil); err == nil {
		t.Error("the links of a fat tree were set")
	}
}

func TestTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, rate := rapid.Int64Range(0, 1<<40).Draw(t, "bytes"), rapid.Int64Range(1, 1e15).Draw(t, "rate")
		got := machine.TimeOf(n, rate)
		// The least time in which the rate carries the bytes, in exact integers.
		carried := func(ps machine.Time) bool { return fits(int64(ps), rate, n) }
		if got != machine.MaxTime && !carried(got) || got > 0 && carried(got-1) {
			t.Fatalf("%d bytes at %d B/s: %d ps", n, rate, got)
		}
	})
	if got := machine.TimeOf(1<<60, 1); got != machine.MaxTime {
		t.Errorf("a time beyond the range is %d", got)
	}
	for _, s := range []float64{-1, 1e300} {
		if _, err := machine.FromSeconds(costSeconds(s)); err == nil {
			t.Errorf("%v s is a time", s)
		}
	}
	if got, err := machine.FromSeconds(costSeconds(1.5e-6)); err != nil || got != 1500000 || got.String() != "1.5 µs" {
		t.Errorf("1.5 µs is %d ps, %v, %v", got, got, err)
	}
}

var large = regexp.MustCompile(`[0-9]{3}|0x|0o|0b|_[0-9]`)

// FuzzParse: no text makes a panic, and what is read is a cluster on which every message
// arrives.
func FuzzParse(f *testing.F) {
	f.Add([]byte(strings.ReplaceAll(strings.ReplaceAll(whole, "v100", "k80"), "100", "99")))
	f.Add([]byte(strings.ReplaceAll(twoByTwo, "v100", "k80")))
	for _, s := range []string{"torus", "ring", "full", "switch", "reconfigurable, degree: 2"} {
		f.Add([]byte("name: x\ndevice: k80\nnodes: 3\nclasses: {a: {latency: 0s, bandwidth: 1B/s}}\n" +
			"node: {devices: 2, forward: true, links: [{class: a, bus: [0, 1]}]}\nnetwork: {topology: " + s + ", class: a, ports: [0, 1]}\n"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		// Large clusters are right but slow, and TestErrors has absurd numbers.
		if large.Match(b) {
			t.Skip()
		}
		// A device may be named by a path, and not any file is to be opened here.
		for _, l := range strings.Split(string(b), "device:")[1:] {
			if line, _, _ := strings.Cut(l, "\n"); strings.ContainsAny(line, `./\`) {
				t.Skip()
			}
		}
		c, err := machine.Parse("fuzz.yaml", b, machine.Options{})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "cluster fuzz.yaml") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		if c.Devices() > 64 {
			return
		}
		c.Bisection()
		for d := range c.Devices() {
			if _, err := c.Route(0, d); err != nil {
				t.Fatal(err)
			}
		}
	})
}
