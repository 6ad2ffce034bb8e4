package enumerate

import (
	"encoding/gob"
	"fmt"
	"io"

	"github.com/taso-go/taso/fingerprint"
)

// saved is a session between levels, as it is written to a checkpoint.
type saved struct {
	Version    int
	Universe   string
	Seed       uint64
	Exhaustive bool
	Codes      [][]byte
	Hashes     []fingerprint.Hash
	Rep        []bool
	Starts     []int
	UF         []int32
	Links      []savedLink // of the terms that have one
	Loose, Sem []savedLink
	Ranked     map[fingerprint.Hash]int32
	Syms       map[int32][][32]uint8
	Known      []savedCandidate
}

type savedLink struct {
	Term, To int32
	Ren      [32]uint8
}

type savedCandidate struct {
	Law, Base            string
	Own                  string // Base with composites, if it has some
	Conditional, Ordered bool
	Proved, Wide         bool
	Level                int
}

const saveVersion = 4

// Next is the level that comes next.
func (s *Session) Next() int { return len(s.starts) - 1 }

// Save writes the session as it stands between two levels.
func (s *Session) Save(w io.Writer) error {
	if err := s.recall(); err != nil {
		return err
	}
	v := saved{Version: saveVersion, Universe: s.u.String(), Seed: s.opt.Seed, Exhaustive: s.opt.Exhaustive,
		Hashes: s.hashes, Rep: s.rep, Starts: s.starts, UF: s.uf, Ranked: s.ranked, Syms: s.syms}
	for i := range s.codes {
		v.Codes = append(v.Codes, s.codes[i][:])
	}
	for i := range s.rep {
		if l, ok := s.links[int32(i)]; ok {
			v.Links = append(v.Links, savedLink{int32(i), l.to, l.ren})
		}
		if l := s.loose[int32(i)]; l != nil {
			v.Loose = append(v.Loose, savedLink{int32(i), l.to, l.ren})
		}
		if l := s.sem[int32(i)]; l != nil {
			v.Sem = append(v.Sem, savedLink{int32(i), l.to, l.ren})
		}
	}
	for _, c := range s.order {
		v.Known = append(v.Known, c.saved())
	}
	return gob.NewEncoder(w).Encode(&v)
}

// validCode reports whether b is the encoding of a term of the universe: every
// number in range, operands before their use.
func (s *Session) validCode(b []byte) bool {
	var c code
	if len(b) != len(c) || int(b[0]) > maxOps {
		return false
	}
	copy(c[:], b)
	inputs := 0
	for _, ty := range s.u.Types {
		inputs += ty.Count
	}
	operand := func(r byte, before int) bool {
		if r < 64 {
			return int(r) <= inputs
		}
		return int(r-64)/2 < before
	}
	n := c.size()
	if n == 0 {
		return c[1] > 0 && operand(c[1], 0)
	}
	for i := 0; i < n; i++ {
		if int(c[2+3*i]) >= len(s.u.insts) || !operand(c[3+3*i], i) || !operand(c[4+3*i], i) {
			return false
		}
	}
	return c[1] < 2
}

// Restore reads what Save wrote. The session must be new and have the same
// universe, seed and mode.
func (s *Session) Restore(r io.Reader) error {
	var v saved
	if err := gob.NewDecoder(r).Decode(&v); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if v.Version != saveVersion || v.Universe != s.u.String() || v.Seed != s.opt.Seed || v.Exhaustive != s.opt.Exhaustive {
		return fmt.Errorf("checkpoint is of another run (operators, seed or mode differ)")
	}
	n := len(v.Codes)
	if len(v.Hashes) != n || len(v.Rep) != n || len(v.UF) != n || len(v.Starts) < 2 || v.Starts[len(v.Starts)-1] != n {
		return fmt.Errorf("checkpoint is damaged")
	}
	for i := 1; i < len(v.Starts); i++ {
		if v.Starts[i] < v.Starts[i-1] {
			return fmt.Errorf("checkpoint is damaged")
		}
	}
	for i := range v.UF {
		if v.UF[i] < 0 || int(v.UF[i]) > i {
			return fmt.Errorf("checkpoint is damaged")
		}
	}
	st := newStore(s.u, s.opt.Seed)
	for _, b := range v.Codes {
		var c code
		if copy(c[:], b); !s.validCode(b) || st.decode(c, nil) == 0 {
			return fmt.Errorf("checkpoint is damaged")
		}
	}
	for _, ls := range [3][]savedLink{v.Links, v.Loose, v.Sem} {
		for _, l := range ls {
			if l.Term < 0 || int(l.Term) >= n || l.To < 0 || l.To >= l.Term {
				return fmt.Errorf("checkpoint is damaged")
			}
		}
	}
	known := map[string]*Candidate{}
	var order []*Candidate
	for _, k := range v.Known {
		c, err := k.read()
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		c.text = k.Law + k.Base
		known[c.text] = c
		order = append(order, c)
	}
	s.codes = make([]code, n)
	for i, b := range v.Codes {
		copy(s.codes[i][:], b)
	}
	s.hashes, s.rep, s.starts, s.uf = v.Hashes, v.Rep, v.Starts, v.UF
	if len(v.Ranked) > 0 {
		s.ranked = v.Ranked
	}
	s.known, s.order = known, order
	s.table = map[fingerprint.Hash]int32{}
	for i := range s.hashes {
		if _, ok := s.table[s.hashes[i]]; !ok {
			s.table[s.hashes[i]] = int32(i)
		}
	}
	s.links, s.loose = map[int32]link{}, map[int32]*link{}
	for _, l := range v.Links {
		s.links[l.Term] = link{l.To, l.Ren}
	}
	for _, l := range v.Loose {
		s.loose[l.Term] = &link{l.To, l.Ren}
	}
	s.sem = map[int32]*link{}
	if v.Syms != nil {
		s.syms = v.Syms
	}
	for _, l := range v.Sem {
		s.sem[l.Term] = &link{l.To, l.Ren}
	}
	// The last level is settled when the next one begins.
	if n := len(s.starts) - 3; n >= 0 {
		if err := s.settleLevel(n); err != nil {
			return err
		}
	}
	for _, c := range order {
		if c.Proved {
			s.accept(c)
		}
	}
	return nil
}
