package cpu

// The plain versions of the kernels of wide.h.

func (goTable) zip(y, x, p ptr, n int, single bool, t wideType, code int32) {
	switch t {
	case wideSigned:
		zipGo(all[int64](y, n), all[int64](x, n), p, single, code)
	case wideUnsigned:
		zipGo(all[uint64](y, n), all[uint64](x, n), p, single, code)
	default:
		zipGo(all[float64](y, n), all[float64](x, n), p, single, code)
	}
}

func zipGo[T numeric](y, x []T, p ptr, single bool, code int32) {
	f := map[int32]func(a, b T) T{
		opAdd: func(a, b T) T { return a + b }, opMul: func(a, b T) T { return a * b },
		opSub: func(a, b T) T { return a - b }, opRSub: func(a, b T) T { return b - a },
		opMax: func(a, b T) T { return max(a, b) }, opMin: func(a, b T) T { return min(a, b) },
		opDiv: func(a, b T) T { return a / b }, opRDiv: func(a, b T) T { return b / a },
	}[code]
	step := 1
	if single {
		step = 0
	}
	b := all[T](p, 1+(len(y)-1)*step)
	for i := range y {
		y[i] = f(x[i], b[i*step])
	}
}

func (goTable) product(c, a, b ptr, m, n, k, ars, acs int, t wideType) {
	if t == wideDouble {
		productGo[float64](c, a, b, m, n, k, ars, acs)
	} else {
		productGo[int64](c, a, b, m, n, k, ars, acs)
	}
}

func productGo[T numeric](c, a, b ptr, m, n, k, ars, acs int) {
	to, right := all[T](c, m*n), all[T](b, k*n)
	clear(to)
	for r := range m {
		for l := range k {
			f := *(*T)(bytesPtr(a, 8*(r*ars+l*acs)))
			row := right[l*n:][:n]
			for j := range row {
				to[r*n+j] += f * row[j]
			}
		}
	}
}
