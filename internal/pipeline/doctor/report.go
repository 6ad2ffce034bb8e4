package doctor

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	cgo := "cgo"
	if !r.Cgo {
		cgo = "no cgo"
	}
	fmt.Fprintf(&b, "%s\n\n", r.answer())
	fmt.Fprintf(&b, "taso %s (%s, %s, %s)\n", r.Version, r.Go, r.System, cgo)
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	line := func(name, text string) { fmt.Fprintf(t, "%s\t%s\n", name, text) }
	line("processor", r.Processor+", kernels: "+strings.Join(r.Kernels, ", ")+" (the first are used)")
	line("Z3", r.Z3)
	if r.ONNXRuntime != nil {
		line("ONNX Runtime", r.ONNXRuntime.Version+", of "+r.ONNXRuntime.Python)
	} else {
		line("ONNX Runtime", "none, for taso verify --onnxruntime: "+r.NoRuntime)
	}
	if r.Solver != "" {
		line("integer programs", r.Solver)
	} else {
		line("integer programs", "none, for taso optimize --extract mip: "+r.NoSolver)
	}
	for _, f := range r.Folders {
		line(f.Holds, fmt.Sprintf("%s: %d files, %.1f MB", f.Path, f.Files, float64(f.Bytes)/1e6))
	}
	switch r.CUDA.State {
	case OK:
		line("CUDA", "ok: --backend cuda, or with products and convolutions in another mode cuda:"+strings.Join(r.CUDA.Modes, ", cuda:"))
	default:
		line("CUDA", string(r.CUDA.State)+": "+r.CUDA.Why)
	}
	t.Flush()
	for i, d := range r.CUDA.Devices {
		d.write(&b, i)
	}
	if r.Cgo {
		b.WriteString("\nlooked for CUDA's libraries")
		if len(r.CUDA.Asked) > 0 {
			b.WriteString(", by " + strings.Join(r.CUDA.Asked, " and "))
		}
		b.WriteString(":\n" + r.CUDA.Libraries.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// answer is the report in a line.
func (r *Report) answer() string {
	switch r.CUDA.State {
	case OK:
		return "CUDA works: --backend cuda"
	case Absent:
		return "CUDA is absent; --backend cpu is available"
	}
	return "CUDA does not work; --backend cpu is available: " + r.CUDA.Why
}

// write writes a device.
func (d *Device) write(w io.Writer, number int) {
	state := "works"
	if d.Problem != "" {
		state = d.Problem
	}
	fmt.Fprintf(w, "\ndevice %d: %s: %s\n", number, d.Name, state)
	fmt.Fprintf(w, "  compute capability %d.%d, kernels for %s; driver of CUDA %s", d.Major, d.Minor, d.Arch, d.Driver)
	if d.Kernel != "" {
		fmt.Fprintf(w, ", kernel module %s", d.Kernel)
	}
	fmt.Fprintf(w, "\n  %d multiprocessors of up to %.0f MHz, %d KiB of shared memory a block, of up to %d KiB\n",
		d.SMs, float64(d.ClockKHz)/1e3, d.Shared>>10, d.SharedOptin>>10)
	fmt.Fprintf(w, "  %.1f GiB of memory on %d bits of up to %.0f MHz, %.1f MiB of L2 cache\n",
		float64(d.Memory)/(1<<30), d.MemoryBusBit, float64(d.MemoryKHz)/1e3, float64(d.L2)/(1<<20))
}
