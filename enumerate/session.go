package enumerate

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/internal/procstat"
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
	Memory     int64     // bytes of heap above which a level stops with ErrMemory; 0: no bound
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

// ErrMemory says that a level was stopped at the memory bound.
var ErrMemory = fmt.Errorf("memory bound reached")

// Candidate is a pair of terms that agree, as a law.
type Candidate struct {
	// Law is the most general statement that random testing supports.
	Law *law.Law
	// Base is the law for the ranks and operators it was found for; smaller
	// terms are rewritten with it. Law may equal Base.
	Base *law.Law
	// Conditional: it holds only for some strides, paddings or kernels.
	Conditional bool
	// Ordered: it holds for the true relu and maximum only (an ordered law).
	Ordered bool
	// Level is the number of operators of the larger side.
	Level int

	// Proved is set by Options.Prove.
	Proved bool

	own    *law.Law // Base with composites; nil: Base has none
	text   string
	merged []linked // terms that are equal to others if this is true
	syms   []linked // terms that renamings do not change if this is true
	pair   *general.Pair
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
	opt     Options
	u       *Universe
	codes   []code
	hashes  []fingerprint.Hash
	rep     []bool
	starts  []int // first term of each level
	uf      []int32
	table   map[fingerprint.Hash]int32
	reps    map[code]struct{}     // representatives of the levels before
	at      map[code]int32        // all terms of the levels before
	links   []link                // of all terms: to an earlier one, or to itself
	loose   map[int32]*link       // of representatives: to terms equal for some strides, paddings or kernels
	sem     map[int32]*link       // of representatives: to terms equal for the true relu and maximum
	syms    map[int32][][32]uint8 // of representatives: renamings of inputs proved to change nothing
	answers map[string]answer     // of the batches of this level, by the pair
	members map[int32][]int32     // by term: the terms linked to it
	rules   []*rewrite.Direction  // unconditional
	allRule []*rewrite.Direction  // conditional too
	known   map[string]*Candidate // by text
	order   []*Candidate          // of known, as decided
	proving time.Duration         // spent in Options.Prove
	untyped []Untyped             // in canonical order, of the last level
	semRule []*rewrite.Direction  // and those of the true relu and maximum
	ranked  map[fingerprint.Hash]int32
	// By worker: what tests found, and the derivers of this level.
	tested   []*general.Known
	derivers []func(*law.Law) bool
	derived  struct { // what these said, by the law in canonical names
		sync.Mutex
		known map[string]bool
	}
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
	s := &Session{opt: opt, u: opt.Universe, table: map[fingerprint.Hash]int32{}, reps: map[code]struct{}{}, at: map[code]int32{}, loose: map[int32]*link{}, syms: map[int32][][32]uint8{}, sem: map[int32]*link{},
		known: map[string]*Candidate{}}
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
		s.links = append(s.links, link{to: int32(len(s.links))})
	}
	s.starts = []int{0, len(s.codes)}
	return s
}

