//go:build !invariants

package egraph

const invariants = false
