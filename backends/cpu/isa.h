// isa.h: the kernels of one instruction set and their table.
#include "simd.h"
#include "mathfn.h"
#include "chain.h"
#include "move.h"
#include "gemm.h"
#include "conv.h"
#include "depthwise.h"
#include "window.h"
#include "rows.h"
#include "wide.h"
#include "integers.h"
#include "together.h"

static const taso_table table = {
	.name = TABLE_NAME,
	.mr = MR,
	.nr = NR,
	.lanes = LANES,
	.gemm_scratch = gemm_scratch,
	.packed_a = packed_a,
	.packed_b = packed_b,
	.pack_a = pack_a,
	.pack_b = pack_b,
	.gemm = gemm,
	.conv_scratch = conv_scratch,
	.conv = conv,
	.window_scratch = window_scratch,
	.window = window,
	.dots = dots,
	.pad_image = pad_image,
	.weave = weave,
	.chain = chain,
	.softmax = softmax,
	.layernorm = layernorm,
	.reduce = reduce,
	.lerp = lerp,
	.move = move,
	.together = together,
	.zip = zip,
	.product = product,
	.packed_ints = packed_ints,
	.pack_ints = pack_ints,
	.ints_scratch = ints_scratch,
	.ints = ints,
};
