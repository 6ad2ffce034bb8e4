package general

import (
	"bytes"

	"github.com/taso-go/taso/law"
)

// mostSizes bounds the sizes for which letters are looked for.
const mostSizes = 12

// freed is Pair.freed for a tester. All letters are tested together, since each alone takes
// as long; one after the other where they then fail.
func (t *Tester) freed(p *Pair, fm Form, l *law.Law) (*law.Law, Form) {
	holds := func(want int) func(*law.Law) bool {
		return func(m *law.Law) bool { return t.tested(m, want, true).holds }
	}
	m, free := p.freed(fm, l, holds(FullTests))
	if free == fm || holds(SizeTests)(m) {
		return m, free
	}
	return p.freed(fm, l, holds(SizeTests))
}

// freed replaces sizes that a form of a pair leaves as in the case by variables, one after the other,
// as far as the pair still holds: by one of any size, an odd one, or one that it shares with other such
// sizes.
func (p *Pair) freed(fm Form, l *law.Law, holds func(*law.Law) bool) (*law.Law, Form) {
	if fm.kernel != lastKernel {
		return l, fm
	}
	_, sized, err := p.law(fm)
	if err != nil || len(sized) == 0 || len(sized) > mostSizes {
		return l, fm
	}
	letters := bytes.Repeat([]byte{asInCase}, len(sized))
	try := func(change func()) bool {
		was := bytes.Clone(letters)
		change()
		next := fm
		next.sizes = string(letters)
		if m, err := p.Law(next); err == nil && holds(m) {
			l = m
			return true
		}
		copy(letters, was)
		return false
	}
	for i := range letters {
		for _, letter := range []byte{anySize, oddSize} {
			if try(func() { letters[i] = letter }) {
				break
			}
		}
	}
	any, odd := byte(firstShared), byte(firstOdd)
	for i := range letters {
		for j := i + 1; j < len(letters); j++ {
			if sized[i] != sized[j] || letters[j] != asInCase {
				continue
			}
			if letters[i] != asInCase {
				if letters[i] <= lastOdd {
					try(func() { letters[j] = letters[i] })
				}
				continue
			}
			if try(func() { letters[i], letters[j] = any, any }) {
				any++
			} else if try(func() { letters[i], letters[j] = odd, odd }) {
				odd++
			}
		}
	}
	if fm.sizes = string(letters); len(bytes.Trim(letters, string(asInCase))) == 0 {
		fm.sizes = ""
	}
	return l, fm
}
