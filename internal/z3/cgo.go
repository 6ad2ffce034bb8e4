package z3

// This file holds every call into Z3's C API; the other files are plain Go.
// Handles of Z3 objects cross the border as integers: Go's garbage collector
// has no business with them, and the argument arrays then need no pointer checks.

/*
#cgo LDFLAGS: -lz3
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <z3.h>

typedef uintptr_t h;                          // any handle
typedef struct { h v; unsigned code; } res;   // a handle, and the error code

static void ignore(Z3_context c, Z3_error_code e) { (void)c; (void)e; }
// Without a handler of ours Z3 prints the error and calls exit.
static void t_no_exit(h c) { Z3_set_error_handler((Z3_context)c, ignore); }

#define CTX ((Z3_context)c)
#define RES(e) do { res r; r.v = (h)(e); r.code = (unsigned)Z3_get_error_code(CTX); return r; } while (0)
#define VOID(e) do { e; return (unsigned)Z3_get_error_code(CTX); } while (0)
#define ARG(i) ((Z3_ast)a[i])

static const char *t_error(h c, unsigned code) { return Z3_get_error_msg(CTX, (Z3_error_code)code); }

static res t_usort(h c, const char *n) { RES(Z3_mk_uninterpreted_sort(CTX, Z3_mk_string_symbol(CTX, n))); }
static res t_int_sort(h c) { RES(Z3_mk_int_sort(CTX)); }
static res t_bool_sort(h c) { RES(Z3_mk_bool_sort(CTX)); }
static const char *t_sort_str(h c, h s) { return Z3_sort_to_string(CTX, (Z3_sort)s); }

static res t_func(h c, const char *n, unsigned k, const h *dom, h ran) {
	RES(Z3_mk_func_decl(CTX, Z3_mk_string_symbol(CTX, n), k, (Z3_sort const *)dom, (Z3_sort)ran));
}
static res t_app(h c, h f, unsigned n, const h *a) { RES(Z3_mk_app(CTX, (Z3_func_decl)f, n, (Z3_ast const *)a)); }
static res t_fresh(h c, const char *prefix, h s) { RES(Z3_mk_fresh_const(CTX, prefix, (Z3_sort)s)); }
static res t_int64(h c, int64_t v, h s) { RES(Z3_mk_int64(CTX, v, (Z3_sort)s)); }
static res t_numeral(h c, const char *v, h s) { RES(Z3_mk_numeral(CTX, v, (Z3_sort)s)); }
static res t_sort_of(h c, h a) { RES(Z3_get_sort(CTX, (Z3_ast)a)); }
static const char *t_str(h c, h a) { return Z3_ast_to_string(CTX, (Z3_ast)a); }

enum { TRUE_, FALSE_, NOT_, AND_, OR_, IMPLIES_, IFF_, EQ_, ITE_, ADD_, SUB_, MUL_, MOD_, LE_, LT_ };
// t_op trusts its caller for the number of arguments; Z3 checks their sorts.
static res t_op(h c, int op, unsigned n, const h *a) {
	Z3_ast const *v = (Z3_ast const *)a;
	switch (op) {
	case TRUE_: RES(Z3_mk_true(CTX));
	case FALSE_: RES(Z3_mk_false(CTX));
	case NOT_: RES(Z3_mk_not(CTX, ARG(0)));
	case AND_: RES(Z3_mk_and(CTX, n, v));
	case OR_: RES(Z3_mk_or(CTX, n, v));
	case IMPLIES_: RES(Z3_mk_implies(CTX, ARG(0), ARG(1)));
	case IFF_: RES(Z3_mk_iff(CTX, ARG(0), ARG(1)));
	case EQ_: RES(Z3_mk_eq(CTX, ARG(0), ARG(1)));
	case ITE_: RES(Z3_mk_ite(CTX, ARG(0), ARG(1), ARG(2)));
	case ADD_: RES(Z3_mk_add(CTX, n, v));
	case SUB_: RES(Z3_mk_sub(CTX, n, v));
	case MUL_: RES(Z3_mk_mul(CTX, n, v));
	case MOD_: RES(Z3_mk_mod(CTX, ARG(0), ARG(1)));
	case LE_: RES(Z3_mk_le(CTX, ARG(0), ARG(1)));
	case LT_: RES(Z3_mk_lt(CTX, ARG(0), ARG(1)));
	}
	res r = { 0, Z3_INVALID_USAGE };
	return r;
}

static res t_pattern(h c, unsigned n, const h *a) { RES(Z3_mk_pattern(CTX, n, (Z3_ast const *)a)); }
static bool t_is_app(h c, h a) { return Z3_is_app(CTX, (Z3_ast)a); }
static res t_quant(h c, unsigned weight, const char *id, unsigned nb, const h *bound, unsigned np, const h *pats, h body) {
	Z3_symbol q = Z3_mk_string_symbol(CTX, id);
	RES(Z3_mk_quantifier_const_ex(CTX, true, weight, q, q, nb, (Z3_app const *)bound, np, (Z3_pattern const *)pats, 0, 0, (Z3_ast)body));
}

static res t_solver(h c) {
	Z3_solver s = Z3_mk_simple_solver(CTX);
	if (s) {
		Z3_solver_inc_ref(CTX, s);
		// Makes Z3 build the solver now: until then it takes any parameter.
		Z3_solver_get_num_scopes(CTX, s);
	}
	RES(s);
}
#define SOL ((Z3_solver)s)
static void t_solver_free(h c, h s) { Z3_solver_dec_ref(CTX, SOL); }
static unsigned t_assert(h c, h s, h a) { VOID(Z3_solver_assert(CTX, SOL, (Z3_ast)a)); }
static unsigned t_push(h c, h s) { VOID(Z3_solver_push(CTX, SOL)); }
static unsigned t_pop(h c, h s, unsigned n) { VOID(Z3_solver_pop(CTX, SOL, n)); }
static void t_interrupt(h c, h s) { Z3_solver_interrupt(CTX, SOL); }
typedef struct { int v; unsigned code; } lbool;
static lbool t_check(h c, h s, unsigned n, const h *a) {
	lbool r;
	r.v = n ? Z3_solver_check_assumptions(CTX, SOL, n, (Z3_ast const *)a) : Z3_solver_check(CTX, SOL);
	r.code = (unsigned)Z3_get_error_code(CTX);
	return r;
}
static const char *t_reason(h c, h s) { return Z3_solver_get_reason_unknown(CTX, SOL); }

static res t_core(h c, h s) {
	Z3_ast_vector v = Z3_solver_get_unsat_core(CTX, SOL);
	if (v) Z3_ast_vector_inc_ref(CTX, v);
	RES(v);
}
static unsigned t_vec_len(h c, h v) { return Z3_ast_vector_size(CTX, (Z3_ast_vector)v); }
static h t_vec_at(h c, h v, unsigned i) { return (h)Z3_ast_vector_get(CTX, (Z3_ast_vector)v, i); }
static void t_vec_free(h c, h v) { Z3_ast_vector_dec_ref(CTX, (Z3_ast_vector)v); }

static res t_stats(h c, h s) {
	Z3_stats t = Z3_solver_get_statistics(CTX, SOL);
	if (t) Z3_stats_inc_ref(CTX, t);
	RES(t);
}
#define STA ((Z3_stats)t)
static unsigned t_stats_len(h c, h t) { return Z3_stats_size(CTX, STA); }
static const char *t_stats_key(h c, h t, unsigned i) { return Z3_stats_get_key(CTX, STA, i); }
static double t_stats_val(h c, h t, unsigned i) {
	return Z3_stats_is_uint(CTX, STA, i) ? (double)Z3_stats_get_uint_value(CTX, STA, i) : Z3_stats_get_double_value(CTX, STA, i);
}
static void t_stats_free(h c, h t) { Z3_stats_dec_ref(CTX, STA); }

enum { P_BOOL, P_UINT, P_DOUBLE, P_SYMBOL };
static unsigned t_param(h c, h s, const char *name, int kind, unsigned u, double d, const char *str) {
	Z3_params p = Z3_mk_params(CTX);
	Z3_symbol k = Z3_mk_string_symbol(CTX, name);
	unsigned code;
	Z3_params_inc_ref(CTX, p);
	switch (kind) {
	case P_BOOL: Z3_params_set_bool(CTX, p, k, u != 0); break;
	case P_UINT: Z3_params_set_uint(CTX, p, k, u); break;
	case P_DOUBLE: Z3_params_set_double(CTX, p, k, d); break;
	case P_SYMBOL: Z3_params_set_symbol(CTX, p, k, Z3_mk_string_symbol(CTX, str)); break;
	}
	Z3_solver_set_params(CTX, SOL, p);
	code = (unsigned)Z3_get_error_code(CTX);
	Z3_params_dec_ref(CTX, p); // resets the error code, but keeps the error's message
	return code;
}

*/
import "C"

