// Package eggrun runs programs of egglog in a process of its own, for tests and
// comparisons.
//
// It looks for a Python that can import egglog (pip install egglog): $TASO_EGGLOG_PYTHON,
// then python3. Where there is none, Python says so, and tests skip.
package eggrun
