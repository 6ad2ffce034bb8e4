// Package verifymodels compares two models: do they compute the same outputs
// from the same inputs? It is what `taso verify A B` does.
//
// Two questions are asked, and neither answer replaces the other:
//
//   - *Exact*: both models are evaluated modulo the prime 2^61 - 1 on random
//     inputs. A weight is a dyadic rational, which has an exact image there; a
//     function of one element, such as relu, is a random function, and a maximum
//     follows a random order (package fingerprint). Equal outputs therefore
//     mean, up to chance, that the models are equal as real functions, for every
//     choice of those functions. Different outputs prove a difference only where
//     no such function occurs: what holds for the true relu or softmax alone is
//     not seen here. And a weight that a rewrite computed in floating point is
//     rounded, which exact arithmetic notices. Where the two models have the
//     same weights by name, these are first random numbers as well: what is equal
//     then is equal for all weights.
//   - *Numbers*: both models run on the same random inputs in floating point: in
//     float32 on a backend, or in float64 by the reference evaluator. The report
//     has the largest deviation of each output, absolute and relative to the
//     output's largest magnitude.
//
// Random evaluation over a prime field follows Schwartz (1980); its use on
// tensor programs is that of Wang et al., PET (OSDI 2021), and Wu et al., Mirage
// (OSDI 2025).
//
// Inputs of the two models are paired by name if the names are the same, and by
// place otherwise; outputs by place. Each model has its own weights: they may
// differ in number, shape and name.
//
// The evaluator runs any graph whose operators package graph/interp knows. It
// differs from interp.EvalGraph in speed only: convolutions and products of
// matrices are dot products of rows instead of lists of indices, weights are
// loaded when they are first used and dropped after their last use.
package verifymodels
