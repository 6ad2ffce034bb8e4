// Package egglog writes rules as a program of egglog, which is equality saturation
// with a language of its own.
//
// Words. A program declares tensors, one constructor for each operator of the
// rules, and shapes; each direction of a rule in which it can be used is a rewrite:
//
//	(rewrite (t-relu* ...) (t-...) :when ((= (t-shape A) (Shape-2 a b)) ...))
//
// A constructor is "t-" and the operator's name; it takes the attributes in their
// order, then the operands, and before them which output it is if there are several.
// Integers are i64, shapes are Shape, all other attributes the text that the law
// language has for them: "(1, 1)", "same_upper". A function of one element is
// (t-map "relu" X), so that a rule about any function has a variable there.
//
// What a rule is given becomes conditions, the facts of :when. A law holds of tensors
// of the shapes it names, so (t-shape X) has to be known of whatever its variables
// match; a pattern of a shape binds its sizes, and sums and products among them are
// solved for what they leave open. A program that uses the rules says the shapes of
// its own tensors:
//
//	(let x (t-input "x"))  (set (t-shape x) (Shape-2 2 3))
//
// and the rules say those of what they make, as far as these are sums and products of
// sizes. Two kinds of rules need no shape: those whose tensors are all of one shape
// and that consist of operators which work element by element.
//
// egglog has no axis runs. A run that is nothing but the shape of tensors is a
// variable for a shape; for others a rule is written once for each number of axes up
// to [MaxRank] in all tensors. What cannot be said is listed: sizes of sliding windows
// where they matter, attributes within attributes, sizes that one side does not tell.
//
// The rewrites are sound on tensors that are defined, each of which has the shape that
// is said of it; everything that they add is defined then.
//
// egglog: Zhang et al., "Better Together: Unifying Datalog and Equality Saturation",
// PLDI 2023; https://github.com/egraphs-good/egglog.
package egglog
