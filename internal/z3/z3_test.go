package z3

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func newContext(t testing.TB) *Context {
	t.Helper()
	c, err := NewContext(Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func newSolver(t testing.TB, c *Context, cfg SolverConfig) *Solver {
	t.Helper()
	s, err := c.NewSolver(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantCheck(t testing.TB, s *Solver, want Status) {
	t.Helper()
	got, err := s.Check(context.Background())
	if err != nil || got != want {
		t.Fatalf("check: %v (%s), %v; want %v", got, s.ReasonUnknown(), err, want)
	}
}

// binop is an uninterpreted sort with a binary function: what the laws of a
// matmul or an elementwise sum are about.
type binop struct {
	c *Context
	u Sort
	f Func
}

func newBinop(c *Context) binop {
	u := c.Uninterpreted("Tensor")
	return binop{c, u, c.Func("f", []Sort{u, u}, u)}
}

func (b binop) op(x, y Term) Term    { return b.f.Apply(x, y) }
func (b binop) con(name string) Term { return b.c.Const(name, b.u) }
func (b binop) associativity() Term {
	x, y, z := b.con("x!"), b.con("y!"), b.con("z!")
	l, r := b.op(b.op(x, y), z), b.op(x, b.op(y, z))
	return b.c.ForAll(Quantifier{
		ID: "assoc", Bound: []Term{x, y, z}, Patterns: [][]Term{{l}, {r}}, Body: b.c.Eq(l, r),
	})
}
func (b binop) commutativity() Term {
	x, y := b.con("x!"), b.con("y!")
	return b.c.ForAll(Quantifier{
		ID: "comm", Bound: []Term{x, y}, Patterns: [][]Term{{b.op(x, y)}}, Body: b.c.Eq(b.op(x, y), b.op(y, x)),
	})
}

// hard is a goal that Z3 does not decide in any time a test would wait: a sum
// of three cubes.
func hard(c *Context) Term {
	var sum []Term
	for _, n := range []string{"p", "q", "r"} {
		v := c.Const(n, c.Int())
		sum = append(sum, c.Mul(v, v, v))
	}
	return c.Eq(c.Add(sum...), c.IntVal(42))
}

func TestEUFChain(t *testing.T) {
	c := newContext(t)
	b := newBinop(c)
	s := newSolver(t, c, SolverConfig{})
	w := []Term{b.con("a"), b.con("b"), b.con("c"), b.con("d")}
	for i := range 3 {
		must(t, s.Assert(c.Eq(w[i], w[i+1])))
	}
	wantCheck(t, s, Sat)
	must(t, s.Assert(c.Not(c.Eq(b.op(w[0], w[3]), b.op(w[3], w[0])))))
	wantCheck(t, s, Unsat)
	if core := s.UnsatCore(); core == nil || len(core) != 0 {
		t.Errorf("core of unlabelled formulas: %#v, want empty and not nil", core)
	}
}

func TestUnsatCoreIsExactlyWhatIsNeeded(t *testing.T) {
	c := newContext(t)
	b := newBinop(c)
	s := newSolver(t, c, SolverConfig{})
	for _, e := range [][2]string{{"a", "b"}, {"u", "v"}, {"b", "c"}, {"v", "w"}, {"c", "d"}} {
		must(t, s.AssertTracked(e[0]+"="+e[1], c.Eq(b.con(e[0]), b.con(e[1]))))
	}
	must(t, s.AssertTracked("goal", c.Not(c.Eq(b.con("a"), b.con("d")))))
	wantCheck(t, s, Unsat)
	want := []string{"a=b", "b=c", "c=d", "goal"}
	if got := s.UnsatCore(); !slices.Equal(got, want) {
		t.Errorf("core %q, want %q", got, want)
	}
	if st, err := s.CheckLabels(context.Background(), want[1:]); st != Sat || err != nil {
		t.Errorf("without a=b: %v %v, want sat", st, err)
	}
	if s.UnsatCore() != nil {
		t.Error("a core after sat")
	}
	if _, err := s.CheckLabels(context.Background(), []string{"nobody"}); err == nil {
		t.Error("no error for an unknown label")
	}
}

func TestLabelsShareAndScope(t *testing.T) {
	c := newContext(t)
	x := c.Const("x", c.Int())
	s := newSolver(t, c, SolverConfig{})
	must(t, s.AssertTracked("range", c.Le(c.IntVal(0), x)))
	must(t, s.Push())
	must(t, s.AssertTracked("range", c.Lt(x, c.IntVal(0))))
	must(t, s.AssertTracked("inner", c.True()))
	if got := s.Labels(); !slices.Equal(got, []string{"range", "inner"}) {
		t.Fatalf("labels %q", got)
	}
	wantCheck(t, s, Unsat)
	if got := s.UnsatCore(); !slices.Equal(got, []string{"range"}) {
		t.Errorf("core %q", got)
	}
	must(t, s.Pop())
	if got := s.Labels(); !slices.Equal(got, []string{"range"}) {
		t.Fatalf("labels after pop %q", got)
	}
	wantCheck(t, s, Sat)
	if err := s.Pop(); err == nil {
		t.Error("popped the outermost scope")
	}
}

func TestEMatchingProvesReassociation(t *testing.T) {
	c := newContext(t)
	b := newBinop(c)
	s := newSolver(t, c, SolverConfig{EMatchingOnly: true})
	must(t, s.AssertTracked("assoc", b.associativity()))
	must(t, s.AssertTracked("comm", b.commutativity()))
	p, q, r, w := b.con("p"), b.con("q"), b.con("r"), b.con("w")
	must(t, s.Push())
	must(t, s.AssertTracked("goal", c.Not(c.Eq(b.op(b.op(b.op(p, q), r), w), b.op(p, b.op(q, b.op(r, w)))))))
	wantCheck(t, s, Unsat)
	core, err := CoreMinimize(context.Background(), s, nil)
	must(t, err)
	if want := []string{"assoc", "goal"}; !slices.Equal(core.Labels, want) {
		t.Errorf("minimal core %q, want %q", core.Labels, want)
	}
	stats, err := s.Statistics()
	must(t, err)
	if stats["quant instantiations"] == 0 {
		t.Errorf("no instantiation counted in %v", stats)
	}
	must(t, s.Pop())

	// A false goal ends soon, and is never unsat.
	must(t, s.Push())
	must(t, s.Assert(c.Not(c.Eq(b.op(p, p), b.op(q, q)))))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if st, err := s.Check(ctx); st == Unsat || err != nil || ctx.Err() != nil {
		t.Errorf("false goal: %v, %v, %v", st, err, ctx.Err())
	}
}

func TestPatternsDirect(t *testing.T) {
	// The axiom g(x) = x fires only on its pattern h(x): with it in sight the
	// goal is proved, without it Z3 cannot know.
	for _, seen := range []bool{false, true} {
		c := newContext(t)
		u := c.Uninterpreted("U")
		g, h := c.Func("g", []Sort{u}, u), c.Func("h", []Sort{u}, u)
		x, a := c.Const("x", u), c.Const("a", u)
		s := newSolver(t, c, SolverConfig{EMatchingOnly: true})
		must(t, s.Assert(c.ForAll(Quantifier{
			ID: "g", Bound: []Term{x}, Patterns: [][]Term{{h.Apply(x)}}, Body: c.Eq(g.Apply(x), x),
		})))
		must(t, s.Assert(c.Not(c.Eq(g.Apply(a), a))))
		want := Unknown
		if seen {
			want = Unsat
			must(t, s.Assert(c.Eq(h.Apply(a), h.Apply(a)))) // simplified away: no sight of h(a)
			must(t, s.Assert(c.Not(c.Eq(h.Apply(a), c.Const("b", u)))))
		}
		wantCheck(t, s, want)
		if !seen && s.ReasonUnknown() == "" {
			t.Error("unknown without a reason")
		}
	}
}

func TestTimeoutsAreUnknown(t *testing.T) {
	tests := []struct {
		name   string
		cfg    SolverConfig
		ctx    func() (context.Context, context.CancelFunc)
		reason string
	}{
		{"z3 timeout", SolverConfig{Timeout: 30 * time.Millisecond}, nil, ""},
		{"rlimit", SolverConfig{RLimit: 1000}, nil, ""},
		{"deadline", SolverConfig{}, func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 30*time.Millisecond)
		}, "canceled: context deadline exceeded"},
		{"cancel", SolverConfig{}, func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(30*time.Millisecond, cancel)
			return ctx, cancel
		}, "canceled: context canceled"},
		{"before", SolverConfig{}, func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return ctx, cancel
		}, "canceled: context canceled"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := newContext(t)
			s := newSolver(t, c, tt.cfg)
			must(t, s.Push())
			must(t, s.Assert(hard(c)))
			ctx := context.Background()
			if tt.ctx != nil {
				var cancel context.CancelFunc
				ctx, cancel = tt.ctx()
				defer cancel()
			}
			st, err := s.Check(ctx)
			if st != Unknown || err != nil {
				t.Fatalf("%v, %v; want unknown", st, err)
			}
			if r := s.ReasonUnknown(); r == "" || tt.reason != "" && r != tt.reason {
				t.Errorf("reason %q, want %q", r, tt.reason)
			}
			// The solver lives on.
			must(t, s.Pop())
			x := c.Const("x", c.Int())
			must(t, s.Assert(c.Lt(x, x)))
			wantCheck(t, s, Unsat)
		})
	}
}