import (
	"strings"
	"unsafe"

	goz3 "github.com/mitchellh/go-z3"
)

// raw is a handle of a Z3 object; 0 is none.
type raw = C.h

type op = C.int

// The operators of [Context.op].
const (
	opTrue    op = C.TRUE_
	opFalse   op = C.FALSE_
	opNot     op = C.NOT_
	opAnd     op = C.AND_
	opOr      op = C.OR_
	opImplies op = C.IMPLIES_
	opIff     op = C.IFF_
	opEq      op = C.EQ_
	opIte     op = C.ITE_
	opAdd     op = C.ADD_
	opSub     op = C.SUB_
	opMul     op = C.MUL_
	opMod     op = C.MOD_
	opLe      op = C.LE_
	opLt      op = C.LT_
)

// rawContext is the handle inside go-z3's context, made safe to use: an error
// sets a code instead of ending the process.
func rawContext(g *goz3.Context) raw {
	r := raw(uintptr(unsafe.Pointer(g.Z3Value())))
	if r != 0 {
		C.t_no_exit(r)
	}
	return r
}

// array is the C view of a slice of handles, nil for an empty one. The slice
// holds integers, so passing its address obeys cgo's rules.
func array(a []raw) *C.h {
	if len(a) == 0 {
		return nil
	}
	return &a[0]
}

