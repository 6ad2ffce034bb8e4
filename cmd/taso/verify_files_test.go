package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Pairs of files that look equal and are not: where two inputs change together, at large
// numbers, at negative positions, where rounding is a function, at poles.
func TestVerifyDifferentFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/verify/*.a.onnx")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d pairs, %v", len(files), err)
	}
	for _, a := range files {
		b := strings.Replace(a, ".a.onnx", ".b.onnx", 1)
		for _, seed := range []string{"1", "2", "3", "17"} {
			var out, errs bytes.Buffer
			status := run([]string{"verify", a, b, "--seed", seed}, nil, &out, &errs)
			if status != 1 || !strings.HasPrefix(out.String(), "differ") {
				t.Errorf("%s, seed %s: status %d\n%s%s", a, seed, status, out.String(), errs.String())
			}
		}
	}
}

// Verdicts list what they take for granted, and --strict allows nothing.
func TestVerifyAssumptions(t *testing.T) {
	// layout is a file that only moves elements: transposed twice, or not at all.
	layout := func(name string, transpose bool) string {
		f := newFile()
		f.input("x", floatType, 2, 3)
		from := "x"
		if transpose {
			setInts(f.node("Transpose", "t", "x"), "perm", 1, 0)
			setInts(f.node("Transpose", "u", "t"), "perm", 1, 0)
			from = "u"
		}
		f.node("Relu", "y", from)
		f.output("y", 2, 3)
		return f.write(t, name)
	}
	// sum is x + y, or y + x + 0.
	sum := func(name string, kind int32, more bool) string {
		f := newFile()
		f.input("x", kind, 4)
		f.input("y", kind, 4)
		last := "y"
		if more {
			f.node("Sub", "d", "x", "y")
			f.node("Add", "last", "d", "y")
			last = "last"
			f.node("Add", "z", "y", last)
		} else {
			f.node("Add", "z", "x", "y")
		}
		f.output("z", 4)
		return f.write(t, name)
	}
	for _, c := range []struct {
		a, b        string
		args        []string
		status      int
		statement   string
		assumptions []string
	}{
		{layout("one", false), layout("other", false), []string{"--strict"}, 0, "equal (proved for all inputs)", nil},
		{layout("plain", false), layout("turned", true), nil, 0, "equal (exact on random residues, error probability < 2^-", []string{"reals", "finite-inputs", "modulus"}},
		{layout("plain", false), layout("turned", true), []string{"--prove", "--strict"}, 0, "equal (proved for all inputs)", nil},
		{layout("plain", false), layout("turned", true), []string{"--strict"}, 1, "equal (exact", []string{"reals", "finite-inputs", "modulus"}},
		{sum("sum", floatType, false), sum("more", floatType, true), nil, 0, "equal (exact", []string{"reals", "finite-inputs", "modulus"}},
		{sum("sum", floatType, false), sum("more", floatType, true), []string{"--no-exact"}, 0, "agree on 2 samples", []string{"reals", "finite-inputs"}},
		{sum("sum", floatType, false), sum("more", floatType, true), []string{"--no-exact", "--strict"}, 1, "agree on 2 samples", []string{"reals", "finite-inputs"}},
		{sum("sum", int64Type, false), sum("more", int64Type, true), nil, 0, "equal (exact", []string{"modulus"}},
	} {
		var out, errs bytes.Buffer
		status := run(append([]string{"verify", c.a, c.b, "--json"}, c.args...), nil, &out, &errs)
		var rep struct {
			Statement   string
			Assumptions []string
		}
		if err := json.Unmarshal(out.Bytes(), &rep); err != nil {
			t.Fatalf("%v: %s%s", err, out.String(), errs.String())
		}
		if status != c.status || !strings.HasPrefix(rep.Statement, c.statement) || !slices.Equal(rep.Assumptions, c.assumptions) && len(rep.Assumptions)+len(c.assumptions) > 0 {
			t.Errorf("%s and %s %v: status %d, %q, assumptions %v; want %d, %q, %v\n%s", filepath.Base(c.a), filepath.Base(c.b), c.args, status, rep.Statement, rep.Assumptions,
				c.status, c.statement, c.assumptions, errs.String())
		}
		if rep.Assumptions == nil {
			t.Errorf("%s: assumptions are not a list", c.a)
		}
	}
}

// A proof lists what the laws that it uses take for granted, and check --strict allows
// nothing.
func TestCheckAssumptions(t *testing.T) {
	sum := func(name string, first string) string { // (x + y) + z, or x + (y + z)
		f := newFile()
		for _, in := range []string{"x", "y", "z"} {
			f.input(in, floatType, 2, 3)
		}
		if first == "x" {
			f.node("Add", "a", "x", "y")
			f.node("Add", "s", "a", "z")
		} else {
			f.node("Add", "a", "y", "z")
			f.node("Add", "s", "x", "a")
		}
		f.output("s", 2, 3)
		return f.write(t, name)
	}
	a, b := sum("left", "x"), sum("right", "y")
	proof := filepath.Join(t.TempDir(), "p.proof")
	var out, errs bytes.Buffer
	if status := run([]string{"verify", a, b, "--prove", "--proof", proof}, nil, &out, &errs); status != 0 || !strings.HasPrefix(out.String(), "equal (proved for all inputs)\nassuming reals, finite-inputs (docs/trust.md)\n") {
		t.Fatalf("status %d\n%s%s", status, out.String(), errs.String())
	}
	for _, c := range []struct {
		args   []string
		status int
	}{{nil, 0}, {[]string{"--strict"}, 1}} {
		out.Reset()
		errs.Reset()
		status := run(append([]string{"check", "--no-z3", proof, a, b}, c.args...), nil, &out, &errs)
		if status != c.status || !strings.Contains(out.String(), "assuming reals, finite-inputs (docs/trust.md)\n") || (status == 1) != strings.Contains(errs.String(), "--strict") {
			t.Errorf("%v: status %d\n%s%s", c.args, status, out.String(), errs.String())
		}
	}
}
