package extract

// ready is a class that a way can make at a cost.
type ready struct {
	cost  int64
	class int32
	way   int32
}

func (a ready) less(b ready) bool {
	if a.cost != b.cost {
		return a.cost < b.cost
	}
	if a.class != b.class {
		return a.class < b.class
	}
	return a.way < b.way
}

// heap is a binary heap by cost, then class, then way. That of container/heap boxes
// each element, which would be most of the time of this package.
type heap []ready

func (h *heap) push(x ready) {
	s := append(*h, x)
	i := len(s) - 1
	for i > 0 {
		p := (i - 1) / 2
		if !x.less(s[p]) {
			break
		}
		s[i] = s[p]
		i = p
	}
	s[i] = x
	*h = s
}

// pop takes the least element out; there has to be one.
func (h *heap) pop() ready {
	s := *h
	top, x := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	if len(s) == 0 {
		return top
	}
	i := 0
	for {
		k := 2*i + 1
		if k >= len(s) {
			break
		}
		if k+1 < len(s) && s[k+1].less(s[k]) {
			k++
		}
		if !s[k].less(x) {
			break
		}
		s[i] = s[k]
		i = k
	}
	s[i] = x
	return top
}
