package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/backends/recorded"
	"github.com/taso-go/taso/cost"
)

// openRunner is the backend of that name that runs models.
func openRunner(name string) (backends.Backend, error) {
	if name != "cpu" {
		return nil, fmt.Errorf("--backend %s: want cpu, the only one here that runs models", name)
	}
	return cpu.New(cpu.Options{})
}

// openTimer is the backend of that name that tells times: one that runs models,
// a machine's formula, or a table that was measured before. Damaged lines of a
// table are told to w. runs: the times are measured now.
func openTimer(name string, w io.Writer) (b backends.Backend, runs bool, err error) {
	kind, arg, _ := strings.Cut(name, ":")
	switch kind {
	case "analytic":
		m, err := cost.FindMachine(arg)
		if err != nil {
			return nil, false, err
		}
		b, err = analytic.New(m)
		return b, false, err
	case "recorded":
		b, damaged, err := recorded.Open(arg, "")
		for _, d := range damaged {
			fmt.Fprintln(w, d)
		}
		return b, false, err
	case "cpu":
		b, err = openRunner(name)
		return b, true, err
	}
	return nil, false, fmt.Errorf("--backend %s: want cpu, analytic:MACHINE or recorded:FILE", name)
}
