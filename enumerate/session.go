package enumerate

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/internal/spill"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/rewrite"
)

// Options configure a Session. The zero value enumerates the default universe
// with one worker per processor, extending representatives only.
type Options struct {
	Universe   *Universe // nil: Default()
	MaxOps     int       // the last level that will be asked for; 0: not known
	Exhaustive bool      // extend every term, not only representatives
	Workers    int       // goroutines; 0: one per processor
	Seed       uint64    // of the random inputs
	Memory     int64     // bytes of heap above which a level's terms are sorted and kept on disk; 0: no bound
	Spill      string    // folder for that; "": os.TempDir
	// Remote, if not nil, has the terms of levels found by other processes. What is found is
	// the same.
	Remote Remote
	// Prove decides candidates: it sets Proved. It is called with batches in
	// canonical order, by one goroutine. Only proved laws are used to prune.
	// nil: everything that random testing supports counts as proved.
	Prove func(ctx context.Context, cands []*Candidate) error
	// Deriver makes a function that says whether a law follows from smaller
	// rules; it is called once a worker. Pairs that follow are not stated. nil:
	// only what a short search over proved rules connects is left out.
	Deriver func() func(*law.Law) bool
	// Progress is called now and then with the work done and to do in the
	// current phase (total 0: not known), by several goroutines. May be nil.
	Progress func(phase string, done, total int64)
}

// Candidate is a pair of terms that agree, as a law.
type Candidate struct {
	// Law is the most general statement that random testing supports.
	Law *law.Law
	// Base is the law for the ranks and operators it was found for; smaller
	// terms are rewritten with it. Law may equal Base.
	Base *law.Law
	// Conditional: it holds only for some strides, paddings or kernels.
	Conditional bool
	// Ordered: it holds for the true relu and maximum only (an ordered law). Prove sets it
	// of what it proved so. Other such laws may follow from it, and no others: their terms
	// are not joined, nor rewritten with it.
	Ordered bool
	// Level is the number of operators of the larger side.
	Level int

	// Proved is set by Options.Prove; so is Wide: what is proved is Law itself, and not
	// Base alone, so that terms are rewritten with that.
	Proved, Wide bool

	own    *law.Law // Base with composites; nil: Base has none
	text   string
	key    string   // of the answer of another process that this stands for; see Comparer
	merged []linked // terms that are equal to others if this is true
	syms   []linked // terms that renamings do not change if this is true
	pair   *general.Pair
	form   general.Form   // of pair, in which Law and Base were stated first
	forms  []general.Form // less general forms, not tried yet
	test   general.Tester
}

// Untyped is a pair of terms that agree in the case but have no general form.
type Untyped struct {
	Pair   string // both sides with the sizes of the case
	Reason string
}

// Untyped lists the pairs of the last level that could not be stated as laws.
func (s *Session) Untyped() []Untyped { return s.untyped }

// Stats count what one level did.
type Stats struct {
	Level    int
	Visits   uint64 // sequences the walk tried
	Terms    int    // distinct terms of this many operators
	Tensors  int    // evaluated, renamings of inputs included
	Classes  int    // buckets these terms fall into
	New      int    // terms that open a bucket or stay representatives
	Pairs    int    // pairs of terms with equal fingerprints
	Joined   int    // of them: follow from smaller proved rules
	False    int    // of them: false on other shapes
	Untyped  int    // of them: cannot be stated for sizes that are not those of the case
	Raw      int    // of them: stated as laws
	Distinct int    // laws after renaming of inputs
	Proved   int    // of them

	WalkSeconds, HashSeconds, CompareSeconds, ProveSeconds float64 // wall time
	EnumerateCPU                                           float64 // CPU seconds of walk and fingerprints
}

// Session enumerates level by level.
type Session struct {
	opt Options
	u   *Universe
	terms
	folder  *spill.Folder
	rep     []bool
	starts  []int // first term of each level
	settled int   // terms that at and members know
	uf      []int32
	table   map[fingerprint.Hash]int32
	at      map[code]int32        // all terms of the levels before
	links   map[int32]link        // of terms that have one: to an earlier one
	loose   map[int32]*link       // of representatives: to terms equal for some strides, paddings or kernels
	sem     map[int32]*link       // of representatives: to terms equal for the true relu and maximum
	syms    map[int32][][32]uint8 // of representatives: renamings of inputs proved to change nothing
	answers map[string]answer     // of the batches of this level, by the pair
	// answered are the keys of answers, as found; graphed is what workers elsewhere found of
	// the level, if they did, and news what they were told since.
	answered []string
	graphed  *Graphed
	news     news
	members  map[int32][]int32     // by term: the terms linked to it
	rules    []*rewrite.Direction  // unconditional
	allRule  []*rewrite.Direction  // conditional too
	known    map[string]*Candidate // by text
	order    []*Candidate          // of known, as decided
	proving  time.Duration         // spent in Options.Prove
	untyped  []Untyped             // in canonical order, of the last level
	semRule  []*rewrite.Direction  // and those of the true relu and maximum
	ranked   map[fingerprint.Hash]int32
	// By worker: what tests found, and the derivers of this level.
	tested   []*general.Known
	derivers []func(*law.Law) bool
	derived  *derivedLaws // what these said
	// symmetric lists, for terms of the last level, the renamings of their
	// inputs that do not change them.
	symmetric map[int32][][32]uint8
}

