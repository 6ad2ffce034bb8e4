package check_test

import "testing"

// The checker's rules for operators that lay tensors out over a mesh, and for operators on
// each member of families, say what inference says.
func TestLayoutShapes(t *testing.T) {
	const given = " given X : [a, g*b, c], Y : [g*b], F : [g, P.., a, b], V : [h, g, P.., a, b], S : [P.., a, b], K : [g, b, c], L : [g, a, b], M : [g], N : [6], T : [P..], J : [g, k], I : [g, 2, c, 5, 7], W : [g, 3, c, 3, 3]\n"
	for _, c := range []struct {
		term string
		ok   bool
	}{
		{"partition[axis=1, on=g](X)", true}, {"partition[axis=1, on=b](X)", true}, {"partition[axis=1, on=g*b](X)", true}, {"partition[axis=0, on=g](X)", false},
		{"partition[axis=0, on=3](N)", true}, {"partition[axis=0, on=4](N)", false}, {"partition[axis=0, on=0](N)", false}, {"partition[axis=0, on=-3](N)", false},
		{"partition[axis=3, on=g](X)", false}, {"partition[axis=#P, on=a](S)", true}, {"partition[axis=0, on=a](T)", false}, {"partition[axis=0, on=12](N)", false},
		{"combine[axis=#P](F)", true}, {"combine[axis=#P+2](F)", false}, {"combine[axis=0](Y)", false}, {"combine[axis=0](S)", false}, {"combine[axis=1](X)", true},
		{"replicate[on=g](T)", true}, {"replicate[on=0](T)", false}, {"lift[on=g+2](S)", true}, {"lift[on=-g](S)", false}, {"lift[on=a-1](Y)", true},
		{"reduce(F)", true}, {"reduce(M)", true}, {"reduce(T)", false}, {"reduce(S)", false}, {"drop(F)", true}, {"drop(S)", false}, {"drop(drop(M))", false},
		{"halo[axis=#P, before=1, after=0](F)", true}, {"halo[axis=#P, before=b, after=a](F)", true}, {"halo[axis=0, before=3, after=0](M)", false},
		{"halo[axis=1, before=-1, after=0](X)", false}, {"halo[axis=0, before=7, after=0](N)", false}, {"halo[axis=#P, before=0, after=0](S)", false},
		{"allreduce(F)", true}, {"allreduce(T)", false}, {"reducescatter[axis=1](reshape[shape=[g, a, g*b, c]](replicate[on=g](X)))", true}, {"reducescatter[axis=0](K)", false},
		{"allgather[axis=#P](F)", true}, {"allgather[axis=2](K)", false}, {"alltoall[split=0, concat=1](replicate[on=g](transpose[perm=(1, 0, 2)](X)))", true}, {"alltoall[split=1, concat=0](K)", false},
		{"alltoall[split=0, concat=0](K)", true}, {"pipeline[axis=1, on=g](X)", true}, {"pipeline[axis=0, on=g](X)", false}, {"pipeline[axis=1, on=0](X)", false}, {"batch[axis=#P](F)", true}, {"batch[axis=0](M)", false},
		{"each_allreduce[over=[h]](V)", true}, {"each_allgather[over=[h], axis=#P](V)", true}, {"each_pipeline[over=[g], axis=0, on=b](K)", true},
		{"each_softmax[over=[g], axis=#P](F)", true}, {"each_softmax[over=[g], axis=#P+2](F)", false}, {"each_softmax[over=[h], axis=0](K)", false},
		{"each_softmax[over=[], axis=#P](S)", true}, {"each_softmax[over=[P..], axis=1](S)", true}, {"each_softmax[over=[P..], axis=2](S)", false},
		{"each_concat[over=[g], axis=1](K, L)", false}, {"each_concat[over=[g], axis=0](K, K)", true}, {"each_concat[over=[g, b], axis=0](K, K)", true},
		{"each_slice[over=[g], axis=0, lo=1, hi=b](K)", true}, {"each_slice[over=[g], axis=2, lo=1, hi=b](K)", false},
		{"each_split[over=[g], axis=0, at=1](K).1", true}, {"each_split[over=[g], axis=0, at=b+1](K).0", false}, {"each_split[over=[], axis=0, at=1](K).1", true},
		{"each_transpose[over=[g], perm=(1, 0)](K)", true}, {"each_transpose[over=[g], perm=(2, 0, 1)](K)", false}, {"each_transpose[over=[P..], perm=(1, 0)](S)", true},
		{"each_reducesum[over=[g], axes=(1)](K)", true}, {"each_reducesum[over=[g], axes=(2)](K)", false}, {"each_reducesum[over=[P..], axes=(0)](S)", true},
		{"each_reshape[over=[g], shape=[c, b]](K)", true}, {"each_reshape[over=[g], shape=[g, c, b]](K)", false},
		{"each_one[over=[g], shape=[b]]()", true}, {"each_one[over=[g-g], shape=[b]]()", false}, {"each_one[over=[-g], shape=[b]]()", false},
		{"each_gather[over=[g], axis=0](K, J)", true}, {"each_gather[over=[g], axis=0](K, Y)", false},
		{"each_pick[over=[g], n=g*b](K, partition[axis=0, on=g](Y), J)", true}, {"each_pick[over=[g], n=b](K, J, J)", false}, {"each_iota[over=[g], n=b]()", true},
		{"each_conv2d[over=[g], pad=valid](I, W)", true}, {"each_conv2d[over=[], pad=valid](I, W)", false},
		{"each_smul[over=[g]](K, M)", true}, {"each_smul[over=[g]](K, Y)", false}, {"each_broadcast[over=[g], shape=[b, k]](each_reshape[over=[g], shape=[1, k]](J))", true},
		{"each_reduce[over=[h]](V)", true}, {"each_reduce[over=[g]](V)", false}, {"each_partition[over=[h, g], axis=#P, on=a](V)", true}, {"each_combine[over=[h], axis=#P](V)", true},
		{"each_replicate[over=[g], on=h](K)", true}, {"each_halo[over=[h], axis=#P, before=a, after=1](V)", true}, {"each_drop[over=[g, b, c]](K)", false}, {"each_lift[over=[g, b, c], on=2](K)", true},
	} {
		sameShapes(t, given, c.term, c.ok)
	}
}
