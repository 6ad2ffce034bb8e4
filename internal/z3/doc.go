// Package z3 is the little of the Z3 C API that github.com/mitchellh/go-z3
// lacks and a prover of tensor laws needs: uninterpreted sorts and functions,
// quantifiers with patterns, solver parameters, unsat cores as labels,
// statistics, and checks that a context.Context can interrupt.
// Configuration and the life of a context stay go-z3's.
//
// # Words
//
//   - A context owns sorts, functions, terms and solvers. One goroutine at a
//     time may use it and what it owns; different contexts are independent.
//   - A term is an expression of some sort; a formula is a term of sort Bool.
//   - A label names asserted formulas, so that an unsat core can be told in the
//     caller's words. A core is a subset of the labels whose formulas (with the
//     unlabelled ones) are already inconsistent; it is minimal when no label
//     can be left out.
//   - E-matching instantiates a quantified formula where a pattern matches a
//     term that occurs in the problem, up to the equalities known so far
//     (Detlefs, Nelson, Saxe, "Simplify: a theorem prover for program
//     checking", JACM 52(3), 2005; de Moura, Bjørner, "Efficient E-matching for
//     SMT solvers", CADE 2007). MBQI, model-based instantiation, is Z3's other
//     way; it decides more and can burn a whole time limit on a false goal.
//     [SolverConfig.EMatchingOnly] switches it off.
//
// # Errors
//
// Nothing here ends the process. Z3's own error handler, which calls exit, is
// replaced when a context is made, and the error code is read after every call.
// A function that builds a term returns it even when it is ill formed: the term
// then carries the error ([Term.Err]), so does every term built from it, and
// asserting it returns it. This keeps nested terms readable and loses nothing.
//
// # Memory
//
// go-z3 makes contexts without reference counts (Z3_mk_context): Z3 keeps every
// sort, function and term until [Context.Close]. Terms can therefore never
// dangle, and two equal terms are the same term; the price is that a context
// only grows. A warm prover closes its context and makes another after some
// thousands of goals. Solvers, statistics and parameter sets are counted by Z3 in any case and are released
// by [Solver.Close] (or Context.Close) and after each call.
//
// # Time
//
// [Solver.Check] ends with [Unknown] soon after its context.Context ends:
// a watchdog interrupts Z3, again and again until it listens. Z3 looks at
// that flag only now and then, and its own Timeout parameter has the same
// weakness. RLimit counts Z3's own steps instead of seconds, and so gives the
// same answer on a slow machine and on a fast one.
package z3
