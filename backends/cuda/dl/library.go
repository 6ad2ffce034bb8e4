package dl

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// A Library is one of those that are loaded.
type Library string

// The libraries, in the order in which they are looked for.
const (
	Driver   Library = "driver"
	NVRTC    Library = "NVRTC"
	CuBLASLt Library = "cuBLASLt"
	CuDNN    Library = "cuDNN"
)

// libraries are numbered as in dl.h.
var libraries = []Library{Driver, NVRTC, CuBLASLt, CuDNN}

func (l Library) number() int {
	for i, x := range libraries {
		if x == l {
			return i
		}
	}
	return -1
}

// A Try is one candidate that was looked at.
type Try struct {
	Library Library `json:"library"`
	Path    string  `json:"path"`              // a file, a folder, or a name for the dynamic loader
	Version string  `json:"version,omitempty"` // what the library says, where it was asked
	Result  string  `json:"result"`            // "chosen", or why not
	Chosen  bool    `json:"chosen,omitempty"`
	Absent  bool    `json:"absent,omitempty"` // there is nothing
}

// A Found is a library that was chosen.
type Found struct {
	Library Library `json:"library"`
	Path    string  `json:"path"`    // of the file
	Version string  `json:"version"` // as the library numbers itself
	CUDA    string  `json:"cuda"`    // the CUDA it is made for; the driver: up to which
}

// A Lack is a library that was not found.
type Lack struct {
	Library Library `json:"library"`
	Purpose string  `json:"purpose"`           // what needs it
	Instead string  `json:"instead,omitempty"` // what is done without it; empty: nothing
}

// A Report tells what was looked for, and what came of it.
type Report struct {
	Cgo    bool    `json:"cgo"`              // the build can load libraries
	Kernel string  `json:"kernel,omitempty"` // the version of the driver's kernel module, where the system tells it
	Tries  []Try   `json:"tries"`
	Found  []Found `json:"found"`
	Lacks  []Lack  `json:"lacks"`
}

// Library returns what was chosen for one library.
func (r *Report) Library(l Library) (Found, bool) {
	for _, f := range r.Found {
		if f.Library == l {
			return f, true
		}
	}
	return Found{}, false
}

// lacks lists the libraries that were not found, with what they are for.
func (r *Report) lacks() []Lack {
	purposes := []Lack{
		{Driver, "running on a GPU", ""},
		{NVRTC, "compiling kernels, without which nothing runs", ""},
		{CuBLASLt, "products", "generated kernels"},
		{CuDNN, "convolutions", "generated kernels"},
	}
	var out []Lack
	for _, p := range purposes {
		if _, ok := r.Library(p.Library); !ok {
			out = append(out, p)
		}
	}
	return out
}

// WriteTo writes the report as text, one line per candidate, then one per library
// that is missing.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	if !r.Cgo {
		fmt.Fprintln(&b, errNoCgo)
	}
	if r.Kernel != "" {
		fmt.Fprintf(&b, "driver's kernel module: %s\n", r.Kernel)
	}
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, x := range r.Tries {
		version := x.Version
		if version == "" {
			version = "-"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", x.Library, x.Path, version, x.Result)
	}
	t.Flush()
	for _, l := range r.Lacks {
		instead := "nothing instead"
		if l.Instead != "" {
			instead = "instead: " + l.Instead
		}
		fmt.Fprintf(&b, "missing: %s, for %s; %s\n", l.Library, l.Purpose, instead)
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// String is the report as text.
func (r *Report) String() string {
	var b strings.Builder
	r.WriteTo(&b)
	return b.String()
}
