// Package spread decides what a law says when operands of sums and products of
// elements may differ in shape: an axis of size 1, or none, where the other has a
// size.
//
// # Words
//
//	pattern   a law with the broadcasts written out that some choice of axes of
//	          size 1 makes necessary (broadcast.All); a law holds under
//	          broadcasting if all its patterns hold
//
// A counterexample is looked for first, over small shapes; then every pattern is
// proved by the e-graph, and of one that is not a counterexample is looked for at
// large sizes too. A pattern that broadcasts at given ranks is proved from
// the laws of broadcast at those ranks. Patterns that differ in names only are proved
// once (alike.go).
package spread
