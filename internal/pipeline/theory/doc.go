// Package theory holds the laws from which rules are proved, and proves from
// them. Lemmas are proved from the axioms when the theory is loaded. A goal
// counts as proved only when three agree: the e-graph finds a proof, Z3 decides
// the ground formula of its instances and minimizes it, and the independent
// checker accepts what is left.
package theory
