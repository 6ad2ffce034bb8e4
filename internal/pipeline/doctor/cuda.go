package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/taso-go/taso/backends/cuda"
	"github.com/taso-go/taso/backends/cuda/dl"
	"github.com/taso-go/taso/graph"
	_ "github.com/taso-go/taso/graph/op" // which the model is written in
	"github.com/taso-go/taso/internal/pipeline/selftest"
	"github.com/taso-go/taso/model"
)

// State says how it stands with CUDA.
type State string

// The states, see the package's documentation.
const (
	OK     State = "ok"
	Absent State = "absent"
	Broken State = "broken"
)

// CUDA is what there is of it.
type CUDA struct {
	State State `json:"state"`
	// Why is one line that says why nothing can run, or what does not do; empty if all is
	// well.
	Why string `json:"why,omitempty"`
	// Asked names the environment variables that say where it is.
	Asked     []string  `json:"asked,omitempty"`
	Modes     []string  `json:"modes"` // of products and convolutions, beside float32
	Libraries dl.Report `json:"libraries"`
	Devices   []Device  `json:"devices"`
}

// Device is one that the driver sees.
type Device struct {
	dl.Properties
	Arch string `json:"arch"` // that kernels are compiled for
	// Problem is why the trial failed, one line; empty: the device works.
	Problem string `json:"problem,omitempty"`
}

// judge says how it stands with CUDA, from what came of loading it.
func judge(ctx context.Context, libs *dl.Libraries, failed error, asked []string) CUDA {
	c := CUDA{State: OK, Asked: asked, Modes: cuda.Modes()[1:], Libraries: libs.Report, Devices: []Device{}}
	broken := func(why string) CUDA {
		c.State, c.Why = Broken, strings.Join(strings.Fields(why), " ")
		return c
	}
	if failed != nil && nothing(&libs.Report, asked) {
		c.State, c.Why = Absent, failed.Error()
		return c
	}
	if failed != nil && libs.Report.Kernel != "" && !libs.Has(dl.Driver) && !slices.Contains(asked, dl.EnvDriver) {
		return broken(fmt.Sprintf("the driver's kernel module %s is there, and its library is not: %v; a container must be started with its GPUs (docker run --gpus all)", libs.Report.Kernel, failed))
	}
	if failed != nil {
		return broken(failed.Error())
	}
	list, err := libs.Devices()
	if err != nil {
		return broken(err.Error())
	}
	if len(list) == 0 {
		return broken("the driver sees no CUDA device")
	}
	for i, p := range list {
		d := Device{Properties: p}
		d.Arch, err = libs.Arch(p)
		if err == nil {
			err = try(ctx, i)
		}
		if err != nil {
			d.Problem = strings.Join(strings.Fields(err.Error()), " ")
			if c.State != Broken {
				broken(fmt.Sprintf("device %d (%s): %s", i, p.Name, d.Problem))
			}
		}
		c.Devices = append(c.Devices, d)
	}
	return c
}

// nothing says that nothing of a GPU is here, and nobody said that something is.
func nothing(r *dl.Report, asked []string) bool {
	if !r.Cgo {
		return true
	}
	return r.Kernel == "" && !slices.Contains(asked, dl.EnvDriver) &&
		!slices.ContainsFunc(r.Tries, func(t dl.Try) bool { return t.Library == dl.Driver && !t.Absent })
}

// trial is the model that is tried: a convolution, a product, and kernels that are
// generated.
const trial = `
x : float32[2, 8, 12, 12]
w : weight float32[16, 8, 3, 3]
v : weight float32[1600, 32]
c = conv2d[pad=valid, act=relu](x, w)
f = reshape[shape=[2, 1600]](c)
p = matmul(f, v)
y = softmax[axis=1](p)
return y, p
`

// try runs the trial on a device and compares it with the interpreter.
func try(ctx context.Context, device int) (err error) {
	g, err := graph.ParseText("trial", trial)
	if err != nil {
		return err
	}
	m := &model.Model{Name: "trial", Graph: g, Weights: map[graph.NodeID]*model.Weight{}}
	for i, id := range g.Inputs()[1:] {
		m.Weights[id] = model.Random(uint64(i), g.Sizes(id.Out(0)), 0.1)
	}
	b, err := cuda.Open(cuda.Options{Device: device})
	if err != nil {
		return err
	}
	defer func() {
		if closed := b.Close(); err == nil {
			err = closed
		}
	}()
	rep, err := selftest.Run(ctx, selftest.Options{Backend: b, NoSuite: true, Models: []*model.Model{m}})
	if err != nil {
		return err
	}
	switch t := rep.Models[0]; {
	case t.Error != "":
		return errors.New(t.Error)
	case !t.Agrees:
		return fmt.Errorf("the numbers of the trial are wrong: they deviate by %.2g of the largest from the interpreter's", t.Deviation)
	}
	return nil
}