// NewSession prepares a session; the first level is level 1.
func NewSession(opt Options) *Session {
	if opt.Universe == nil {
		opt.Universe = Default()
	}
	if opt.Workers <= 0 {
		opt.Workers = runtime.GOMAXPROCS(0)
	}
	s := &Session{opt: opt, folder: spill.NewFolder(opt.Spill), u: opt.Universe, table: map[fingerprint.Hash]int32{}, links: map[int32]link{}, at: map[code]int32{}, loose: map[int32]*link{}, syms: map[int32][][32]uint8{}, sem: map[int32]*link{},
		known: map[string]*Candidate{}, derived: &derivedLaws{}}
	for range opt.Workers {
		s.tested = append(s.tested, general.NewKnown())
	}
	s.derivers = make([]func(*law.Law) bool, opt.Workers)
	// Level 0: one bare input of each type.
	st := newStore(s.u, opt.Seed)
	for ti := range s.u.Types {
		t := st.inputs[st.first[ti]]
		h, _ := st.hash(t, nil)
		s.table[h] = int32(len(s.codes))
		s.codes = append(s.codes, st.encode(t, nil))
		s.hashes = append(s.hashes, h)
		s.rep = append(s.rep, true)
		s.uf = append(s.uf, int32(len(s.uf)))
	}
	s.starts = []int{0, len(s.codes)}
	return s
}

// SetDeriver replaces Options.Deriver for the levels to come.
func (s *Session) SetDeriver(d func() func(*law.Law) bool) {
	s.opt.Deriver = d
	clear(s.derivers)
	s.derived = &derivedLaws{}
}

// derivedLaws are what derivers said, by the law in canonical names.
type derivedLaws struct {
	sync.Mutex
	known map[string]bool
}

func (s *Session) find(i int32) int32 {
	for s.uf[i] != i {
		s.uf[i] = s.uf[s.uf[i]]
		i = s.uf[i]
	}
	return i
}

func (s *Session) union(a, b int32) {
	a, b = s.find(a), s.find(b)
	if a > b {
		a, b = b, a
	}
	s.uf[b] = a
}

// Level enumerates the terms of n operators, which must be the next level, has
// the candidates proved and returns them in canonical order.
func (s *Session) Level(ctx context.Context, n int) (cands []*Candidate, st Stats, err error) {
	st = Stats{Level: n}
	if n != len(s.starts)-1 || n > maxOps {
		return nil, st, fmt.Errorf("level %d: levels come in order, at most %d", n, maxOps)
	}
	if err := s.settleLevel(n - 1); err != nil {
		return nil, st, err
	}
	base := s.len()
	cpu := procstat.Read().CPUSeconds()
	defer func() { err = cmp.Or(err, s.release()) }()
	if err := s.graphs(ctx, n, &st); err != nil {
		return nil, st, err
	}
	st.Terms = s.len() - base
	st.EnumerateCPU = procstat.Read().CPUSeconds() - cpu
	t0 := time.Now()
	s.proving = 0
	cands, err = s.classes(ctx, n, base, &st)
	st.ProveSeconds = s.proving.Seconds()
	st.CompareSeconds = (time.Since(t0) - s.proving).Seconds()
	for _, c := range cands {
		if c.Proved {
			st.Proved++
		}
	}
	return cands, st, err
}

// graphs finds the terms of a level, and which agree.
func (s *Session) graphs(ctx context.Context, n int, st *Stats) error {
	t0 := time.Now()
	if s.opt.Remote != nil {
		var err error
		st.Visits, st.Tensors, err = s.remote(ctx, n)
		st.WalkSeconds = time.Since(t0).Seconds()
		return err
	}
	all, err := s.generate(ctx, n)
	if err != nil {
		return err
	}
	defer all.close()
	st.Visits, st.WalkSeconds = all.visits, time.Since(t0).Seconds()
	t0 = time.Now()
	st.Tensors, err = s.fingerprints(ctx, all)
	st.HashSeconds = time.Since(t0).Seconds()
	return err
}

// settleLevel makes the terms of the levels up to n, which are finished, findable.
func (s *Session) settleLevel(n int) error {
	if err := s.recall(); err != nil {
		return err
	}
	if s.members == nil {
		s.members = map[int32][]int32{}
	}
	for ; s.settled < s.starts[n+1]; s.settled++ {
		i := s.settled
		s.at[s.codes[i]] = int32(i)
		if l, ok := s.links[int32(i)]; ok && len(s.members[l.to]) < maxMembers {
			s.members[l.to] = append(s.members[l.to], int32(i))
		}
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
		if _, ok := s.table[h]; !ok {
			s.table[h] = int32(from + i)
		}
	}
	return nil
}

// Close frees the session's files. There are some only if Options.Memory is set.
func (s *Session) Close() error { return s.close() }

// parallel runs f on chunks of 0..n-1; workers ask for the next chunk. Progress is told of
// the phase.
func (s *Session) parallel(ctx context.Context, phase string, n, chunk int, f func(worker int, lo, hi int)) error {
	var show func(done int64)
	if s.opt.Progress != nil {
		show = func(done int64) { s.opt.Progress(phase, done, int64(n)) }
	}
	return s.workers(ctx, n, chunk, f, show)
}

// workers runs f on chunks of 0..n-1; show, if not nil, is told how many are done. The error
// is that of the terms on disk, if they could not be read.
func (s *Session) workers(ctx context.Context, n, chunk int, f func(worker int, lo, hi int), show func(done int64)) error {
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for w := 0; w < s.opt.Workers; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil && s.broken() == nil {
				lo := int(next.Add(int64(chunk))) - chunk
				if lo >= n {
					return
				}
				hi := min(lo+chunk, n)
				f(w, lo, hi)
				if d := done.Add(int64(hi - lo)); show != nil {
					show(d)
				}
			}
		}()
	}
	wg.Wait()
	return cmp.Or(ctx.Err(), s.broken())
}
