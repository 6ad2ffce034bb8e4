package z3

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	goz3 "github.com/mitchellh/go-z3"
)

// Code is Z3's kind of error (Z3_error_code).
type Code uint

// The codes a caller may want to tell apart. An ill-sorted application has
// CodeException or CodeSort: Z3 reports it with either.
const (
	CodeSort           Code = 1
	CodeOutOfBounds    Code = 2
	CodeInvalidArg     Code = 3
	CodeParser         Code = 4
	CodeInvalidPattern Code = 6
	CodeMemory         Code = 7
	CodeInternal       Code = 9
	CodeInvalidUsage   Code = 10
	CodeException      Code = 12
)

// Error is an error that Z3 reported, or a misuse caught before it reached Z3.
type Error struct {
	Op   string // what was being done, as "apply f"
	Code Code   // Z3's error code
	Msg  string // Z3's message, its first line
}

func (e *Error) Error() string { return fmt.Sprintf("z3: %s: %s", e.Op, e.Msg) }

var (
	// ErrClosed is the error of using a context, or what it owned, after Close.
	ErrClosed = errors.New("z3: context or solver is closed")
	// ErrBusy is the error of a second check in a context in which one is running.
	ErrBusy = errors.New("z3: context is in use by another goroutine")
)

// Config configures a context. The zero value is Z3's default.
type Config struct {
	// Params are settings of the whole context, in the words of Z3's
	// Z3_mk_config: "proof", "model", "unsat_core", "auto_config",
	// "well_sorted_check", "model_validate", "timeout", "rlimit", "trace",
	// "trace_file_name", "debug_ref_count", "type_check", "dump_models",
	// "smtlib2_compliant", "encoding". Settings of a solver go to [SolverConfig].
	Params []Param
}

var contextParams = []string{
	"auto_config", "debug_ref_count", "dump_models", "encoding", "model", "model_validate", "proof", "rlimit",
	"smtlib2_compliant", "timeout", "trace", "trace_file_name", "type_check", "unsat_core", "well_sorted_check",
}

// Param is one setting of Z3 by name. Value is a bool, uint32, float64 or, for
// a symbol, string.
type Param struct {
	Name  string
	Value any
}

// Context owns sorts, functions, terms and solvers. It must be used by one
// goroutine at a time, and closed with [Context.Close].
type Context struct {
	goz    *goz3.Context
	raw    raw
	busy   atomic.Bool // a check is running
	closed bool

	boolean, integer Sort
	labels           map[string]raw // literal of each label, made once for all solvers
	labelOf          map[raw]string
	solvers          map[*Solver]struct{}
}

// quiet keeps Z3's warnings off stderr; what they warn of is also an error. (The
// direct switch, Z3_toggle_warning_messages, is undone by the next new context.)
var quiet = sync.OnceFunc(rawQuiet)

// NewContext makes a context. It fails on an unknown parameter.
func NewContext(cfg Config) (*Context, error) {
	quiet()
	g := goz3.NewConfig()
	defer g.Close()
	for _, p := range cfg.Params {
		if !slices.Contains(contextParams, p.Name) {
			return nil, &Error{Op: "new context", Code: CodeInvalidArg, Msg: "unknown parameter " + p.Name}
		}
		g.SetParamValue(p.Name, fmt.Sprint(p.Value))
	}
	c := &Context{
		goz:     goz3.NewContext(g),
		labels:  map[string]raw{},
		labelOf: map[raw]string{},
		solvers: map[*Solver]struct{}{},
	}
	if c.raw = rawContext(c.goz); c.raw == 0 {
		return nil, &Error{Op: "new context", Code: CodeMemory, Msg: "no context"}
	}
	for _, s := range []struct {
		to   *Sort
		make func() (raw, error)
	}{{&c.boolean, c.rawBoolSort}, {&c.integer, c.rawIntSort}} {
		r, err := s.make()
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		*s.to = Sort{c: c, raw: r}
	}
	return c, nil
}

// Close frees the context and everything it owns, its solvers included. A
// second Close does nothing. While a check runs it fails with [ErrBusy].
func (c *Context) Close() error {
	if c.closed {
		return nil
	}
	if !c.busy.CompareAndSwap(false, true) {
		return ErrBusy
	}
	for s := range c.solvers {
		s.closed = true
		s.rawFree()
	}
	c.closed, c.solvers = true, nil
	return c.goz.Close()
}

// ready tells whether the context may be entered.
func (c *Context) ready() error {
	if c == nil || c.closed {
		return ErrClosed
	}
	if c.busy.Load() {
		return ErrBusy
	}
	return nil
}

// Version is the version of the Z3 library in use, as "4.8.12.0".
func Version() string {
	a, b, c, d := rawVersion()
	return fmt.Sprintf("%d.%d.%d.%d", a, b, c, d)
}
