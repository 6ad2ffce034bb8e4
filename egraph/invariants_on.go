//go:build invariants

package egraph

// invariants makes Rebuild check the whole structure, which is slow.
const invariants = true
