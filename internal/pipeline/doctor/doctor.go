package doctor

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"github.com/taso-go/taso/backends/cpu"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/egraph/extract"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/procstat"
)

// Options are what only the program knows.
type Options struct {
	Version string // of the program
	Z3      string // its version
}

// Report is what was found.
type Report struct {
	Version string `json:"version"`
	Go      string `json:"go"`     // the compiler's version
	System  string `json:"system"` // linux/amd64
	Cgo     bool   `json:"cgo"`    // C is called: without it there is neither CUDA nor C kernels
	// Processor is its name, Kernels the tables that it can run, the one that is used
	// first.
	Processor string   `json:"processor"`
	Kernels   []string `json:"kernels"`
	Z3        string   `json:"z3"`
	// ONNXRuntime and Solver are empty where there is none; the fields behind them say what
	// to do then.
	ONNXRuntime *ort.Runtime `json:"onnx_runtime,omitempty"`
	NoRuntime   string       `json:"no_onnx_runtime,omitempty"`
	Solver      string       `json:"solver,omitempty"` // of integer programs, its path
	NoSolver    string       `json:"no_solver,omitempty"`
	CUDA        CUDA         `json:"cuda"`
	Folders     []Folder     `json:"folders"`
	// Findings are what is here and does not do, a line each.
	Findings []string `json:"findings"`
}

// Folder is one in which taso keeps things.
type Folder struct {
	Holds string `json:"holds"`
	Path  string `json:"path"`
	Files int    `json:"files"`
	Bytes int64  `json:"bytes"`
}

// Run looks at this machine. A cancelled context is the only error.
func Run(ctx context.Context, o Options) (*Report, error) {
	r := &Report{
		Version: o.Version, Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Processor: procstat.Processor(), Kernels: cpu.Tables(), Z3: o.Z3, Findings: []string{},
	}
	rt, err := ort.Find(ctx)
	if r.ONNXRuntime = rt; err != nil {
		r.NoRuntime = err.Error()
	}
	if r.Solver, err = extract.Solver(); err != nil {
		r.NoSolver = err.Error()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	libs, err := dl.Load()
	r.Cgo = libs.Report.Cgo
	r.CUDA = judge(ctx, libs, err, asked())
	if r.CUDA.State == Broken {
		r.Findings = append(r.Findings, r.CUDA.Why)
	}
	for _, f := range []struct {
		holds string
		path  func() (string, error)
	}{
		{"compiled CUDA kernels", dl.CacheDir},
		{"measured times", func() (string, error) { p, err := cost.DefaultPath(); return filepath.Dir(p), err }},
	} {
		if path, err := f.path(); err == nil {
			r.Folders = append(r.Folders, size(f.holds, path))
		}
	}
	return r, ctx.Err()
}

// asked names the environment variables that are set and say where CUDA is.
func asked() (list []string) {
	for _, name := range []string{dl.EnvDriver, dl.EnvLibraries} {
		if os.Getenv(name) != "" {
			list = append(list, name)
		}
	}
	return list
}

// size counts the files in a folder, which need not be there.
func size(holds, path string) Folder {
	f := Folder{Holds: holds, Path: path}
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return nil // what cannot be read is not counted
		}
		if info, err := e.Info(); err == nil {
			f.Files++
			f.Bytes += info.Size()
		}
		return nil
	})
	return f
}
