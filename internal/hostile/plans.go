package hostile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// Plans are files of plans, changed in one place from a valid one.
func Plans(valid []byte) ([]Input, error) {
	l := &list{ext: ".json"}
	var failed error
	change := func(name string, f func(p map[string]any)) {
		var p map[string]any
		d := json.NewDecoder(bytes.NewReader(valid))
		d.UseNumber()
		if err := d.Decode(&p); err != nil {
			failed = err
			return
		}
		f(p)
		text, err := json.Marshal(p)
		if err != nil {
			failed = err
			return
		}
		l.add(name, string(text))
	}
	in := func(p map[string]any, name string) map[string]any { return p[name].(map[string]any) }
	first := func(p map[string]any, name string) map[string]any { return p[name].([]any)[0].(map[string]any) }
	number := func(s string) json.Number { return json.Number(s) }
	huge := number("9223372036854775807")
	change("degree of 2^63-1", func(p map[string]any) { first(p, "mesh")["degree"], first(p, "passes")["degree"] = huge, huge })
	change("degree 0", func(p map[string]any) { first(p, "mesh")["degree"], first(p, "passes")["degree"] = 0, 0 })
	change("degree of 400 digits", func(p map[string]any) { first(p, "mesh")["degree"] = number(strings.Repeat("9", 400)) })
	change("100,000 mesh axes of 1", func(p map[string]any) { p["mesh"] = repeated(100_000, map[string]any{"degree": 1}) })
	change("60 mesh axes of 2", func(p map[string]any) { p["mesh"] = repeated(60, map[string]any{"degree": 2}) })
	change("mesh axis in time of 2^40", func(p map[string]any) {
		first(p, "mesh")["degree"], first(p, "mesh")["time"] = number("1099511627776"), true
	})
	change("100,000 stages", func(p map[string]any) { p["stages"] = repeated(100_000, map[string]any{"first": 0, "devices": 1}) })
	change("stage of 2^62 devices", func(p map[string]any) {
		p["stages"] = []any{map[string]any{"first": 0, "devices": number("4611686018427387904")}}
	})
	change("100,000 passes", func(p map[string]any) { p["passes"] = repeated(100_000, first(p, "passes")) })
	change("cost of 2^63-1", func(p map[string]any) { first(p, "passes")["cost_ps"], p["time_ps"] = huge, huge })
	change("cost that is no number", func(p map[string]any) { first(p, "passes")["cost_ps"] = "nan" })
	change("cost with an exponent", func(p map[string]any) { first(p, "passes")["cost_ps"] = number("1e300") })
	change("time below 0", func(p map[string]any) { p["time_ps"] = -1 })
	change("memory of 2^63-1", func(p map[string]any) { in(p, "step")["memory"], in(p, "machine")["memory"] = huge, huge })
	change("2^31 devices", func(p map[string]any) { in(p, "machine")["devices"] = 1 << 31 })
	change("machine of 10^9 nodes", func(p map[string]any) { in(p, "machine")["name"] = "summit:1000000000" })
	change("machine of a torus of 30 sizes", func(p map[string]any) {
		in(p, "machine")["name"] = "tpu-like:" + strings.Repeat("2x", 30) + "2"
	})
	change("machine is a device file", func(p map[string]any) { in(p, "machine")["name"] = "/dev/zero" })
	change("machine is a folder", func(p map[string]any) { in(p, "machine")["name"] = "/" })
	change("machine name of a megabyte", func(p map[string]any) { in(p, "machine")["name"] = strings.Repeat("m", 1<<20) })
	change("links: 100,000", func(p map[string]any) { in(p, "machine")["links"] = repeated(100_000, []any{0, 1}) })
	change("model name of a megabyte", func(p map[string]any) { in(p, "model")["name"] = strings.Repeat("m", 1<<20) })
	change("batch of 2^62", func(p map[string]any) { in(p, "model")["batch"] = number("4611686018427387904") })
	change("batch of 10^9", func(p map[string]any) { in(p, "model")["batch"] = 1_000_000_000 })
	change("large model of a name", func(p map[string]any) { in(p, "model")["name"] = "gpt-39b" })
	change("rate not a number", func(p map[string]any) { in(p, "training")["rate"] = number("1e400") })
	change("group of 2^62", func(p map[string]any) { in(p, "training")["group"] = number("4611686018427387904") })
	change("axis of 2^62", func(p map[string]any) { in(p, "training")["axis"] = number("4611686018427387904") })
	change("next: 100,000", func(p map[string]any) { p["next"] = repeated(100_000, []any{1, 1}) })
	change("next beyond the outputs", func(p map[string]any) { p["next"] = []any{[]any{1 << 40, -1}} })
	change("sequential of huge sizes", func(p map[string]any) { p["sequential"] = "x : float32[2147483647, 2147483647]\nreturn x" })
	change("sequential that is a cycle", func(p map[string]any) { p["sequential"] = "a = relu(b)\nb = relu(a)\nreturn a" })
	change("graph of a cycle", func(p map[string]any) { p["graph"] = "a = relu(b)\nb = relu(a)\nreturn a" })
	change("graph of 100,000 nodes", func(p map[string]any) {
		p["graph"] = "n0 : float32[4]\n" + each(100_000, "", func(i int) string { return fmt.Sprintf("n%d = relu(n%d)\n", i+1, i) }) + "return n0"
	})
	change("rewritten of huge sizes", func(p map[string]any) { p["rewritten"] = "x : float32[2147483647, 2147483647]\nreturn x" })
	change("padded by 2^62", func(p map[string]any) {
		p["padded"] = []any{[]any{map[string]any{"input": 0, "axis": 0, "to": number("4611686018427387904")}}}
	})
	change("100,000 paddings", func(p map[string]any) { p["padded"] = repeated(100_000, []any{}) })
	change("layout of 100,000 axes", func(p map[string]any) {
		p["layouts"] = map[string]any{"x": []any{each(100_000, ", ", func(i int) string { return "0 copy" })}}
	})
	change("layout along axis 2^62", func(p map[string]any) {
		p["layouts"] = map[string]any{"x": []any{"4611686018427387904 shard 4611686018427387904"}}
	})
	change("layout of huge blocks", func(p map[string]any) {
		for _, name := range []string{"left0_relu", "x_shard0_a"} {
			in(p, "layouts")[name] = []any{"0 shard 0 of 4611686018427387904 blocks"}
		}
	})
	change("layouts of 100,000 nodes", func(p map[string]any) {
		for i := range 100_000 {
			in(p, "layouts")[fmt.Sprint("zz", i)] = []any{"0 copy"}
		}
	})
	change("origin of itself", func(p map[string]any) {
		in(p, "origins")["left0_relu"] = map[string]any{"of": "left0_relu", "out": huge, "converts": true}
	})
	change("pipeline of no stages", func(p map[string]any) { p["pipeline"] = map[string]any{} })
	change("certificate of lists, a million deep", func(p map[string]any) { p["certificate"] = strings.Repeat("[", 1_000_000) })
	change("certificate of 16 MB of spaces", func(p map[string]any) { p["certificate"] = strings.Repeat(" ", 16<<20) })
	l.add("lists nested a million deep", strings.Repeat("[", 1_000_000))
	l.add("objects nested a million deep", strings.Repeat(`{"mesh":`, 1_000_000))
	l.add("layouts nested a million deep", `{"layouts":`+strings.Repeat(`{"x":`, 1_000_000))
	l.add("invalid UTF-8", `{"format":"`+"\xff\xfe"+`"}`)
	l.add("key twice", `{"format":"taso plan 1","format":"taso plan 1"}`)
	l.add("cut in the middle", string(valid[:len(valid)/2]))
	l.add("a million copies", strings.Repeat(`{"format":"taso plan 1"}`, 1_000_000))
	l.add("nothing", "")
	l.add("null", "null")
	return l.all, failed
}

func repeated(n int, x any) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = x
	}
	return out
}
