//go:build invariants

package extract

// invariants makes reductions check the core after each round, and share moves the
// counts of uses and the cost after each move that is kept.
const invariants = true
