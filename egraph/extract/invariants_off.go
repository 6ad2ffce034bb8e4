//go:build !invariants

package extract

const invariants = false