// SetDeriver replaces Options.Deriver for the levels to come.
func (s *Session) SetDeriver(d func() func(*law.Law) bool) {
	s.opt.Deriver = d
	clear(s.derivers)
	s.derived.known = nil
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
func (s *Session) Level(ctx context.Context, n int) ([]*Candidate, Stats, error) {
	st := Stats{Level: n}
	if n != len(s.starts)-1 || n > maxOps {
		return nil, st, fmt.Errorf("level %d: levels come in order, at most %d", n, maxOps)
	}
	s.settleLevel(n - 1)
	t0, cpu := time.Now(), procstat.Read().CPUSeconds()
	codes, visits, err := s.generate(ctx, n)
	if err != nil {
		return nil, st, err
	}
	st.WalkSeconds = time.Since(t0).Seconds()
	st.Visits, st.Terms = visits, len(codes)
	base := len(s.codes)
	s.codes = append(s.codes, codes...)
	s.rep = append(s.rep, make([]bool, len(codes))...)
	s.starts = append(s.starts, len(s.codes))
	for i := base; i < len(s.codes); i++ {
		s.uf = append(s.uf, int32(i))
		s.links = append(s.links, link{to: int32(i)})
	}
	t0 = time.Now()
	if st.Tensors, err = s.fingerprints(ctx, base); err != nil {
		return nil, st, err
	}
	st.HashSeconds = time.Since(t0).Seconds()
	st.EnumerateCPU = procstat.Read().CPUSeconds() - cpu
	t0 = time.Now()
	s.proving = 0
	cands, err := s.classes(ctx, n, base, &st)
	st.ProveSeconds = s.proving.Seconds()
	st.CompareSeconds = (time.Since(t0) - s.proving).Seconds()
	for _, c := range cands {
		if c.Proved {
			st.Proved++
		}
	}
	return cands, st, err
}

// settleLevel makes the terms of a finished level findable.
func (s *Session) settleLevel(n int) {
	for i := s.starts[n]; i < s.starts[n+1]; i++ {
		s.at[s.codes[i]] = int32(i)
		if s.rep[i] {
			s.reps[s.codes[i]] = struct{}{}
		}
	}
	s.members = map[int32][]int32{}
	for i := range s.links {
		if to := s.links[i].to; to != int32(i) && len(s.members[to]) < maxMembers {
			s.members[to] = append(s.members[to], int32(i))
		}
	}
}

// parallel runs f on chunks of 0..n-1; workers ask for the next chunk.
func (s *Session) parallel(ctx context.Context, phase string, n, chunk int, f func(worker int, lo, hi int)) error {
	var next, done atomic.Int64
	var wg sync.WaitGroup
	var over atomic.Bool
	for w := 0; w < s.opt.Workers; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for !over.Load() && ctx.Err() == nil {
				lo := int(next.Add(int64(chunk))) - chunk
				if lo >= n {
					return
				}
				hi := min(lo+chunk, n)
				f(w, lo, hi)
				d := done.Add(int64(hi - lo))
				if s.opt.Progress != nil {
					s.opt.Progress(phase, d, int64(n))
				}
				if int(next.Load()) < n && s.tooLarge() {
					over.Store(true)
				}
			}
		}()
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	if over.Load() {
		return ErrMemory
	}
	return nil
}

func (s *Session) tooLarge() bool {
	if s.opt.Memory <= 0 {
		return false
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if int64(m.HeapAlloc) < s.opt.Memory {
		return false
	}
	debug.FreeOSMemory()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc) >= s.opt.Memory
}

// shares is the number of parts a walk is cut into. It does not depend on the
// number of workers.
const shares = 64

func (s *Session) generate(ctx context.Context, n int) ([]code, uint64, error) {
	parts := make([][]code, shares)
	var visits atomic.Uint64
	stores := make([]*store, s.opt.Workers)
	err := s.parallel(ctx, fmt.Sprintf("level %d: enumerate", n), shares, 1, func(wk, lo, _ int) {
		if stores[wk] == nil || len(stores[wk].apps) > 1<<20 {
			stores[wk] = newStore(s.u, s.opt.Seed)
		}
		st := stores[wk]
		w := &walker{s: st, want: n, ok: s.extendable(st), stop: func() bool { return ctx.Err() != nil }}
		var out []code
		w.emit = func(id appID) {
			for _, t := range st.apps[id].outs {
				if t != 0 {
					out = append(out, st.encode(t, nil))
				}
			}
			if len(out) > 1<<16 && len(out) > 2*cap(parts[lo]) {
				out = compact(out)
				parts[lo] = out
			}
		}
		w.run(lo, shares)
		parts[lo] = compact(out)
		visits.Add(w.seen)
	})
	if err != nil {
		return nil, 0, err
	}
	var all []code
	for i, p := range parts {
		all = append(all, p...)
		parts[i] = nil
	}
	return compact(all), visits.Load(), nil
}

func compact(c []code) []code {
	slices.SortFunc(c, code.compare)
	return slices.Compact(c)
}

// extendable says which tensors may be operands: representatives, or all.
func (s *Session) extendable(st *store) func(tid) bool {
	if s.opt.Exhaustive {
		return func(tid) bool { return true }
	}
	return func(t tid) bool {
		x := &st.tensors[t]
		if x.rep == repUnknown {
			c := st.encode(t, nil)
			st.tensors[t].rep = repNo
			if _, ok := s.reps[c]; ok {
				st.tensors[t].rep = repYes
			}
		}
		return st.tensors[t].rep == repYes
	}
}

