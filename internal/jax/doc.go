// Package jax is about JAX: what it calls our operators, and a way to run it.
//
// [Operators] is the one table of operators as JAX has them, as Python functions.
// [Runtime.Grad] differentiates graphs with it, for tests: a second opinion that shares no
// code with ours. The graph goes as its text; the script computes each operator by what
// JAX calls it, and jax.vjp takes the derivatives back. Programs that parallel/export
// writes have copies of the functions that they need.
//
// JAX is used through Python, in a process of its own. [Find] looks for a Python that can
// import it: $TASO_JAX_PYTHON, then python3. Where there is none, callers skip.
// scripts/jax installs one.
//
//	graph's text, inputs, derivatives by the outputs ─► python3 -c script ─► jax.vjp ─► those by the inputs
package jax
