package cuda

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taso-go/taso/backends"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/backends/cuda/kernel"
	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// version names the generated kernels; it changes when their speed does.
const version = "1"

// Options configures Open; the zero value is the default.
type Options struct {
	// Device is the number of the device, as the driver counts.
	Device int
	// Math is the mode of products and convolutions: one of [Modes].
	Math string
	// Cache is the folder in which compiled kernels are kept, and which algorithms of
	// the libraries were fastest; "": [dl.CacheDir].
	// NoCache: none is used.
	Cache   string
	NoCache bool
	// Workspace bounds the memory in bytes that an algorithm of a library may need;
	// 0: 256 MiB, negative: none.
	Workspace int64
	// NoLibraries computes products and convolutions by generated kernels.
	NoLibraries bool
}

// defaultWorkspace is what Options.Workspace is by default.
const defaultWorkspace = 256 << 20

// Backend is one CUDA device. It holds the device's context until it is closed.
type Backend struct {
	opt      Options
	libs     *dl.Libraries
	dev      *dl.Device
	compiler *dl.Compiler
	calls    kernel.Libraries
	info     backends.Info
	choices  *choices

	measuring sync.Mutex // one measurement at a time
	ref       *reference // nil before the first

	leastReplay cost.Seconds  // of what a measurement captures
	warming     time.Duration // of the reference kernel
}

var _ backends.Backend = (*Backend)(nil)

// Open loads the libraries and opens a device. The error, one line, says what is
// missing: a build without cgo, a driver, a compiler of kernels, the device.
func Open(opt Options) (*Backend, error) {
	wrap := func(err error) (*Backend, error) { return nil, fmt.Errorf("backend cuda: %w", err) }
	if !slices.Contains(Modes(), opt.Math) {
		return wrap(fmt.Errorf("no math mode %q", opt.Math))
	}
	if opt.Workspace == 0 {
		opt.Workspace = defaultWorkspace
	}
	libs, err := dl.Load()
	if err != nil {
		return wrap(err)
	}
	dev, err := dl.Open(libs, opt.Device)
	if err != nil {
		return wrap(err)
	}
	b := &Backend{opt: opt, libs: libs, dev: dev, leastReplay: leastReplay, warming: warming}
	arch, err := libs.Arch(dev.Properties())
	if err != nil {
		return wrap(first(err, dev.Close()))
	}
	dir := opt.Cache
	if dir == "" && !opt.NoCache {
		if dir, err = dl.CacheDir(); err != nil {
			dir = "" // a user without a home has no cache
		}
	}
	b.compiler = libs.Compiler(arch, dir)
	b.calls = kernel.Libraries{
		CublasLt: libs.Has(dl.CuBLASLt) && !opt.NoLibraries,
		Cudnn:    libs.Has(dl.CuDNN) && !opt.NoLibraries,
	}
	b.info = backends.Info{
		Name: "cuda", Device: dev.Properties().Name, Version: version,
		Libraries: versions(&libs.Report, b.calls), Math: opt.Math,
	}
	b.choices = openChoices(dir, b.info, opt.Workspace)
	return b, nil
}

// versions names the libraries on which times depend, sorted.
func versions(r *dl.Report, used kernel.Libraries) []string {
	var out []string
	for _, f := range r.Found {
		switch f.Library {
		case dl.Driver:
			s := "cuda driver " + f.CUDA
			if r.Kernel != "" {
				s += " (" + r.Kernel + ")"
			}
			out = append(out, s)
		case dl.CuBLASLt:
			if used.CublasLt {
				out = append(out, "cuBLASLt "+f.Version)
			}
		case dl.CuDNN:
			if used.Cudnn {
				out = append(out, "cuDNN "+f.Version)
			}
		default:
			out = append(out, string(f.Library)+" "+f.Version)
		}
	}
	slices.Sort(out)
	return out
}

// Info names the device, the libraries and the mode.
func (b *Backend) Info() backends.Info {
	i := b.info
	i.Libraries = slices.Clone(i.Libraries)
	return i
}

// Report tells which libraries were looked for, and what came of it.
func (b *Backend) Report() *dl.Report { return &b.libs.Report }

// Device is the open device.
func (b *Backend) Device() *dl.Device { return b.dev }

// Compiled tells how many kernels came from the cache on disk, and how many were
// compiled.
func (b *Backend) Compiled() (hits, misses int) { return b.compiler.Counts() }

// Supports reports why a node cannot be run.
func (b *Backend) Supports(g *graph.Graph, id graph.NodeID) error {
	return kernel.Supports(g, id)
}

// Target is what the kernels can do.
func (b *Backend) Target() *lower.Target { return lower.CUDA() }

// Close gives the device back. Plans that are still open must not be run after that. A
// second call does nothing.
func (b *Backend) Close() error { return b.dev.Close() }
