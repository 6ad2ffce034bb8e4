// Package general states pairs of terms that agree in one concrete case, the one
// that package enumerate walks, as laws. Sizes of the case coincide on purpose, so
// agreement there is only a hint: a law is tested on fresh random sizes, strides
// and paddings.
//
// # Words
//
//   - pair: two terms with the case's literal attributes, and the variables' sizes
//     there ([Pair]). It is typed anew with a size variable per axis, and the
//     equations between sizes that both sides need are solved.
//   - form: how general strides, paddings, kernels, cuts and groups of a law are
//     ([Form]). The most general one in which the pair holds makes the law
//     ([Tester.Widen]); the prover asks for less general ones ([Pair.Narrower]).
//   - broaden: to state a law for more operators and ranks than it was found for
//     ([Tester.Broaden]).
//   - composite: an operator as networks have it that laws write with several, such
//     as the sum of rows and a bias. Its typing is principal, also where that of a
//     reshape, which names the shape it makes, is not. It is written out in every law
//     ([WriteOut]).
package general
