package cost_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/graph/op"
)

// entry is sample i of some key.
func entry(i int) cost.Entry {
	return cost.Entry{
		Key:    cost.Key{Setting: here, Op: "relu", In: fmt.Sprintf("float32[%d]", i), Out: fmt.Sprintf("float32[%d]", i)},
		Sample: cost.Sample{Seconds: cost.Seconds(i+1) * 1e-6, MAD: 1e-8, Runs: 5, Source: cost.Measured},
		Unix:   1700000000 + int64(i),
	}
}

func open(t testing.TB, path string) *cost.Store {
	t.Helper()
	s, err := cost.OpenStore(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStoreKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "t.costs")
	s := open(t, path)
	var want []cost.Entry
	for i := range 20 {
		if err := s.Add(entry(i)); err != nil {
			t.Fatal(err)
		}
		want = append(want, entry(i))
	}
	got := open(t, path)
	if len(got.Damaged) != 0 || got.Len() != len(want) {
		t.Fatalf("%d entries, damaged %v", got.Len(), got.Damaged)
	}
	for _, e := range want {
		if s, ok := got.Get(e.Key); !ok || s != e.Sample {
			t.Errorf("%s: got %v, want %v", e.Key, s, e.Sample)
		}
	}
	if !slices.Equal(got.Entries(), s.Entries()) {
		t.Error("the entries differ from those of the writer")
	}
}

func TestBestSample(t *testing.T) {
	with := func(source cost.Source, unix int64, sec cost.Seconds) cost.Entry {
		e := entry(1)
		e.Sample.Source, e.Unix, e.Sample.Seconds = source, unix, sec
		return e
	}
	for _, c := range []struct {
		name  string
		es    []cost.Entry
		want  cost.Seconds
		taken []bool
	}{
		{"later", []cost.Entry{with(cost.Measured, 5, 1), with(cost.Measured, 6, 2)}, 2, []bool{true, true}},
		{"earlier", []cost.Entry{with(cost.Measured, 6, 1), with(cost.Measured, 5, 2)}, 1, []bool{true, false}},
		{"same time", []cost.Entry{with(cost.Measured, 5, 1), with(cost.Measured, 5, 2)}, 2, []bool{true, true}},
		{"measured beats modelled", []cost.Entry{with(cost.Measured, 5, 1), with(cost.Modelled, 9, 2)}, 1, []bool{true, false}},
		{"measured beats recorded", []cost.Entry{with(cost.Recorded, 9, 1), with(cost.Measured, 5, 2)}, 2, []bool{true, true}},
	} {
		var tab cost.Table
		for i, e := range c.es {
			taken, err := tab.Put(e)
			if err != nil || taken != c.taken[i] {
				t.Errorf("%s: sample %d taken: %t, %v", c.name, i, taken, err)
			}
		}
		if s, _ := tab.Get(entry(1).Key); s.Seconds != c.want {
			t.Errorf("%s: got %v, want %v", c.name, s.Seconds, c.want)
		}
	}
	var tab cost.Table
	if _, err := tab.Put(with(cost.Measured, 1, 0)); err == nil {
		t.Error("a time of 0 was taken")
	}
}

// TestTornLine cuts the file at every byte: what was whole is read, the rest is
// reported, and the next writer mends it.
func TestTornLine(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "t.costs")
	if err := open(t, path).Add(entry(0), entry(1)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(path, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		lines := bytes.Count(whole[:n], []byte("\n"))
		if want := max(0, lines-1); s.Len() != want {
			t.Fatalf("cut at %d: %d entries, want %d", n, s.Len(), want)
		}
		torn := n > 0 && whole[n-1] != '\n'
		if torn != (len(s.Damaged) == 1) || torn && (!s.Damaged[0].Torn || s.Damaged[0].Line != lines+1) {
			t.Fatalf("cut at %d: damaged %v", n, s.Damaged)
		}
		if err := s.Add(entry(2)); err != nil {
			t.Fatal(err)
		}
		if s = open(t, path); len(s.Damaged) != 0 || s.Len() != max(0, lines-1)+1 {
			t.Fatalf("cut at %d, then written: %d entries, damaged %v", n, s.Len(), s.Damaged)
		}
	}
}

func TestDamagedLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.costs")
	if err := open(t, path).Add(entry(0), entry(1), entry(2)); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(whole), "\n")
	for want, bad := range map[string]string{
		"checksum":            strings.Replace(lines[2], "1700000001", "1700000007", 1),
		"invalid character":   "nonsense\n",
		"more than 65536":     strings.Repeat("x", 200000) + "\n",
		"unexpected end":      "\n",
		"is not modelled":     sum(`{"key":{},"sample":{"s":1,"source":"guessed"}}`),
		"not a time":          sum(`{"key":{},"sample":{"s":-1,"runs":1,"source":"measured"}}`),
		"without a run":       sum(`{"key":{},"sample":{"s":1,"source":"measured"}}`),
		`unknown field "colo`: sum(`{"key":{"color":1},"sample":{"s":1,"runs":1,"source":"measured"}}`),
	} {
		var tab cost.Table
		damaged, err := cost.ReadTable("t", strings.NewReader(lines[0]+lines[1]+bad+lines[3]), &tab)
		if err != nil || len(damaged) != 1 || damaged[0].Line != 3 || damaged[0].Torn || tab.Len() != 2 {
			t.Errorf("%s: %d entries, damaged %v, %v", want, tab.Len(), damaged, err)
			continue
		}
		if msg := damaged[0].Error(); !strings.Contains(msg, want) || !strings.HasPrefix(msg, "t:3: ") {
			t.Errorf("got %q, want t:3: … %q", msg, want)
		}
	}
	for text, want := range map[string]string{
		"PNG\n": "t:1: no table",
		"PNG":   "t:1: no table",
		`{"format":"taso costs","version":2}` + "\n": "version 2",
		strings.Repeat("x", 100000) + "\n":           "no table",
	} {
		_, err := cost.ReadTable("t", strings.NewReader(text), new(cost.Table))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: got %v, want an error with %q", text, err, want)
		}
	}
	_, err = cost.ReadTable("t", failing{}, new(cost.Table))
	if !errors.Is(err, errFailing) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// sum makes a line with a checksum that fits.
func sum(entry string) string {
	return fmt.Sprintf("{\"sum\":%q,\"entry\":%s}\n", cost.SumOf([]byte(entry)), entry)
}

var errFailing = errors.New("disk on fire")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errFailing }

// TestConcurrentWriters lets processes add to one file at once, one of them
// compacting it: nothing is lost.
func TestConcurrentWriters(t *testing.T) {
	const writers, each = 4, 60
	if path := os.Getenv("COST_TEST_WRITER"); path != "" {
		var id int
		fmt.Sscan(os.Getenv("COST_TEST_ID"), &id)
		s := open(t, path)
		for i := range each {
			if err := s.Add(entry(id*each + i)); err != nil {
				t.Fatal(err)
			}
			if id == 0 && i%10 == 9 {
				if err := s.Compact(); err != nil {
					t.Fatal(err)
				}
			}
		}
		return
	}
	path := filepath.Join(t.TempDir(), "t.costs")
	var cmds []*exec.Cmd
	for id := range writers {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestConcurrentWriters$")
		cmd.Env = append(os.Environ(), "COST_TEST_WRITER="+path, fmt.Sprint("COST_TEST_ID=", id))
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, path)
	if len(s.Damaged) != 0 || s.Len() != writers*each {
		t.Errorf("%d entries of %d, damaged %v", s.Len(), writers*each, s.Damaged)
	}
}

