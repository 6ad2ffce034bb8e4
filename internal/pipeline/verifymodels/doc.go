// Package verifymodels compares two models: do they compute the same outputs
// from the same inputs? It is what `taso verify A B` does.
//
// Three questions are asked, and no answer replaces another:
//
//   - *Structure*: nodes that apply the same operator to the same operands, down to
//     the same inputs and weights, have one number (value numbering). Outputs with
//     one number are equal, whatever is fed. Weights count by their content; those
//     that both models hold and that differ are reported.
//   - *Exact*: both models are evaluated modulo the prime 2^61 - 1 on random
//     inputs. A weight is a dyadic rational, which has an exact image there; a
//     function of one element, such as relu, is a random function, and a maximum
//     is a random number for each set of elements. What is infinite or no number is
//     an element of another kind (infinite.go). Equal outputs therefore
//     mean, up to chance, that the models are equal as real functions, for every
//     choice of those functions. Different outputs prove a difference only where
//     no such function occurs: what holds for the true relu or softmax alone is
//     not seen here. And a weight that a rewrite computed in floating point is
//     rounded, which exact arithmetic notices. Weights that both models hold are
//     first random numbers as well: what is equal then is equal for all weights.
//   - *Numbers*: both models run on the same random inputs in floating point: in
//     float32 on a backend, or in float64 by the reference evaluator. The report
//     has the largest deviation of each output, absolute and relative to the
//     output's largest magnitude.
//
// Which rows of a table a gather reads is decided by what is fed. So that all
// count, integers are first any elements of the field, for which a gather is a sum
// over all rows with random weights; then, and in numbers, each position is tried
// at each place. What is not reached is said, and models that only agreed in what
// was reached are not said to agree.
//
// Random evaluation over a prime field follows Schwartz (1980); its use on
// tensor programs is that of Wang et al., PET (OSDI 2021), and Wu et al., Mirage
// (OSDI 2025).
//
// Inputs of the two models are paired by name if the names are the same, and by
// place otherwise; outputs likewise. Each model has its own weights: they may
// differ in number, shape and name.
//
// Models are evaluated by package graph/interp, over rings whose sums of products
// are dot products ([interp.Dots]); weights are loaded when they are first used and
// dropped after their last use.
package verifymodels
