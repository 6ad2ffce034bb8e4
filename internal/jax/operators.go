package jax

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed operators.py
var operators string

// imports is what operators.py, and what is made of parts of it, needs in front.
const imports = "import jax\nimport jax.numpy as jnp\nfrom jax import lax\n"

// functionStart is the first line of a function of a Python file.
var functionStart = regexp.MustCompile(`(?m)^def (\w+)\(`)

// Functions are the functions of a Python file that has nothing else but comments in front,
// by name, each as its text without empty lines behind it.
type Functions map[string]string

// ParseFunctions reads them.
func ParseFunctions(text string) Functions {
	f := Functions{}
	at := functionStart.FindAllStringSubmatchIndex(text, -1)
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		f[text[m[2]:m[3]]] = strings.TrimRight(text[m[0]:end], "\n") + "\n"
	}
	return f
}

// called are the names in front of brackets that are no attributes.
var called = regexp.MustCompile(`(^|[^\w.])(\w+)\(`)

// With lists names and the functions that they call, in turn, in the order of names; a
// name that is none is an error.
func (f Functions) With(names ...string) ([]string, error) {
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		for _, m := range called.FindAllStringSubmatch(f[name], -1) {
			if _, ok := f[m[2]]; ok {
				visit(m[2])
			}
		}
	}
	for _, name := range names {
		if _, ok := f[name]; !ok {
			return nil, fmt.Errorf("there is no function %s", name)
		}
		visit(name)
	}
	out := make([]string, 0, len(seen))
	for name := range seen {
		out = append(out, name)
	}
	slices.Sort(out)
	return out, nil
}

// Operators is the table of what JAX calls operators: a function for each, of the operands
// and, by name, the attributes, but for the activation of a convolution.
var Operators = ParseFunctions(operators)

// Function is the name of the function of Operators for an operator, "" if there is none:
// the operator's, with an underscore behind one that is Python's.
func Function(operator string) string {
	for _, name := range []string{operator, operator + "_"} {
		if _, ok := Operators[name]; ok {
			return name
		}
	}
	return ""
}