func TestInterruptsDoNotLeak(t *testing.T) {
	// Cancelling around the end of quick checks must never touch a later one.
	c := newContext(t)
	b := newBinop(c)
	s := newSolver(t, c, SolverConfig{})
	must(t, s.Assert(c.Eq(b.con("a"), b.con("b"))))
	must(t, s.Assert(c.Not(c.Eq(b.con("a"), b.con("b")))))
	for i := range 300 {
		ctx, cancel := context.WithCancel(context.Background())
		timer := time.AfterFunc(time.Duration(i)*100*time.Nanosecond, cancel)
		if st, err := s.Check(ctx); st == Sat || err != nil {
			t.Fatalf("check %d: %v, %v", i, st, err)
		}
		timer.Stop()
		cancel()
		wantCheck(t, s, Unsat)
	}
}

func TestInterruptSignalStaysGos(t *testing.T) {
	// Z3 must not take SIGINT from the Go program during a check.
	sig := make(chan os.Signal, 1)
	signal.Notify(sig, os.Interrupt)
	defer signal.Stop(sig)
	c := newContext(t)
	s := newSolver(t, c, SolverConfig{})
	must(t, s.Assert(hard(c)))
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	go func() {
		<-sig
		cancel()
	}()
	time.AfterFunc(50*time.Millisecond, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) })
	if st, err := s.Check(ctx); st != Unknown || err != nil || !errors.Is(ctx.Err(), context.Canceled) {
		t.Errorf("%v, %v, %v; want unknown, canceled by the signal", st, err, ctx.Err())
	}
}

