package bench

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/taso-go/taso/egraph/tensor"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/eggrun"
)

// eggVersion is that of egg at crates.io.
const eggVersion = "0.11.0"

var (
	//go:embed eggs/main.rs
	eggMain string
	//go:embed eggs/run.py
	egglogRun string
)

// peerProgram does a task; towers, where it is there, does one rebuild.
type peerProgram struct {
	name   string
	run    func(context.Context, *peerTask) (*outcome, error)
	towers func(ctx context.Context, width, height int) (*outcome, error)
}

// peerPrograms are the other programs that are there. The error is a [Missing] if
// none is.
func peerPrograms(ctx context.Context, rules []*tensor.Rule, tasks []*peerTask) (out []peerProgram, done func(), err error) {
	dir, err := os.MkdirTemp("", "bench-*")
	if err != nil {
		return nil, nil, err
	}
	done = func() { os.RemoveAll(dir) }
	var why []string
	if exe, err := buildEgg(ctx, dir, operatorsOf(rules, tasks)); err != nil {
		why = append(why, err.Error())
	} else {
		for _, explain := range []bool{false, true} {
			out = append(out, egg(exe, rules, explain))
		}
	}
	python, err := eggrun.Python(ctx)
	if err != nil {
		why = append(why, err.Error())
	} else {
		out = append(out, egglog(python, rules, operatorsOf(rules, tasks)))
	}
	if len(out) == 0 {
		done()
		return nil, nil, &Missing{What: "egg or egglog: " + strings.Join(why, "; ")}
	}
	return out, done, nil
}

// buildEgg compiles a program that has the operators as its language.
func buildEgg(ctx context.Context, dir string, ops []*graph.Op) (string, error) {
	cargo, err := exec.LookPath("cargo")
	if err != nil {
		return "", errors.New("no egg: cargo, which compiles it, is not on the path")
	}
	var lang strings.Builder
	for _, o := range ops {
		fmt.Fprintf(&lang, "        %q = %s([Id; %d]),\n", o.Name, strings.ToUpper(o.Name[:1])+o.Name[1:], o.In)
	}
	files := map[string]string{
		"Cargo.toml": "[package]\nname = \"peer\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[dependencies]\negg = \"=" + eggVersion +
			"\"\n\n[profile.release]\nlto = true\ncodegen-units = 1\n",
		"src/main.rs": strings.Replace(eggMain, "//LANGUAGE//\n", lang.String(), 1),
	}
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return "", err
		}
	}
	target := filepath.Join(dir, "target")
	cmd := exec.CommandContext(ctx, cargo, "build", "--release", "--quiet", "--target-dir", target)
	cmd.Dir = dir
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("no egg: cargo build: %w: %.200s", err, strings.ReplaceAll(string(text), "\n", " "))
	}
	return filepath.Join(target, "release", "peer"), nil
}

// egg runs tasks with the program that buildEgg made.
func egg(exe string, rules []*tensor.Rule, explain bool) peerProgram {
	p := peerProgram{name: "egg"}
	head := ""
	if explain {
		p.name, head = "egg, explanations", "explain\n"
	}
	p.towers = func(ctx context.Context, width, height int) (*outcome, error) {
		return runPeer(ctx, fmt.Sprintf("%stowers relu %d %d\n", head, width, height), exe)
	}
	p.run = func(ctx context.Context, task *peerTask) (*outcome, error) {
		var b strings.Builder
		b.WriteString(head)
		for i, r := range rules {
			l, t := sides(r, "?", "")
			fmt.Fprintf(&b, "rule %s-%d | %s | %s\n", r.Law.Name, i, l, t)
		}
		for _, t := range task.terms {
			if t.op == nil {
				fmt.Fprintf(&b, "leaf %s\n", t.name)
				continue
			}
			fmt.Fprintf(&b, "node %s", t.op.Name)
			for _, k := range t.kids {
				fmt.Fprintf(&b, " %d", k)
			}
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "rounds %d\n", task.rounds)
		return runPeer(ctx, b.String(), exe)
	}
	return p
}

// egglogPrefix tells operators from functions that egglog has itself.
const egglogPrefix = "t_"

// egglog runs tasks with egglog's own language.
func egglog(python string, rules []*tensor.Rule, ops []*graph.Op) peerProgram {
	return peerProgram{name: "egglog", run: func(ctx context.Context, task *peerTask) (*outcome, error) {
		var b strings.Builder
		b.WriteString("(datatype T (Leaf String)")
		for _, o := range ops {
			fmt.Fprintf(&b, " (%s%s%s)", egglogPrefix, o.Name, strings.Repeat(" T", o.In))
		}
		b.WriteString(")\n")
		for _, r := range rules {
			l, t := sides(r, "", egglogPrefix)
			fmt.Fprintf(&b, "(rewrite %s %s)\n", l, t)
		}
		for i, t := range task.terms {
			if t.op == nil {
				fmt.Fprintf(&b, "(let $n%d (Leaf %q))\n", i, t.name)
				continue
			}
			fmt.Fprintf(&b, "(let $n%d (%s%s", i, egglogPrefix, t.op.Name)
			for _, k := range t.kids {
				fmt.Fprintf(&b, " $n%d", k)
			}
			b.WriteString("))\n")
		}
		fmt.Fprintf(&b, "--\n(run %d)\n", task.rounds)
		return runPeer(ctx, b.String(), python, "-c", egglogRun)
	}}
}

// runPeer runs a program that reads a task and prints an outcome.
func runPeer(ctx context.Context, in, exe string, args ...string) (*outcome, error) {
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Stdin = strings.NewReader(in)
	var faults bytes.Buffer
	cmd.Stderr = &faults
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %.300s", err, faults.String())
	}
	var o outcome
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("it printed %.100q: %w", text, err)
	}
	return &o, nil
}

// sides writes a rule's pattern and target as S-expressions, with something before
// the names of variables and of operators.
func sides(r *tensor.Rule, mark, prefix string) (left, right string) {
	d := r.Direction()
	var from, to func(ref int32) string
	write := func(name string, kids []int32, sub func(int32) string) string {
		s := "(" + prefix + name
		for _, k := range kids {
			s += " " + sub(k)
		}
		return s + ")"
	}
	from = func(ref int32) string {
		if ref < 0 {
			return mark + d.Vars[^ref]
		}
		return write(d.Nodes[ref].Op.Name, d.Nodes[ref].Kids, from)
	}
	to = func(ref int32) string {
		if ref < 0 {
			return mark + d.Vars[^ref]
		}
		return write(d.Steps[ref].Op.Name, d.Steps[ref].Args, to)
	}
	return from(d.Roots[0]), to(d.Targets[0])
}

// operatorsOf are the operators of rules and terms.
func operatorsOf(rules []*tensor.Rule, tasks []*peerTask) []*graph.Op {
	var out []*graph.Op
	seen := map[*graph.Op]bool{}
	add := func(o *graph.Op) {
		if o != nil && !seen[o] {
			seen[o] = true
			out = append(out, o)
		}
	}
	for _, r := range rules {
		d := r.Direction()
		for _, n := range d.Nodes {
			add(n.Op)
		}
		for _, s := range d.Steps {
			add(s.Op)
		}
	}
	for _, t := range tasks {
		for _, n := range t.terms {
			add(n.op)
		}
	}
	return out
}
