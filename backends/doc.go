// Package backends is the interface to devices that run models, and to sources of operator times:
// processors, GPUs, cost formulas and recorded measurements.
//
// A [Backend] has three main methods. Compile turns a model into a [Plan], once: it fuses operators
// into kernels (package lower) and brings weights into the form that kernels need. Plan.Run takes the
// inputs that are not weights and returns the outputs, both as a [Tensor], in the order of the
// graph. Measure times one operator, or a group that runs as one kernel, on random data.
//
//	b, err := cpu.New(cpu.Options{})
//	plan, err := b.Compile(ctx, m, backends.CompileOptions{})
//	outputs, err := plan.Run(ctx, inputs)
//
// A formula or a recording cannot run a model: its Compile returns [ErrNoRun]. Supports reports why a
// backend cannot run a node. A fused node runs inside another node's kernel and has no time of its
// own ([OpTime]).
//
// Implementations: backends/cpu, backends/cuda, backends/analytic (the roofline of a machine) and
// backends/recorded. Each passes the suite in backends/backendtest, which compares every operator
// in many shapes, whole graphs and errors with graph/interp.
package backends