func TestIllFormedTermsAreErrors(t *testing.T) {
	c := newContext(t)
	u := c.Uninterpreted("U")
	a, i, p := c.Const("a", u), c.Const("i", c.Int()), c.Const("p", c.Bool())
	f := c.Func("f", []Sort{u}, u)
	other := newContext(t)
	bound := func(q Quantifier) Term { return c.ForAll(q) }
	tests := []struct {
		name string
		term Term
		want string
	}{
		{"wrong sort", f.Apply(i), "apply f"},
		{"too many arguments", f.Apply(a, a), "apply f"},
		{"no argument", f.Apply(), "apply f"},
		{"nested", c.Not(c.Eq(f.Apply(i), a)), "apply f"},
		{"zero term", f.Apply(Term{}), "zero value"},
		{"zero func", Func{}.Apply(), "zero value"},
		{"zero sort", c.Const("z", Sort{}), "zero value"},
		{"other context", f.Apply(other.Const("a", other.Int())), "another context"},
		{"NUL name", c.Const("a\x00b", u), "NUL"},
		{"NUL sort", c.Const("a", c.Uninterpreted("U\x00")), "NUL"},
		{"equation", c.Eq(a, i), "="},
		{"sum", c.Add(i, p), "+"},
		{"empty sum", c.Add(), "+"},
		{"product", c.Mul(a, a), "*"},
		{"not", c.Not(i), "not"},
		{"and", c.And(p, i), "and"},
		{"implies", c.Implies(i, p), "implies"},
		{"ite", c.Ite(i, a, a), "ite"},
		{"le", c.Le(a, i), "<="},
		{"mod", c.Mod(p, i), "mod"},
		{"digits", c.BigInt("12x"), "numeral"},
		{"no bound variable", bound(Quantifier{ID: "q", Body: p}), "forall q"},
		{"bound twice", bound(Quantifier{ID: "q", Bound: []Term{a, a}, Body: c.Eq(a, a)}), "twice"},
		{"bound application", bound(Quantifier{ID: "q", Bound: []Term{f.Apply(a)}, Body: p}), "forall q"},
		{"body not a formula", bound(Quantifier{ID: "q", Bound: []Term{a}, Body: f.Apply(a)}), "forall q"},
		{"pattern misses a variable", bound(Quantifier{ID: "q", Bound: []Term{a, i}, Patterns: [][]Term{{f.Apply(a)}}, Body: p}), "forall q"},
		{"pattern is a variable", bound(Quantifier{ID: "q", Bound: []Term{a}, Patterns: [][]Term{{a}}, Body: c.Eq(a, a)}), "not an application"},
		{"pattern is empty", bound(Quantifier{ID: "q", Bound: []Term{a}, Patterns: [][]Term{{}}, Body: c.Eq(a, a)}), "empty pattern"},
		{"not a formula", i, "assert"},
	}
	s := newSolver(t, c, SolverConfig{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := s.Assert(tt.term)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("assert: %v, want an error with %q", err, tt.want)
			}
			if e := (*Error)(nil); !errors.As(err, &e) || e.Code == 0 {
				t.Errorf("%#v is not an *Error with a code", err)
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("error of several lines: %v", err)
			}
			if tt.term.Err() != nil && !strings.HasPrefix(tt.term.String(), "!(") {
				t.Errorf("String %q", tt.term)
			}
		})
	}
	wantCheck(t, s, Sat) // nothing ill formed got in
}

