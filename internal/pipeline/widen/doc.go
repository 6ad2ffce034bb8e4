// Package widen states proved rules more generally, and is the command "taso rules widen" as a
// function. Enumeration finds a rule for tensors of one rank, with constant permutations, bounds
// and window attributes. Each step here replaces such constants by variables:
//
//	attributes   a dilation, stride, padding, activation or border is a variable, in all
//	             applications or in some
//	groups       a convolution has any number of groups
//	bounds       a slice begins and ends anywhere
//	axes         an axis run stands between two axes, or in front of or behind all
//	permutation  a transpose has any permutation of any number of axes
//	sizes        a number or a shared size is a variable of its own at some of its places
//	shifts       sizes at some places grow together
//	conditions   a condition is left out
//
// Rules are also stated in other forms ([forms]): an odd size as 2*n-1, a sum of sizes as one size,
// even sizes for one padding of same, and sizes that differ by an even number.
//
// A step is a guess. It is kept if the new law is proved from operator semantics and the checker
// accepts the proof, so that a wrong guess costs time and nothing else. Steps with many guesses test
// them on random instances first. The rule that a step starts from must be an instance of the result;
// another form must hold on random instances. So no law is kept whose conditions hold for no sizes. A
// rule without a step that can be proved stays as it is.
package widen
