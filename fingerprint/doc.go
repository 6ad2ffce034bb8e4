// Package fingerprint evaluates graphs exactly on random inputs and hashes
// the results, so that equal graphs meet in one bucket.
//
// Arithmetic is in the integers modulo the prime p = 2^61 - 1 ([Zp]), where
// every number but zero has an inverse: averages divide. Pointwise functions
// are keyed random functions and the maximum is taken in a keyed random order,
// so that an equality found here holds for every activation and for every
// total order (track A). Laws that need the true relu and maximum are
// found with exact rationals on small integers (ordered laws, interp.Rational).
//
// Two graphs that differ as polynomials of degree at most d agree on random
// inputs with probability at most d/p per seed (Schwartz-Zippel);
// [CollisionBound] adds this up over all pairs a run compares.
//
// References: TASO (Jia et al., SOSP 2019) section 2, Mirage (Wu et al., OSDI
// 2025) section 5, Schwartz 1980.
package fingerprint
