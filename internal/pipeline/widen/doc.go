// Package widen states proved rules more generally, and is the command "taso rules widen" as a
// function. Enumeration finds a rule for tensors of one rank, with constant permutations, bounds
// and window attributes. Each step here replaces one such constant by a variable:
//
//	attributes   a dilation, stride, padding, activation or border is a variable
//	groups       a convolution has any number of groups
//	bounds       a slice begins and ends anywhere
//	axes         an axis run stands between two axes, or in front of or behind all
//	permutation  a transpose has any permutation of any number of axes
//
// Laws about odd sizes are also stated for sizes that differ by an even number.
//
// A step is a guess. It is kept if the new law is proved from operator semantics and the checker
// accepts the proof, so that a wrong guess costs time and nothing else. A rule of which no step
// can be proved stays as it is.
package widen
