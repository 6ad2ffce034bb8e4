// Package grad makes graphs of derivatives: of any graph by any of its inputs, and the
// graph of a training step, loss, derivatives and update of the weights. What it makes
// are graphs of ordinary operators, to which every law applies.
//
// # Words
//
//   - derivative: of a number, the loss, by a tensor: a tensor of its sizes ([graph.Op.Grad]
//     says how an operator takes derivatives back from results to operands).
//   - pullback: a graph with inputs for the derivatives by its outputs, which gives the
//     derivatives by its inputs ([Pullback]): reverse-mode differentiation.
//   - training step: a graph that maps weights, state, inputs and labels to the loss, new
//     weights and new state ([Train]). State is what an optimizer remembers of each weight.
//   - label: what an output should be, an input of the training step.
//   - statistics: mean and variance of the channels that a batch normalization uses: in a
//     training step those of the batch, in the model averages of these, which the step
//     brings forward.
//
// A training step of y = matmul(x, w):
//
//	weight w ──┬── matmul ── loss ── loss
//	input  x ──┘      │        │
//	label  ───────────┼────────┤
//	                  │   derivative by y
//	    transpose(x) ─┴── matmul = derivative by w
//	weight w ───────────── w - rate * that = w_next
//
// Derivatives are sums over the ways from a weight to the loss, in the order of the
// nodes. Operators that no output needs are left out, equal ones made once. Where a
// function has a corner its derivative is that of one side (step(0) = 0); a maximum
// gives it in equal parts to all that are largest.
//
// Papers: Linnainmaa, Taylor expansion of the accumulated rounding error (BIT 1976);
// Griewank and Walther, Evaluating Derivatives (2008); Kingma and Ba, Adam (arXiv
// 1412.6980); Ioffe and Szegedy, Batch normalization (arXiv 1502.03167).
package grad
