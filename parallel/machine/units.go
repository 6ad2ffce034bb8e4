package machine

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
)

// unit is a kind of quantity: the words that may stand behind a number, in the order in
// which errors list them, and how many of the base unit each is.
type unit struct {
	what  string
	words []string
	size  map[string]*big.Rat
}

func newUnit(what string, words ...any) *unit {
	u := &unit{what: what, size: map[string]*big.Rat{}}
	for i := 0; i < len(words); i += 2 {
		word := words[i].(string)
		u.words = append(u.words, word)
		u.size[word] = big.NewRat(int64(words[i+1].(int)), 1)
	}
	return u
}

const (
	kilo, mega, giga, tera = 1000, 1000 * kilo, 1000 * mega, 1000 * giga
	kibi, mebi, gibi, tebi = 1 << 10, 1 << 20, 1 << 30, 1 << 40
)

var (
	// timeUnit is in picoseconds.
	timeUnit = newUnit("time", "ps", 1, "ns", kilo, "us", mega, "µs", mega, "ms", giga, "s", tera)
	// rateUnit is in bytes a second.
	rateUnit = newUnit("bandwidth", "B/s", 1, "kB/s", kilo, "MB/s", mega, "GB/s", giga, "TB/s", tera,
		"KiB/s", kibi, "MiB/s", mebi, "GiB/s", gibi, "TiB/s", tebi,
		"Mbit/s", mega/8, "Gbit/s", giga/8, "Tbit/s", tera/8)
	// byteUnit is in bytes.
	byteUnit = newUnit("memory", "B", 1, "kB", kilo, "MB", mega, "GB", giga, "TB", tera,
		"KiB", kibi, "MiB", mebi, "GiB", gibi, "TiB", tebi)
	// flopsUnit is in operations a second.
	flopsUnit = newUnit("rate of arithmetic", "FLOPS", 1, "MFLOPS", mega, "GFLOPS", giga, "TFLOPS", tera, "PFLOPS", 1000*tera)
)

// maxDigits bounds the digits of a number, so that no text makes a huge one.
const maxDigits = 18

// parse reads a decimal number with a unit, "2.5us" or "2.5 us", in base units, rounded
// to the nearest. It is above 0, or 0 where that is written.
func (u *unit) parse(text string) (int64, error) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789."))
	number, word := text[:digits], strings.TrimSpace(text[digits:])
	if strings.HasPrefix(text, "-") {
		return 0, fmt.Errorf("%s %q is negative", u.what, text)
	}
	whole, part, _ := strings.Cut(number, ".")
	if whole == "" || strings.Contains(part, ".") {
		return 0, fmt.Errorf("%s %q is not a number with a unit, such as 2%s", u.what, text, u.words[len(u.words)/2])
	}
	if len(whole)+len(part) > maxDigits {
		return 0, fmt.Errorf("%s %q has more than %d digits", u.what, text, maxDigits)
	}
	size, ok := u.size[word]
	switch {
	case word == "":
		return 0, fmt.Errorf("%s %q has no unit: want one of %s", u.what, text, strings.Join(u.words, ", "))
	case !ok && slices.Contains([]string{"Mb/s", "Gb/s", "Tb/s"}, word) && u == rateUnit:
		return 0, fmt.Errorf("bandwidth %q: say %sB/s for bytes or %sbit/s for bits", text, word[:1], word[:1])
	case !ok:
		return 0, fmt.Errorf("%s %q: %q is none of the units %s", u.what, text, word, strings.Join(u.words, ", "))
	}
	x, ok := new(big.Rat).SetString(number)
	if !ok { // a number that ends in a point
		return 0, fmt.Errorf("%s %q is not a number with a unit", u.what, text)
	}
	x.Mul(x, size)
	zero := x.Sign() == 0
	// The nearest whole number: floor(x + 1/2).
	x.Add(x, big.NewRat(1, 2))
	n := new(big.Int).Quo(x.Num(), x.Denom())
	switch {
	case !n.IsInt64() || n.Int64() == math.MaxInt64:
		return 0, fmt.Errorf("%s %q is too large", u.what, text)
	case n.Sign() == 0 && !zero:
		return 0, fmt.Errorf("%s %q is below one %s", u.what, text, u.words[0])
	}
	return n.Int64(), nil
}
