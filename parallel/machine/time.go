package machine

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/taso-go/taso/cost"
)

// Time is a point in time or a span, in picoseconds; the largest is 106 days. Whole
// numbers are added and compared exactly, in any order, so that a formula such as
// 2(n-1)(α + b/(nβ)) and a run of as many steps agree to the last digit.
type Time int64

// MaxTime is the longest span.
const MaxTime Time = math.MaxInt64

// Second is 10^12 picoseconds.
const Second Time = 1e12

// FromSeconds rounds to picoseconds. A span that is negative, not a number or longer
// than [MaxTime] is an error.
func FromSeconds(s cost.Seconds) (Time, error) {
	ps := math.Round(float64(s) * 1e12)
	if !(ps >= 0 && ps < math.MaxInt64) {
		return 0, fmt.Errorf("%v s is not a time from 0 to 106 days", float64(s))
	}
	return Time(ps), nil
}

// Seconds is t in seconds, rounded to a floating-point number.
func (t Time) Seconds() cost.Seconds { return cost.Seconds(float64(t) / 1e12) }

// String is t with four significant digits in the unit that fits: "1.25 ms".
func (t Time) String() string { return t.Seconds().String() }

// plus is a + b, at most MaxTime.
func (t Time) plus(b Time) Time {
	if t > MaxTime-b {
		return MaxTime
	}
	return t + b
}

// times is n·t, at most MaxTime.
func (t Time) times(n int64) Time {
	hi, lo := bits.Mul64(uint64(t), uint64(n))
	if hi != 0 || lo > uint64(MaxTime) {
		return MaxTime
	}
	return Time(lo)
}

// TimeOf is how long n bytes take at a rate in bytes a second, rounded up, at most
// MaxTime. The bytes are not negative and the rate is above 0.
func TimeOf(n, rate int64) Time {
	hi, lo := bits.Mul64(uint64(n), uint64(Second))
	r := uint64(rate)
	if hi >= r {
		return MaxTime
	}
	q, rest := bits.Div64(hi, lo, r)
	if rest > 0 {
		q++
	}
	return Time(min(q, uint64(MaxTime)))
}
