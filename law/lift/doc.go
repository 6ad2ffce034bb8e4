// Package lift makes a proof about networks of fixed sizes one for all sizes.
//
// A search works on a network at sample sizes, and its proof is a list of law instances at
// these. The laws hold for all sizes. [Lift] finds, for each instance, the sizes and attributes
// as polynomials in the variables of the network:
//
//	equation at samples, instances ──┐
//	                                 ├─► Lift ─► equation and instances for all sizes
//	left side with variables ────────┘
//
// The first terms that are known for all sizes are those of the left side. An instance one of
// whose sides is known determines its variables: the shapes of its tensors and the attributes
// of that side are equations for them. Its other side is known then. Nothing is trusted here:
// package verify/check says whether the proof holds.
package lift
