// Package draw draws directed acyclic graphs, plots ([Plot]) and timelines ([Timeline]) as SVG,
// without other programs. No label reaches beyond its drawing, by the estimate of [TextWidth].
//
// Words: the picture of a graph has nodes (boxes with a label and further lines) and edges,
// which point down. An edge leaves its node at a port, arrives at a slot, and
// both are ordered: ports by name, slots as the edges are given, so that the
// left operand of an operator arrives on the left. A layer is a row of nodes. An
// edge that spans several layers passes through a dummy in each layer between;
// dummies take part in the layout and are not drawn. Edges that leave one port
// share their dummies.
//
//	nodes, edges ─► layers ─► dummies ─► order in layers ─► coordinates ─► SVG
//	               layer.go               order.go           place.go      svg.go
//
// The method is that of Sugiyama, Tagawa and Toda, "Methods for Visual
// Understanding of Hierarchical System Structures" (IEEE Transactions on
// Systems, Man and Cybernetics 11(2), 1981): layers by longest path, few
// crossings by moving nodes to the barycentre of their neighbours, a layer at a
// time. From Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed
// Graphs" (IEEE Transactions on Software Engineering 19(3), 1993) come the
// exchange of neighbours after the barycentres and the heavier weights of edges
// between dummies, which keep long edges straight. Crossings are counted with a
// Fenwick tree, as in Barth, Jünger and Mutzel, "Simple and Efficient Bilayer
// Cross Counting" (Graph Drawing 2002). The coordinates of a layer are a weighted
// least-squares problem with distances to keep, solved exactly in linear time by
// pooling adjacent violators (Barlow et al., "Statistical Inference under Order
// Restrictions", 1972).
//
// Everything is near linear in nodes and edges: the number of sweeps is fixed,
// the exchange of neighbours is for small graphs only, and edges so long that
// their dummies would outnumber the graph many times over are cut: a small box
// with the name of the source stands above the target instead. The same graph
// gives the same bytes.
//
// Every box leans a little towards the axis of the picture, so that a few
// hundred blocks that are not symmetric do not wander off to one side.
//
// Colours are CSS variables with a light and a dark value; a page that holds
// many pictures states them once, see [Style]. One colour means one thing in all drawings:
// [Removed], [Added] and [Mark] of nodes, [Activity] of lines and bars.
package draw
