package enumerate

import (
	"cmp"
	"encoding/binary"
	"sync/atomic"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/internal/spill"
)

// term is an encoding with the fingerprint that it has under its own naming of inputs.
type term struct {
	code code
	hash fingerprint.Hash
}

// terms are the terms of all levels by number: by level, and in a level by encoding. Those
// of finished levels are in memory; those of the last one are on disk if they do not fit
// into the bound.
type terms struct {
	codes  []code
	hashes []fingerprint.Hash
	disk   *spill.Table[term]    // the terms from number len(codes) on; nil: none
	failed atomic.Pointer[error] // the first error of the disk
	starts []int                 // the first term of each level, and the number of terms
	at     map[code]int32        // the numbers of the terms of finished levels
}

// level is the last level that has terms.
func (t *terms) level() int { return len(t.starts) - 2 }

// len is the number of terms.
func (t *terms) len() int {
	if t.disk == nil {
		return len(t.codes)
	}
	return len(t.codes) + t.disk.Len()
}

// code is the encoding of term i. After a failure of the disk, which broken tells, it is
// that of some other term.
func (t *terms) code(i int32) code {
	if int(i) < len(t.codes) {
		return t.codes[i]
	}
	return t.fetch(i).code
}

// hash is the fingerprint of term i; as for code.
func (t *terms) hash(i int32) fingerprint.Hash {
	if int(i) < len(t.hashes) {
		return t.hashes[i]
	}
	return t.fetch(i).hash
}

func (t *terms) fetch(i int32) term {
	x, err := t.disk.At(int(i) - len(t.codes))
	if err != nil {
		t.failed.CompareAndSwap(nil, &err)
		return term{t.codes[0], t.hashes[0]}
	}
	return x
}

// broken is the first error that reading terms met.
func (t *terms) broken() error {
	if err := t.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// load brings the terms that are on disk into memory.
func (t *terms) load() error {
	if t.disk == nil {
		return nil
	}
	n := t.disk.Len()
	list := make([]term, min(n, 1<<14))
	for i := 0; i < n; {
		k, err := t.disk.Read(i, list)
		if err != nil {
			return err
		}
		for _, x := range list[:k] {
			t.codes, t.hashes = append(t.codes, x.code), append(t.hashes, x.hash)
		}
		i += k
	}
	err := t.disk.Close()
	t.disk = nil
	return err
}

// close frees the disk.
func (t *terms) close() error {
	err := t.disk.Close()
	t.disk = nil
	return err
}

// print is a fingerprint that a term has, under some naming of its inputs.
type print struct {
	hash fingerprint.Hash
	term int32
}

// The records that are spilled. Numbers are written with the greatest byte first.

var codeCodec = spill.Codec[code]{
	Size:    len(code{}),
	Put:     func(b []byte, c code) { copy(b, c[:]) },
	Get:     func(b []byte) (c code) { copy(c[:], b); return c },
	Compare: code.compare,
}

var hashCodec = spill.Codec[fingerprint.Hash]{
	Size:    16,
	Put:     putHash,
	Get:     getHash,
	Compare: compareHashes,
}

var termCodec = spill.Codec[term]{
	Size:    TermSize,
	Put:     func(b []byte, t term) { putTerm(b, t.code, t.hash) },
	Get:     func(b []byte) (t term) { n := copy(t.code[:], b); t.hash = getHash(b[n:]); return t },
	Compare: term.compare,
}

var printCodec = spill.Codec[print]{
	Size: 20,
	Put:  func(b []byte, p print) { putHash(b, p.hash); binary.BigEndian.PutUint32(b[16:], uint32(p.term)) },
	Get:  func(b []byte) print { return print{getHash(b), int32(binary.BigEndian.Uint32(b[16:]))} },
	Compare: func(a, b print) int {
		return cmp.Or(compareHashes(a.hash, b.hash), cmp.Compare(a.term, b.term))
	},
}

// compare orders terms by encoding, and then by fingerprint.
func (t term) compare(u term) int {
	return cmp.Or(t.code.compare(u.code), compareHashes(t.hash, u.hash))
}

func compareHashes(a, b fingerprint.Hash) int {
	return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
}

func putTerm(b []byte, c code, h fingerprint.Hash) {
	copy(b, c[:])
	putHash(b[len(c):], h)
}

func putHash(b []byte, h fingerprint.Hash) {
	binary.BigEndian.PutUint64(b, h[0])
	binary.BigEndian.PutUint64(b[8:], h[1])
}

func getHash(b []byte) fingerprint.Hash {
	return fingerprint.Hash{binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])}
}
