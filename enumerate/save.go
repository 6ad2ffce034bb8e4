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

// Save writes the session as it stands between two levels.
func (s *Session) Save(w io.Writer) error {
	if err := s.idle(); err != nil {
		return err
	}
	return s.save(w)
}

func (s *Session) save(w io.Writer) error {
	if err := s.recall(); err != nil {
		return err
	}
	v := saved{Version: saveVersion, Universe: s.u.String(), Seed: s.opt.Seed, Exhaustive: s.opt.Exhaustive,
		Hashes: s.hashes, Rep: s.links.rep, Starts: s.starts, UF: s.classes.parent,
		Ranked: s.classes.ranked, Syms: s.links.syms}
	for i := range s.codes {
		v.Codes = append(v.Codes, s.codes[i][:])
	}
	for i := range s.links.rep {
		if l, ok := s.links.equal[int32(i)]; ok {
			v.Links = append(v.Links, savedLink{int32(i), l.to, l.ren})
		}
		if l := s.links.loose[int32(i)]; l != nil {
			v.Loose = append(v.Loose, savedLink{int32(i), l.to, l.ren})
		}
		if l := s.links.ordered[int32(i)]; l != nil {
			v.Sem = append(v.Sem, savedLink{int32(i), l.to, l.ren})
		}
	}
	for _, c := range s.laws.order {
		v.Known = append(v.Known, c.saved())
	}
	return gob.NewEncoder(w).Encode(&v)
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
		if copy(c[:], b); !s.u.validCode(b) || st.decode(c, nil) == 0 {
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
	laws := lawbook{known: map[string]*statement{}}
	for _, k := range v.Known {
		x, err := k.read()
		if err != nil {
			return fmt.Errorf("checkpoint: %w", err)
		}
		x.text = k.Law + k.Base
		laws.put(x)
	}
	s.codes = make([]code, n)
	for i, b := range v.Codes {
		copy(s.codes[i][:], b)
	}
	s.hashes, s.starts, s.laws = v.Hashes, v.Starts, laws
	s.classes = classes{parent: v.UF, first: map[fingerprint.Hash]int32{}}
	if len(v.Ranked) > 0 {
		s.classes.ranked = v.Ranked
	}
	for i, h := range s.hashes {
		s.classes.meet(int32(i), h)
	}
	s.links = newLinks()
	s.links.rep = v.Rep
	if v.Syms != nil {
		s.links.syms = v.Syms
	}
	for _, l := range v.Links {
		s.links.join(linked{l.Term, link{l.To, l.Ren}})
	}
	for _, l := range v.Loose {
		s.links.joinLoosely(linked{l.Term, link{l.To, l.Ren}})
	}
	for _, l := range v.Sem {
		s.links.joinOrdered(linked{l.Term, link{l.To, l.Ren}})
	}
	return s.settle()
}
