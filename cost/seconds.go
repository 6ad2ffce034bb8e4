package cost

import (
	"fmt"
	"math"
	"strconv"
	"time"
)

// Seconds is a span of time in seconds.
type Seconds float64

// FromDuration converts from the clock's type.
func FromDuration(d time.Duration) Seconds { return Seconds(d.Seconds()) }

// Duration is s rounded to nanoseconds; spans beyond 292 years and NaN become
// the largest Duration.
func (s Seconds) Duration() time.Duration {
	ns := float64(s) * 1e9
	if !(math.Abs(ns) < math.MaxInt64) {
		return math.MaxInt64
	}
	return time.Duration(math.Round(ns))
}

// String is s with four significant digits in the unit that fits: "1.25 ms".
func (s Seconds) String() string {
	x, unit := float64(s), "s"
	switch a := math.Abs(x); {
	case a == 0 || a >= 0.99995 || math.IsNaN(a):
	case a >= 0.99995e-3:
		x, unit = x*1e3, "ms"
	case a >= 0.99995e-6:
		x, unit = x*1e6, "µs"
	default:
		x, unit = x*1e9, "ns"
	}
	return strconv.FormatFloat(x, 'g', 4, 64) + " " + unit
}

// Valid says whether s can be the time of something: finite and not negative.
func (s Seconds) Valid() bool { return s >= 0 && !math.IsInf(float64(s), 0) }

// Source says where a time comes from.
type Source uint8

// The sources, the less trusted first. The zero value is Modelled: a time of
// which nothing is said has not been measured.
const (
	// Modelled times are computed from a machine description.
	Modelled Source = iota
	// Recorded times were measured before, perhaps on another machine, and are
	// replayed from a table.
	Recorded
	// Measured times were taken with a clock on this machine.
	Measured

	numSources
)

var sourceNames = [numSources]string{Modelled: "modelled", Recorded: "recorded", Measured: "measured"}

// String is the word for s: modelled, recorded or measured.
func (s Source) String() string {
	if s < numSources {
		return sourceNames[s]
	}
	return fmt.Sprintf("source(%d)", uint8(s))
}

// ParseSource is the inverse of String.
func ParseSource(word string) (Source, error) {
	for s, name := range sourceNames {
		if name == word {
			return Source(s), nil
		}
	}
	return 0, fmt.Errorf("source of a time %q is not modelled, recorded or measured", word)
}

// MarshalText writes the word for s.
func (s Source) MarshalText() ([]byte, error) {
	if s >= numSources {
		return nil, fmt.Errorf("source of a time %d is not known", uint8(s))
	}
	return []byte(sourceNames[s]), nil
}

// UnmarshalText reads the word for a source.
func (s *Source) UnmarshalText(b []byte) (err error) {
	*s, err = ParseSource(string(b))
	return err
}

// Sample is the time of one application.
type Sample struct {
	// Seconds is the median of the runs, or what a model says.
	Seconds Seconds `json:"s"`
	// MAD is the median absolute deviation from that median; 0 for a model.
	MAD Seconds `json:"mad,omitempty"`
	// Runs is the number of timed runs; 0 for a model.
	Runs int `json:"runs,omitempty"`
	// Source says where the time comes from.
	Source Source `json:"source"`
}

// Check reports a sample that no clock and no model can have given.
func (s Sample) Check() error {
	switch {
	case !s.Seconds.Valid() || s.Seconds == 0:
		return fmt.Errorf("sample: %v is not a time above zero", float64(s.Seconds))
	case !s.MAD.Valid():
		return fmt.Errorf("sample: %v is not a deviation", float64(s.MAD))
	case s.Runs < 0:
		return fmt.Errorf("sample: %d runs", s.Runs)
	case s.Source >= numSources:
		return fmt.Errorf("sample: source %d is not known", uint8(s.Source))
	case s.Source != Modelled && s.Runs == 0:
		return fmt.Errorf("sample: %s without a run", s.Source)
	}
	return nil
}

// String is the sample on one line: "1.25 ms ± 0.01 ms (measured, 40 runs)".
func (s Sample) String() string {
	if s.Source == Modelled {
		return fmt.Sprintf("%s (%s)", s.Seconds, s.Source)
	}
	return fmt.Sprintf("%s ± %s (%s, %d runs)", s.Seconds, s.MAD, s.Source, s.Runs)
}

// MedianMAD is the median of times and their median absolute deviation from
// it, in one value each. It returns zeros for no times and does not change the
// slice. With an even count the median is the mean of the two in the middle.
func MedianMAD(times []Seconds) (median, mad Seconds) {
	median = Median(times)
	dev := make([]Seconds, len(times))
	for i, t := range times {
		dev[i] = Seconds(math.Abs(float64(t - median)))
	}
	return median, Median(dev)
}
