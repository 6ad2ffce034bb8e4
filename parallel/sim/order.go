package sim

import "slices"

// key is the order in which tasks are served: by when they are ready; of those that are
// ready at the same time who waits for fewer tasks without time; then by ID. It grows from
// a task to what waits for it, also where a task takes no time.
type key struct {
	ready Time
	level int32
	id    ID
}

func (k key) less(l key) bool {
	if k.ready != l.ready {
		return k.ready < l.ready
	}
	if k.level != l.level {
		return k.level < l.level
	}
	return k.id < l.id
}

func compare(k, l key) int {
	switch {
	case k == l:
		return 0
	case k.less(l):
		return -1
	}
	return 1
}

// order is how a resource serves tasks.
type order []slot

// slot is a task and when it lets the resource free.
type slot struct {
	key  key
	free Time
}

// find is where a task is, or belongs. It looks at a place first: the links of a
// collective mostly serve the same tasks in the same order.
func (o order) find(k key, near int) (int, bool) {
	if near > len(o) {
		near = len(o)
	}
	if near > 0 && !o[near-1].key.less(k) || near < len(o) && o[near].key.less(k) {
		near, _ = slices.BinarySearchFunc(o, k, func(s slot, k key) int { return compare(s.key, k) })
	}
	return near, near < len(o) && o[near].key == k
}

// heap gives the least key.
type heap []key

func (h *heap) push(k key) {
	a := append(*h, k)
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !k.less(a[up]) {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = k
	*h = a
}

func (h *heap) pop() key {
	a := *h
	top, k := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	if len(a) == 0 {
		return top
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= len(a) {
			break
		}
		if c+1 < len(a) && a[c+1].less(a[c]) {
			c++
		}
		if !a[c].less(k) {
			break
		}
		a[i] = a[c]
		i = c
	}
	a[i] = k
	return top
}

// tournament is the maximum of numbers that change: t[1] of all, t[i] of t[2i] and t[2i+1].
type tournament []Time

// fit makes room for n numbers.
func (t *tournament) fit(n int) {
	size := 1
	for size < n {
		size *= 2
	}
	if len(*t) >= 2*size {
		return
	}
	old := *t
	*t = make(tournament, 2*size)
	copy((*t)[size:], old[len(old)/2:])
	for i := size - 1; i > 0; i-- {
		(*t)[i] = max((*t)[2*i], (*t)[2*i+1])
	}
}

func (t tournament) set(i int, x Time) {
	i += len(t) / 2
	t[i] = x
	for i /= 2; i > 0; i /= 2 {
		m := max(t[2*i], t[2*i+1])
		if t[i] == m {
			break
		}
		t[i] = m
	}
}

func (t tournament) max() Time {
	if len(t) == 0 {
		return 0
	}
	return t[1]
}