// TestOlderKeys: keys that lack a parameter which came later, and those that have it at its
// default, are found as keys of today; of two for one application the later sample counts.
// What the parameter changes stays another key.
func TestOlderKeys(t *testing.T) {
	cast := func(mode string) *cost.Application {
		return applied(t, "cast", map[string]graph.Value{"to": graph.NameValue("int8"), "mode": graph.NameValue(mode)},
			graph.TensorType{DType: graph.Int64, Sizes: []int{2}})
	}
	conv := applied(t, "conv2d", same(), f32(1, 3, 8, 8), f32(4, 3, 3, 3))
	group := *conv
	group.Tail = []cost.Fused{{Op: op.Cast, Attrs: op.Cast.MustAttr(map[string]graph.Value{"to": graph.NameValue("float16")})}}
	const image = `"in":"float32[1, 3, 8, 8], float32[4, 3, 3, 3]","out":"float32[1, 4, 8, 8]"`
	const ints = `"in":"int64[2]","out":"int8[2]"`
	line := func(key string, seconds, unix int) string {
		return sum(fmt.Sprintf(`{"key":{"device":"test, 1 thread","library":"test 1",%s},"sample":{"s":%d,"runs":1,"source":"measured"},"unix":%d}`, key, seconds, unix))
	}
	for _, c := range []struct {
		name string
		of   *cost.Application
		want cost.Seconds // 0: not found
		text []string
	}{
		{"before", cast("default"), 1, []string{line(`"op":"cast","attrs":"[to=int8]",`+ints, 1, 1)}},
		{"between", cast("default"), 2, []string{line(`"op":"cast","attrs":"[to=int8, mode=default]",`+ints, 2, 1)}},
		{"both", cast("default"), 3, []string{line(`"op":"cast","attrs":"[to=int8, mode=default]",`+ints, 3, 2), line(`"op":"cast","attrs":"[to=int8]",`+ints, 4, 1)}},
		{"another mode", cast("wrap"), 0, []string{line(`"op":"cast","attrs":"[to=int8]",`+ints, 1, 1)}},
		{"the mode", cast("wrap"), 5, []string{line(`"op":"cast","attrs":"[to=int8, mode=wrap]",`+ints, 5, 1)}},
		{"a convolution", conv, 6, []string{line(`"op":"conv2d","attrs":"[stride=(1, 1), pad=same_upper, groups=1, act=none, dilation=(1, 1)]",`+image, 6, 1)}},
		{"a group", &group, 7, []string{line(`"op":"conv2d","attrs":"[stride=(1, 1), pad=same_upper, groups=1, act=none]",`+image+`,"tail":"cast[to=float16, mode=default](_)"`, 7, 1)}},
	} {
		var table cost.Table
		damaged, err := cost.ReadTable(c.name, strings.NewReader(`{"format":"taso costs","version":1}`+"\n"+strings.Join(c.text, "")), &table)
		if err != nil || len(damaged) > 0 {
			t.Fatalf("%s: %v %v", c.name, damaged, err)
		}
		if got, ok := table.Get(keyOf(c.of)); ok != (c.want > 0) || got.Seconds != c.want {
			t.Errorf("%s: %s has %g s (found: %v), want %g", c.name, keyOf(c.of).Application(), float64(got.Seconds), ok, float64(c.want))
		}
		if table.Len() != 1 {
			t.Errorf("%s: %d entries, want 1", c.name, table.Len())
		}
	}
}

