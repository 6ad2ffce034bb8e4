// move.h: copies between strided tensors: transposes, slices, concatenations,
// broadcasts.

typedef float V4 __attribute__((vector_size(16)));
typedef float V4U __attribute__((vector_size(16), aligned(4), may_alias));

// transpose4 writes the transpose of a 4 x 4 block.
INLINE void transpose4(float *to, int64_t ldt, const float *x, int64_t ldx) {
	V4 a = *(const V4U *)x, b = *(const V4U *)(x + ldx), c = *(const V4U *)(x + 2 * ldx), d = *(const V4U *)(x + 3 * ldx);
	V4 ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
	V4 cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
	*(V4U *)to = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
	*(V4U *)(to + ldt) = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
	*(V4U *)(to + 2 * ldt) = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
	*(V4U *)(to + 3 * ldt) = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

// plane copies [n0, n1]: strides f0, f1 on the side read, t0, t1 on the other.
#define PLANE(NAME, T) \
	static void NAME(T *to, const T *from, int64_t n0, int64_t n1, int64_t f0, int64_t f1, int64_t t0, int64_t t1) { \
		for (int64_t i = 0; i < n0; i++, to += t0, from += f0) { \
			if (t1 == 1 && f1 == 1) { \
				__builtin_memcpy(to, from, n1 * sizeof(T)); \
			} else if (t1 == 1 && f1 == 0) { \
				T x = from[0]; \
				for (int64_t j = 0; j < n1; j++) to[j] = x; \
			} else if (t1 == 1) { \
				for (int64_t j = 0; j < n1; j++) to[j] = from[j * f1]; \
			} else { \
				for (int64_t j = 0; j < n1; j++) to[j * t1] = from[j * f1]; \
			} \
		} \
	}
PLANE(plane4, uint32_t)
PLANE(plane8, uint64_t)

// flip writes the transpose: to[i*t0 + j] = from[i + j*f1], i < n0, j < n1.
static void flip(float *to, const float *from, int64_t n0, int64_t n1, int64_t f1, int64_t t0) {
	enum { B = 32 };
	for (int64_t i0 = 0; i0 < n0; i0 += B)
		for (int64_t j0 = 0; j0 < n1; j0 += B) {
			int64_t i1 = lmin(i0 + B, n0), j1 = lmin(j0 + B, n1), i = i0;
			for (; i + 4 <= i1; i += 4) {
				int64_t j = j0;
				for (; j + 4 <= j1; j += 4) transpose4(to + i * t0 + j, t0, from + i + j * f1, f1);
				for (; j < j1; j++)
					for (int64_t q = i; q < i + 4; q++) to[q * t0 + j] = from[q + j * f1];
			}
			for (; i < i1; i++)
				for (int64_t j = j0; j < j1; j++) to[i * t0 + j] = from[i + j * f1];
		}
}

// move: the last two axes are copied as planes, the others counted through.
// Where one axis before the last has stride 1 on the side read, it is
// exchanged with the last but one, so that the plane is a transposition.
static void move(void *to, const void *from, const taso_move *mv) {
	int rank = mv->rank;
	int64_t n[TASO_MAXRANK + 2], f[TASO_MAXRANK + 2], t[TASO_MAXRANK + 2], at[TASO_MAXRANK + 2] = {0};
	for (int i = 0; i < rank; i++) n[i] = mv->size[i], f[i] = mv->from[i], t[i] = mv->to[i];
	for (; rank < 2; rank++) {
		for (int i = rank; i > 0; i--) n[i] = n[i - 1], f[i] = f[i - 1], t[i] = t[i - 1];
		n[0] = 1, f[0] = 0, t[0] = 0;
	}
	int last = rank - 1, two = rank - 2;
	if (f[last] != 1)
		for (int i = 0; i < last; i++)
			if (f[i] == 1 && n[i] > 1) {
				int64_t x = n[i], y = f[i], z = t[i];
				n[i] = n[two], f[i] = f[two], t[i] = t[two];
				n[two] = x, f[two] = y, t[two] = z;
				break;
			}
	int flips = mv->bytes == 4 && f[two] == 1 && t[last] == 1 && f[last] > 1 && n[two] >= 4 && n[last] >= 4;
	for (;;) {
		int64_t fo = 0, to0 = 0;
		for (int i = 0; i < two; i++) fo += at[i] * f[i], to0 += at[i] * t[i];
		if (flips)
			flip((float *)to + to0, (const float *)from + fo, n[two], n[last], f[last], t[two]);
		else if (mv->bytes == 4)
			plane4((uint32_t *)to + to0, (const uint32_t *)from + fo, n[two], n[last], f[two], f[last], t[two], t[last]);
		else
			plane8((uint64_t *)to + to0, (const uint64_t *)from + fo, n[two], n[last], f[two], f[last], t[two], t[last]);
		int i = two - 1;
		for (; i >= 0; i--) {
			if (++at[i] < n[i]) break;
			at[i] = 0;
		}
		if (i < 0) return;
	}
}
