// together.h: calls that are made together. To call C from Go, and to ask for the time, take
// as long as some hundred elements.

#if !defined(__x86_64__)
#include <time.h>
#endif

static int64_t ticks(void) {
#if defined(__x86_64__)
	return (int64_t)__builtin_ia32_rdtsc();
#else
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
#endif
}

static void together(taso_call *c, int64_t n) {
	int64_t last = ticks();
	for (; n > 0; n--, c++) {
		if (c->move)
			move(c->y, c->x, c->move);
		else
			chain(c->y, c->x, c->rows, c->n, c->rowmod, c->ops, c->nops);
		int64_t now = ticks();
		c->ticks = now - last;
		last = now;
	}
}