func (c *Context) fail(what string, code C.uint) error {
	msg := C.GoString(C.t_error(c.raw, code))
	// Z3 answers an unknown parameter with the list of all it knows.
	msg, _, _ = strings.Cut(msg, "\n")
	return &Error{Op: what, Code: Code(code), Msg: msg}
}

func (c *Context) handle(what string, r C.res) (raw, error) {
	if r.code != 0 {
		return 0, c.fail(what, r.code)
	}
	if r.v == 0 {
		return 0, &Error{Op: what, Code: CodeInternal, Msg: "no result and no error code"}
	}
	return r.v, nil
}

func (c *Context) void(what string, code C.uint) error {
	if code != 0 {
		return c.fail(what, code)
	}
	return nil
}

// withString lends s to f as a C string.
func withString[T any](s string, f func(*C.char) T) T {
	p := C.CString(s)
	defer C.free(unsafe.Pointer(p))
	return f(p)
}

func (c *Context) named(what, name string, f func(*C.char) C.res) (raw, error) {
	if strings.IndexByte(name, 0) >= 0 {
		return 0, &Error{Op: what, Code: CodeInvalidArg, Msg: "name with a NUL byte"}
	}
	return c.handle(what, withString(name, f))
}

func (c *Context) rawUninterpreted(name string) (raw, error) {
	return c.named("sort "+name, name, func(n *C.char) C.res { return C.t_usort(c.raw, n) })
}
func (c *Context) rawIntSort() (raw, error)  { return c.handle("sort Int", C.t_int_sort(c.raw)) }
func (c *Context) rawBoolSort() (raw, error) { return c.handle("sort Bool", C.t_bool_sort(c.raw)) }
func (c *Context) rawSortString(s raw) string {
	return C.GoString(C.t_sort_str(c.raw, s))
}

func (c *Context) rawFunc(name string, domain []raw, rng raw) (raw, error) {
	return c.named("function "+name, name, func(n *C.char) C.res {
		return C.t_func(c.raw, n, C.uint(len(domain)), array(domain), rng)
	})
}
func (c *Context) rawFresh(prefix string, sort raw) (raw, error) {
	return c.named("label "+prefix, prefix, func(n *C.char) C.res { return C.t_fresh(c.raw, n, sort) })
}
func (c *Context) rawNumeral(digits string, sort raw) (raw, error) {
	return c.named("numeral "+digits, digits, func(n *C.char) C.res { return C.t_numeral(c.raw, n, sort) })
}
func (c *Context) rawInt64(v int64, sort raw) (raw, error) {
	return c.handle("integer", C.t_int64(c.raw, C.int64_t(v), sort))
}
func (c *Context) rawApp(name string, f raw, args []raw) (raw, error) {
	r := C.t_app(c.raw, f, C.uint(len(args)), array(args))
	if r.code != 0 {
		return 0, c.fail("apply "+name, r.code)
	}
	return c.handle("apply", r)
}
func (c *Context) rawOp(what string, o op, args []raw) (raw, error) {
	return c.handle(what, C.t_op(c.raw, o, C.uint(len(args)), array(args)))
}
func (c *Context) rawSortOf(a raw) (raw, error) { return c.handle("sort of", C.t_sort_of(c.raw, a)) }
func (c *Context) rawString(a raw) string       { return C.GoString(C.t_str(c.raw, a)) }
func (c *Context) rawIsApp(a raw) bool          { return bool(C.t_is_app(c.raw, a)) }