func TestParameters(t *testing.T) {
	c := newContext(t)
	for _, p := range []Param{{"smt.qi.eager_threshold", 5.0}, {"unsat_core", true}, {"random_seed", uint32(3)}, {"logic", "QF_UF"}} {
		if _, err := c.NewSolver(SolverConfig{Params: []Param{p}}); err != nil {
			t.Errorf("%v: %v", p, err)
		}
	}
	full := SolverConfig{Timeout: time.Microsecond, RLimit: 1, Seed: 7, EMatchingOnly: true}
	if _, err := c.NewSolver(full); err != nil {
		t.Errorf("%+v: %v", full, err)
	}
	for _, p := range []Param{{"no_such", true}, {"timeout", -1}, {"timeout", true}} {
		if _, err := c.NewSolver(SolverConfig{Params: []Param{p}}); err == nil {
			t.Errorf("%v: no error", p)
		}
	}
	if _, err := NewContext(Config{Params: []Param{{"no_such", true}}}); err == nil {
		t.Error("context took an unknown parameter")
	}
	if c2, err := NewContext(Config{Params: []Param{{"model", false}}}); err != nil {
		t.Error(err)
	} else {
		must(t, c2.Close())
	}
	if !strings.HasPrefix(Version(), "4.") {
		t.Errorf("version %q", Version())
	}
}

func TestIntegers(t *testing.T) {
	c := newContext(t)
	s := newSolver(t, c, SolverConfig{})
	i := c.IntVal
	// The remainder is never negative: -7 = 2·(-4) + 1.
	for _, f := range []Term{
		c.Eq(c.Mod(i(-7), i(2)), i(1)),
		c.Eq(c.Sub(i(9), i(4), i(2)), c.Add(i(1), i(1), i(1))),
		c.Lt(i(1<<62), c.BigInt("4611686018427387905")),
		c.Ite(c.Le(i(1), i(2)), c.Lt(i(1), i(2)), c.False()),
		c.Iff(c.Or(), c.Not(c.And())),
	} {
		must(t, s.Push())
		must(t, s.Assert(c.Not(f)))
		wantCheck(t, s, Unsat)
		must(t, s.Pop())
	}
}

func TestCloseAndReuse(t *testing.T) {
	c, err := NewContext(Config{})
	must(t, err)
	s := newSolver(t, c, SolverConfig{})
	x := c.Const("x", c.Int())
	must(t, s.Assert(c.Lt(x, x)))
	must(t, c.Close())
	must(t, c.Close())
	must(t, s.Close())
	_, checkErr := s.Check(context.Background())
	_, solverErr := c.NewSolver(SolverConfig{})
	for name, err := range map[string]error{
		"check": checkErr, "new solver": solverErr, "push": s.Push(), "term": x.Err(),
		"new term": c.IntVal(1).Err(), "built": c.Add(x, x).Err(), "const": c.Const("y", c.Int()).Err(), "sort": c.Uninterpreted("V").Err(),
	} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s after close: %v", name, err)
		}
	}
	_ = x.String()
	_ = x.Sort().String()
}

func TestSecondUserIsToldOff(t *testing.T) {
	c := newContext(t)
	s := newSolver(t, c, SolverConfig{})
	must(t, s.Assert(hard(c)))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := s.Check(ctx)
		done <- err
	}()
	for !c.busy.Load() {
		time.Sleep(time.Millisecond)
	}
	if err := c.IntVal(1).Err(); !errors.Is(err, ErrBusy) {
		t.Errorf("term during a check: %v", err)
	}
	if err := c.Close(); !errors.Is(err, ErrBusy) {
		t.Errorf("close during a check: %v", err)
	}
	cancel()
	must(t, <-done)
}

func TestContextsAreIndependent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			c, err := NewContext(Config{})
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			b := newBinop(c)
			s, err := c.NewSolver(SolverConfig{EMatchingOnly: true})
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Assert(b.associativity()); err != nil {
				t.Error(err)
			}
			for i := range 25 {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				x := b.con(fmt.Sprint("v", g, "_", i))
				l, r := b.op(b.op(b.op(x, x), x), x), b.op(x, b.op(x, b.op(x, x)))
				err := errors.Join(s.Push(), s.Assert(c.Not(c.Eq(l, r))))
				st, cerr := s.Check(ctx)
				if err := errors.Join(err, cerr, s.Pop()); err != nil || st != Unsat {
					t.Errorf("goroutine %d, goal %d: %v (%s), %v", g, i, st, s.ReasonUnknown(), err)
				}
				_ = f(c, i).Err() // errors of one context stay there
				cancel()
			}
		})
	}
	wg.Wait()
}

// f is an ill-sorted term.
func f(c *Context, i int) Term { return c.Not(c.IntVal(int64(i))) }
