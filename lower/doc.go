// Package lower turns a graph into what would run on a target, as data.
//
//	graph ──► Graph: values, kernels, tails ──► memory ──► Plan ──► backends execute it
//	             ▲                                          └─────► cost prices it
//	             └── Target: what a device's kernels can do
//
// Words:
//
//   - A [Value] is a tensor: sizes and strides over a buffer. A view is a value
//     over another one's buffer: a reshape, a slice, a transpose, a broadcast. A
//     view is copied only where a kernel cannot read it as it lies.
//   - A [Buffer] is memory: a weight, what is computed from weights once, or
//     part of the arena, which is shared out by the buffers' lifetimes.
//   - A [Kernel] is a group of nodes that run together: the root's operator, and
//     the elementwise operators behind it that are fused into its tail.
//   - The tail of a kernel is what is done to its result before it leaves the
//     cache: biases, residuals, activations, any chain of elementwise steps.
//   - To prepare an operand is to bring it into the form that a target's kernel
//     wants (packed weights, the scale and shift of a batch norm).
//   - A [Target] is what the kernels of a device can do. Backends for different
//     devices differ in that, and in how they run a kernel.
//
// What depends on weights only is folded: its kernels run once. Buffers of the
// arena are placed greedily, largest first (Pisarchyk and Lee, "Efficient memory
// management for deep neural net inference", 2020). The same graph, target and
// options give the same plan.
//
// What is decided of a node is decided from the node and its neighbours, so that
// it can be asked of a graph that is being rewritten: [IsView] (no kernel),
// [Target.Takes] (a view is read as it lies), [As], [StepFn] (what it is as a
// step), [Target.Joins] (it goes into the kernel of an operand). Only two things
// need the whole: the order of kernels, where a node waits for an operand that is
// ready only later, and the rows that a tail has agreed on.
package lower