func (c *Context) rawPattern(what string, terms []raw) (raw, error) {
	return c.handle(what, C.t_pattern(c.raw, C.uint(len(terms)), array(terms)))
}
func (c *Context) rawQuantifier(what, id string, weight uint, bound, patterns []raw, body raw) (raw, error) {
	return c.named(what, id, func(n *C.char) C.res {
		return C.t_quant(c.raw, C.uint(weight), n, C.uint(len(bound)), array(bound),
			C.uint(len(patterns)), array(patterns), body)
	})
}

func (c *Context) rawSolver() (raw, error) {
	return c.handle("new solver", C.t_solver(c.raw))
}
func (s *Solver) rawFree()              { C.t_solver_free(s.c.raw, s.raw) }
func (s *Solver) rawAssert(a raw) error { return s.c.void("assert", C.t_assert(s.c.raw, s.raw, a)) }
func (s *Solver) rawPush() error        { return s.c.void("push", C.t_push(s.c.raw, s.raw)) }
func (s *Solver) rawPop(n int) error    { return s.c.void("pop", C.t_pop(s.c.raw, s.raw, C.uint(n))) }

// rawInterrupt is the one call that another goroutine may make during a check.
// (Z3_interrupt also stops the whole context; this stops only the solver and,
// outside a check, does nothing.)
func (s *Solver) rawInterrupt() { C.t_interrupt(s.c.raw, s.raw) }

func (s *Solver) rawCheck(assumptions []raw) (Status, error) {
	r := C.t_check(s.c.raw, s.raw, C.uint(len(assumptions)), array(assumptions))
	if r.code != 0 {
		return Unknown, s.c.fail("check", r.code)
	}
	switch r.v {
	case C.Z3_L_TRUE:
		return Sat, nil
	case C.Z3_L_FALSE:
		return Unsat, nil
	}
	return Unknown, nil
}
func (s *Solver) rawReason() string { return C.GoString(C.t_reason(s.c.raw, s.raw)) }

func (s *Solver) rawCore() ([]raw, error) {
	v, err := s.c.handle("unsat core", C.t_core(s.c.raw, s.raw))
	if err != nil {
		return nil, err
	}
	defer C.t_vec_free(s.c.raw, v)
	core := make([]raw, C.t_vec_len(s.c.raw, v))
	for i := range core {
		core[i] = C.t_vec_at(s.c.raw, v, C.uint(i))
	}
	return core, nil
}

func (s *Solver) rawStatistics() (map[string]float64, error) {
	t, err := s.c.handle("statistics", C.t_stats(s.c.raw, s.raw))
	if err != nil {
		return nil, err
	}
	defer C.t_stats_free(s.c.raw, t)
	out := map[string]float64{}
	for i := range C.t_stats_len(s.c.raw, t) {
		out[C.GoString(C.t_stats_key(s.c.raw, t, i))] = float64(C.t_stats_val(s.c.raw, t, i))
	}
	return out, nil
}

func (s *Solver) rawSet(p Param) error {
	var (
		kind C.int
		u    C.uint
		d    C.double
		str  string
	)
	switch v := p.Value.(type) {
	case bool:
		kind = C.P_BOOL
		if v {
			u = 1
		}
	case uint32:
		kind, u = C.P_UINT, C.uint(v)
	case float64:
		kind, d = C.P_DOUBLE, C.double(v)
	case string:
		kind, str = C.P_SYMBOL, v
	default:
		return &Error{Op: "parameter " + p.Name, Code: CodeInvalidArg, Msg: "value is none of bool, uint32, float64, string"}
	}
	return s.c.void("parameter "+p.Name, withString(p.Name, func(name *C.char) C.uint {
		return withString(str, func(sv *C.char) C.uint {
			return C.t_param(s.c.raw, s.raw, name, kind, u, d, sv)
		})
	}))
}

// rawQuiet keeps Z3 from writing warnings to the terminal.
func rawQuiet() {
	n, v := C.CString("warning"), C.CString("false")
	defer C.free(unsafe.Pointer(n))
	defer C.free(unsafe.Pointer(v))
	C.Z3_global_param_set(n, v)
}

func rawVersion() (major, minor, build, revision uint) {
	var a, b, c, d C.uint
	C.Z3_get_version(&a, &b, &c, &d)
	return uint(a), uint(b), uint(c), uint(d)
}
