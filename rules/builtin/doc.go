// Package builtin holds the laws that come with the program beside the axioms: those
// by which the networks of the papers are rewritten, by which heads of attention are
// merged, by which parts of weights are taken, by which language models are rewritten, and
// by which operands are exchanged.
//
// Certificates has the proofs of the lemmas of package axioms and of the laws of this
// package: from axioms and lemmas where the e-graph finds one, from what their operators
// compute (package verify/meaning) where it does not. After a change of laws, axioms or
// lemmas "go generate" writes the certificates again.
//
//	networks.rules   merge, split, enlarge and fold   ─┐
//	heads.rules      merge what is parted in heads     ├─► All ─► optimized by, with axioms and lemmas
//	parts.rules      take parts of weights             │
//	language.rules   share keys, move gains and signs  │
//	simplify.rules   remove what changes nothing       │
//	exchanges.rules  exchange operands                ─┘
//
// # Laws that the axioms have, too
//
// These are instances of an axiom or a lemma of package axioms, which is named beside
// them:
//
//	sum_products        matmul_concat_inner
//	fuse_relu           conv_relu
//	sum_convs           conv_concat_in
//	fold_batchnorm      batchnorm_conv
//	put_together        concat_slice
//	all_parts           slice_all
//	part_of_part        slice_slice
//	groups_beside       conv_concat_groups
//	slice_bias_columns  lead_slice
//	part_and_join       reshape_part_join
//	join_and_part       reshape_join_part
//	transpose_slice_front  transpose_slice
//	transpose_slice_keys   transpose_slice
//	relu_twice          relu_relu
//	clip_after_relu     clip_relu
//
// and lift_function and lift_sum are slice_pointwise and slice_ewadd written the other way
// round. They stay, because these laws are also used without the axioms: the rewritten
// forms of bench/models are made by them alone, and a saturation by them alone finds in
// some networks what one by all laws does not, as e-graphs end at a number of nodes. Beside
// the axioms a search finds such a move twice. Searches without them came to cheaper
// networks of some models and to dearer ones of others.
package builtin
