package enumerate

import (
	"fmt"

	"github.com/taso-go/taso/fingerprint"
)

// What passes between a session and workers in other processes is records of fixed size,
// whose order is that of their bytes. The sizes, in bytes:
const (
	// CodeSize is an encoding of a term.
	CodeSize = 2 + 3*maxOps
	// TermSize is an encoding and its fingerprint.
	TermSize = CodeSize + hashSize
	// PrintSize is a fingerprint, 0 if it is that of a term under its own naming of
	// inputs and 1 if that of a renaming, and the term's encoding.
	PrintSize = hashSize + 1 + CodeSize
	// EdgeSize is the encodings of two terms that agree: one of the level, and the first
	// term of all levels with the fingerprint.
	EdgeSize = 2 * CodeSize
	// SymmetrySize is the encoding of a term that a renaming of its inputs does not
	// change, the number of the renaming, and the renaming.
	SymmetrySize = CodeSize + 2 + 32

	hashSize = 16
)

// toCode reads an encoding; the error says what is wrong with the record.
func (u *Universe) toCode(b []byte) (c code, err error) {
	if !u.validCode(b) {
		return c, fmt.Errorf("%x is not the encoding of a graph over these operators", b)
	}
	copy(c[:], b)
	return c, nil
}

// printOf writes a print to p.
func printOf(p []byte, renamed bool, c code, h fingerprint.Hash) []byte {
	putHash(p, h)
	p[hashSize] = 0
	if renamed {
		p[hashSize] = 1
	}
	copy(p[hashSize+1:], c[:])
	return p[:PrintSize]
}
