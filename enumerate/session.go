package enumerate

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/internal/spill"
)

// Options configure a Session. The zero value enumerates the default universe
// with one worker per processor, extending representatives only.
type Options struct {
	Universe   *Universe // nil: Default()
	MaxOps     int       // the last level that will be asked for; 0: not known
	Exhaustive bool      // extend every term, not only representatives
	Workers    int       // goroutines; 0: one per processor
	Seed       uint64    // of the random inputs
	Memory     int64     // bytes that shares are taken of for terms, fingerprints and stores; terms beyond are sorted and kept on disk; 0: no bound
	Spill      string    // folder for that; "": os.TempDir
	// Remote, if not nil, has the terms of levels found by other processes. What is found is
	// the same.
	Remote Remote
	// Progress is called now and then with the work done and to do in the
	// current phase (total 0: not known), by several goroutines. May be nil.
	Progress func(phase string, done, total int64)
}

// Session enumerates level by level.
type Session struct {
	opt Options
	u   *Universe
	terms
	classes classes
	links   links
	laws    lawbook
	pool    pool
	open    *Batches // candidates that are not all decided; nil: none
}

// NewSession prepares a session; the first level is level 1.
func NewSession(opt Options) *Session {
	if opt.Universe == nil {
		opt.Universe = Default()
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	s := &Session{opt: opt, u: opt.Universe, terms: terms{at: map[code]int32{}}, classes: classes{first: map[fingerprint.Hash]int32{}},
		links: newLinks(), laws: lawbook{known: map[string]*statement{}}}
	s.pool = pool{opt: &s.opt, folder: spill.NewFolder(opt.Spill), broken: s.broken}
	for range opt.Workers {
		s.pool.tested = append(s.pool.tested, general.NewKnown())
	}
	// Level 0: one bare input of each type.
	st := newStore(s.u, opt.Seed)
	for ti := range s.u.Types {
		t := st.inputs[st.first[ti]]
		h, _ := st.hash(t, nil)
		s.classes.first[h] = int32(len(s.codes))
		s.codes = append(s.codes, st.encode(t, nil))
		s.hashes = append(s.hashes, h)
		s.links.rep = append(s.links.rep, true)
	}
	s.classes.add(len(s.codes))
	s.starts = []int{0, len(s.codes)}
	return s
}

// Next is the level that comes next.
func (s *Session) Next() int { return s.level() + 1 }

// extend makes room for n terms, which are those of the level to come.
func (s *Session) extend(n int) error {
	if err := numbered(len(s.links.rep) + n); err != nil {
		return err
	}
	s.classes.add(n)
	s.links.rep = append(s.links.rep, make([]bool, n)...)
	s.starts = append(s.starts, len(s.links.rep))
	return nil
}

// numbered says whether so many terms have numbers.
func numbered(n int) error {
	if n >= 1<<31 {
		return fmt.Errorf("more than %d terms cannot be numbered", 1<<31-1)
	}
	return nil
}

// settle makes the terms of the levels so far, which are finished, findable.
func (s *Session) settle() error {
	if err := s.recall(); err != nil {
		return err
	}
	for i := len(s.at); i < len(s.codes); i++ {
		s.at[s.codes[i]] = int32(i)
		s.links.settle(int32(i))
	}
	return nil
}

// recall brings a level that is on disk into memory. The fingerprints of one that was never
// there are known already.
func (s *Session) recall() error {
	from := len(s.codes)
	if err := s.load(); err != nil {
		return err
	}
	for i, h := range s.hashes[from:] {
		s.classes.meet(int32(from+i), h)
	}
	return nil
}

// idle says whether all candidates so far are decided.
func (s *Session) idle() error {
	if s.open != nil {
		return errors.New("the candidates of the level before are not all decided")
	}
	return nil
}

// Close frees the session's files. There are some only if Options.Memory is set, or Options.Remote.
func (s *Session) Close() error {
	var err error
	if s.open != nil && s.open.free != nil {
		err = s.open.free()
		s.open.free = nil
	}
	return cmp.Or(err, s.close())
}
