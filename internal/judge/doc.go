// Package judge decides with ONNX Runtime whether a rewritten model file replaces the
// original: by times of both files in the runtime that will run them.
//
// A candidate is accepted if, at a confidence of 95 %, it is faster by more than 1 % with
// ONNX Runtime's optimizations at the user's level, and not slower with them off.
//
//	files ─► blocks of interleaved samples ─► interval of the ratio ─► Decision ─► Store
//
// # Method
//
// A block loads the files and takes samples of each in turns, in random order within a
// round. Its result is the median of the ratios of candidate and original within rounds:
// a burst of other work changes few rounds, and a drift changes both samples of a round.
// The next block loads the files again, in another order, because memory that happens to
// be placed well makes a model faster by up to 1 % for as long as it is loaded.
//
// The interval of the ratio is that of the signed-rank test on the results of blocks, which
// a few wild blocks do not widen. Blocks are added until the interval is decisive or the
// budget is spent; a comparison on a noisy machine that may still come out in the
// candidate's favour gets up to four times its budget.
//
// Looking at the interval after each block, and choosing among several candidates, make a
// chance result more likely than 5 %. Therefore the winner is measured again in a fresh
// process, with a confidence that is divided by the number of candidates that passed, and
// only that measurement is reported. A candidate that is slower with optimizations off is
// refused if a fresh measurement says so again: at 99.9 %, or by an estimate of more than 1 %.
// Differences below 0.3 % count as none.
//
// Models on one thread are timed by the processor time of that thread where the system has
// a fine clock for it, so that other programs disturb less. Models on several threads are
// timed by the wall clock.
package judge