func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.costs")
	s := open(t, path)
	for round := range 3 {
		for i := range 5 {
			e := entry(i)
			e.Unix += int64(round)
			if err := s.Add(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := open(t, path).Add(entry(9)); err != nil { // another process
		t.Fatal(err)
	}
	size := func() int64 {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return fi.Size()
	}
	before := size()
	if err := s.Compact(); err != nil {
		t.Fatal(err)
	}
	if after := size(); after >= before {
		t.Errorf("%d bytes before, %d after", before, after)
	}
	got := open(t, path)
	if got.Len() != 6 || s.Len() != 6 || len(got.Damaged) != 0 {
		t.Errorf("%d entries, damaged %v", got.Len(), got.Damaged)
	}
}

// TestRoundTrip: any entries, written and read, are the same table.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a, b cost.Table
		for range rapid.IntRange(0, 8).Draw(t, "n") {
			e := cost.Entry{
				Key: cost.Key{
					Setting: cost.Setting{Device: rapid.String().Draw(t, "device"), Math: rapid.SampledFrom([]string{"", "tf32", "<&>"}).Draw(t, "math")},
					Op:      rapid.String().Draw(t, "op"),
				},
				Sample: cost.Sample{
					Seconds: cost.Seconds(rapid.Float64Range(1e-300, 1e300).Draw(t, "s")),
					MAD:     cost.Seconds(rapid.Float64Range(0, 1).Draw(t, "mad")),
					Runs:    rapid.IntRange(1, 100).Draw(t, "runs"), Source: cost.Source(rapid.IntRange(0, 2).Draw(t, "source")),
				},
				Unix: rapid.Int64().Draw(t, "unix"),
			}
			if _, err := a.Put(e); err != nil {
				t.Fatal(err)
			}
		}
		var w bytes.Buffer
		if err := cost.WriteTable(&w, &a); err != nil {
			t.Skip(err) // not UTF-8
		}
		damaged, err := cost.ReadTable("t", &w, &b)
		if err != nil || len(damaged) != 0 {
			t.Fatal(err, damaged)
		}
		if !slices.Equal(a.Entries(), b.Entries()) {
			t.Fatalf("wrote %v\nread %v", a.Entries(), b.Entries())
		}
	})
}

// FuzzReadTable: no text makes the reader panic, and what it takes is written
// and read back the same.
func FuzzReadTable(f *testing.F) {
	var tab cost.Table
	for i := range 3 {
		tab.Put(entry(i))
	}
	var w bytes.Buffer
	if err := cost.WriteTable(&w, &tab); err != nil {
		f.Fatal(err)
	}
	f.Add(w.Bytes())
	f.Add(w.Bytes()[:w.Len()-5])
	f.Add([]byte(`{"format":"taso costs","version":1}` + "\n" + sum(`{"key":{"op":"relu"},"sample":{"s":1,"source":"modelled"}}`)))
	f.Add([]byte(`{"format":"taso costs","version":1}` + "\n{\"sum\":\"ef46db3751d8e999\",\"entry\":}\n\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var a, c cost.Table
		if _, err := cost.ReadTable("fuzz", bytes.NewReader(b), &a); err != nil {
			return
		}
		var w bytes.Buffer
		if err := cost.WriteTable(&w, &a); err != nil {
			t.Fatal(err)
		}
		if damaged, err := cost.ReadTable("fuzz", bytes.NewReader(w.Bytes()), &c); err != nil || len(damaged) > 0 || !slices.Equal(a.Entries(), c.Entries()) {
			t.Fatalf("read back differently: %v %v", damaged, err)
		}
		for _, e := range a.Entries() {
			if ap, err := e.Key.Parse(); err == nil && cost.KeyOf(e.Key.Setting, *ap) != e.Key {
				t.Fatalf("%s parses as another application", e.Key)
			}
		}
	})
}

func ExampleOpenStore() {
	dir, err := os.MkdirTemp("", "costs")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := cost.OpenStore(filepath.Join(dir, "measured.costs"))
	if err != nil {
		fmt.Println(err)
		return
	}
	k := cost.Key{Setting: cost.Setting{Device: "cpu, 1 thread", Library: "taso 1"}, Op: "relu", In: "float32[8]", Out: "float32[8]"}
	if err := s.Add(cost.NewEntry(k, cost.Sample{Seconds: 120e-9, MAD: 2e-9, Runs: 30, Source: cost.Measured})); err != nil {
		fmt.Println(err)
		return
	}
	sample, ok := s.Get(k)
	fmt.Println(sample, ok)
	// Output: 120 ns ± 2 ns (measured, 30 runs) true
}
