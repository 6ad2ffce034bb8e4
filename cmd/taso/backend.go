package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/analytic"
	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/recorded"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/suggest"
)

// A family is the backends whose names begin alike, up to a ':'.
type family struct {
	name string
	form string // of the names, for messages
	runs bool   // models; others only tell times
	// open opens the one of that name. What is wrong with a file but not fatal is told
	// to w.
	open func(name string, w io.Writer) (backends.Backend, error)
	// names completes a name that begins so.
	names func(start string) []string
}

// families lists all backends.
func families() []family {
	return []family{
		{
			name: "cpu", form: "cpu", runs: true,
			open:  func(string, io.Writer) (backends.Backend, error) { return cpu.New(cpu.Options{}) },
			names: func(string) []string { return []string{"cpu"} },
		}, {
			name: "cuda", form: "cuda[:MODE]", runs: true,
			open: func(name string, _ io.Writer) (backends.Backend, error) {
				opt, err := cuda.ParseName(name)
				if err != nil {
					return nil, err
				}
				return cuda.Open(opt)
			},
			names: func(string) []string {
				var out []string
				for _, mode := range cuda.Modes() {
					out = append(out, strings.TrimSuffix("cuda:"+mode, ":"))
				}
				return out
			},
		}, {
			name: "analytic", form: "analytic:MACHINE",
			open: func(name string, _ io.Writer) (backends.Backend, error) {
				m, err := cost.FindMachine(strings.TrimPrefix(name, "analytic:"))
				if err != nil {
					return nil, err
				}
				return analytic.New(m)
			},
			names: func(string) (out []string) {
				for _, m := range machineNames() {
					out = append(out, "analytic:"+m)
				}
				return out
			},
		}, {
			name: "recorded", form: "recorded:FILE",
			open: func(name string, w io.Writer) (backends.Backend, error) {
				b, damaged, err := recorded.Open(recordedFile(name))
				for _, d := range damaged {
					fmt.Fprintln(w, d)
				}
				if errors.Is(err, recorded.ErrSettings) {
					err = fmt.Errorf("%w\nchoose one by a part of its text: --backend recorded:FILE@TEXT", err)
				}
				return b, err
			},
			names: func(start string) []string {
				out := []string{"recorded:"}
				files, err := filepath.Glob(strings.TrimPrefix(start, "recorded:") + "*")
				if err != nil || !strings.HasPrefix(start, "recorded:") {
					return out
				}
				for _, f := range files {
					out = append(out, "recorded:"+f)
				}
				return out
			},
		},
	}
}

// modesHelp is part of the help of the commands that run models on a CUDA device.
var modesHelp = fmt.Sprintf(`
--backend cuda uses the first GPU in float32, cuda:1 the second, cuda:MODE faster arithmetic with
less precision: %s. taso doctor lists the GPUs.`, strings.Join(cuda.Modes()[1:], ", "))

// recordedFile is the file in the name of a recorded backend, and a part of the text of
// the setting that is meant, which may be given behind an '@'.
func recordedFile(name string) (file, setting string) {
	file = strings.TrimPrefix(name, "recorded:")
	if _, err := os.Stat(file); err == nil {
		return file, ""
	}
	if at := strings.LastIndexByte(file, '@'); at >= 0 {
		return file[:at], file[at+1:]
	}
	return file, ""
}

// runners are the backends that run models.
func runners() []family {
	return slices.DeleteFunc(families(), func(f family) bool { return !f.runs })
}

// forms lists how the names of backends are written.
func forms(list []family) string {
	var out []string
	for _, f := range list {
		out = append(out, f.form)
	}
	last := len(out) - 1
	if last < 1 {
		return strings.Join(out, "")
	}
	return strings.Join(out[:last], ", ") + " or " + out[last]
}

// find is the family of a name. Beside those of the list, the names of also may stand there.
func find(list []family, name string, also ...string) (family, error) {
	first, rest, more := strings.Cut(name, ":")
	for _, f := range list {
		takes := strings.Contains(f.form, ":")
		needs := takes && !strings.Contains(f.form, "[")
		if f.name == first && (takes || !more) && (!needs || rest != "") {
			return f, nil
		}
	}
	known := slices.Clone(also)
	for _, f := range list {
		known = append(known, f.name)
	}
	what, hint := "unknown backend", suggest.DidYouMean(first, known)
	switch {
	case first == "gpu" || first == "nvidia":
		hint = "; did you mean cuda?"
	case slices.ContainsFunc(families(), func(f family) bool { return f.name == first }):
		what, hint = "no such form of a backend", ""
		if !slices.Contains(known, first) {
			what = "this backend runs no models"
		}
	}
	if hint == "" {
		hint = "; want " + forms(list)
		if len(also) > 0 {
			hint += ", or " + strings.Join(also, ", ")
		}
	}
	return family{}, fmt.Errorf("--backend %s: %s%s", name, what, hint)
}

// openRunner is the backend of that name that runs models.
func openRunner(name string) (backends.Backend, error) {
	f, err := find(runners(), name)
	if err != nil {
		return nil, err
	}
	return f.open(name, io.Discard)
}

// openTimer is the backend of that name that tells times: one that runs models,
// a machine's formula, or a table that was measured before. Damaged lines of a
// table are told to w. runs: the times are measured now.
func openTimer(name string, w io.Writer) (b backends.Backend, runs bool, err error) {
	f, err := find(families(), name)
	if err != nil {
		return nil, false, err
	}
	b, err = f.open(name, w)
	return b, f.runs, err
}

// addBackend gives a command the flag --backend, for the backends of a list and what else
// may stand there.
func addBackend(c *cobra.Command, to *string, standard, usage string, list []family, also ...string) {
	c.Flags().StringVar(to, "backend", standard, usage)
	_ = c.RegisterFlagCompletionFunc("backend", func(_ *cobra.Command, _ []string, start string) ([]string, cobra.ShellCompDirective) {
		return completeBackend(list, also, start)
	})
}

// completeBackend completes the name of a backend. Behind a ':' at the end there is more
// to come, and no space.
func completeBackend(list []family, also []string, start string) ([]string, cobra.ShellCompDirective) {
	var out []string
	for _, f := range list {
		out = append(out, f.names(start)...)
	}
	out = slices.DeleteFunc(append(out, also...), func(s string) bool { return !strings.HasPrefix(s, start) })
	if len(out) > 0 && !slices.ContainsFunc(out, func(s string) bool { return !strings.HasSuffix(s, ":") }) {
		return out, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// machineNames lists the machines that are built in.
func machineNames() []string {
	list, err := cost.Machines()
	if err != nil {
		return nil
	}
	var names []string
	for _, m := range list {
		names = append(names, m.Name)
	}
	return names
}

// Machines whose formulas are fitted where none is named and none has a name that is
// part of the device's.
const (
	anyProcessor = "zen5"
	anyGPU       = "a100"
)

// machineFor names the machine whose formula is fitted to the times of a device.
func machineFor(b backends.Backend) string {
	device := strings.ToLower(b.Info().Device)
	best := anyProcessor
	if b.Target().Name != "cpu" {
		best = anyGPU
	}
	for _, m := range machineNames() {
		if strings.Contains(device, m) {
			best = m
		}
	}
	return best
}