// rootHash is a term's fingerprint under a renaming of its inputs. The last
// application is not kept in the store unless it was there.
func (s *store) rootHash(c code, rename *[32]uint8, scratch []uint64) (fingerprint.Hash, []uint64) {
	old := len(s.apps)
	t := s.decode(c, rename)
	h, scratch := s.hash(t, scratch)
	if len(s.apps) > old {
		s.forget(t)
	}
	return h, scratch
}

// forget drops the application of t if it was the last one made.
func (s *store) forget(t tid) {
	id := s.tensors[t].app
	if id == 0 || int(id) != len(s.apps)-1 {
		return
	}
	a := s.apps[id]
	delete(s.appAt, appKey{a.inst, a.args[0], a.args[1]})
	s.apps = s.apps[:id]
	s.tensors = s.tensors[:a.outs[0]]
}

// fingerprints hashes the terms from base on, under every renaming of their
// inputs, and joins terms that agree.
func (s *Session) fingerprints(ctx context.Context, base int) (int, error) {
	n := len(s.codes) - base
	s.hashes = append(s.hashes, make([]fingerprint.Hash, n)...)
	var evals atomic.Int64
	stores := make([]*store, s.opt.Workers)
	scratch := make([][]uint64, s.opt.Workers)
	fresh := func(wk int) *store {
		if stores[wk] == nil || len(stores[wk].apps) > 1<<20 {
			stores[wk] = newStore(s.u, s.opt.Seed)
		}
		return stores[wk]
	}
	phase := fmt.Sprintf("level %d: fingerprint", len(s.starts)-2)
	err := s.parallel(ctx, phase, n, 256, func(wk, lo, hi int) {
		st := fresh(wk)
		for i := lo; i < hi; i++ {
			s.hashes[base+i], scratch[wk] = st.rootHash(s.codes[base+i], nil, scratch[wk])
		}
		evals.Add(int64(hi - lo))
	})
	if err != nil {
		return 0, err
	}
	for i := base; i < len(s.codes); i++ {
		if j, ok := s.table[s.hashes[i]]; ok {
			s.union(int32(i), j)
		} else {
			s.table[s.hashes[i]] = int32(i)
		}
	}
	type edge struct{ a, b int32 }
	edges := make([][]edge, s.opt.Workers)
	type renaming struct {
		t int32
		r [32]uint8
	}
	selfs := make([][]renaming, s.opt.Workers)
	err = s.parallel(ctx, phase+" renamings", n, 256, func(wk, lo, hi int) {
		st := fresh(wk)
		for i := base + lo; i < base+hi; i++ {
			eachRenaming(st, s.codes[i], func(r *[32]uint8) bool {
				var h fingerprint.Hash
				h, scratch[wk] = st.rootHash(s.codes[i], r, scratch[wk])
				evals.Add(1)
				if h == s.hashes[i] {
					selfs[wk] = append(selfs[wk], renaming{int32(i), *r})
				} else if j, ok := s.table[h]; ok {
					edges[wk] = append(edges[wk], edge{int32(i), j})
				}
				return true
			})
		}
	})
	if err != nil {
		return 0, err
	}
	s.symmetric = map[int32][][32]uint8{}
	for _, l := range selfs {
		for _, x := range l {
			s.symmetric[x.t] = append(s.symmetric[x.t], x.r)
		}
	}
	for _, es := range edges {
		for _, e := range es {
			s.union(e.a, e.b)
		}
	}
	return int(evals.Load()), nil
}

// eachRenaming calls f with every renaming of a term's inputs within their
// types but the identity, until f returns false.
func eachRenaming(st *store, c code, f func(r *[32]uint8) bool) {
	counts := c.inputs(st)
	var r [32]uint8
	for i := range r {
		r[i] = uint8(i)
	}
	identity := r
	var rec func(ty int) bool
	rec = func(ty int) bool {
		if ty == len(counts) {
			return r == identity || f(&r)
		}
		first, n := int(st.first[ty]), int(counts[ty])
		return law.Permute(r[first:first+n], func() bool { return rec(ty + 1) })
	}
	rec(0)
}
