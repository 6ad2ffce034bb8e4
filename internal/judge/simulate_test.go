package judge

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/ort"
)

// noise is how the times of a machine spread, as parts of a time.
type noise struct {
	sample    float64 // of each sample
	placement float64 // of each loading of a model
	burst     float64 // part of the rounds in which other work makes a sample up to 3 times as long
	drift     float64 // of a round to the next, for all models
	floor     float64 // of a whole block, on one model: what rounds do not average out
}

var (
	quiet  = noise{sample: 0.01, placement: 0.004, burst: 0.02, drift: 0.002}
	loaded = noise{sample: 0.04, placement: 0.007, burst: 0.15, drift: 0.01}
	// broken is a machine on which nothing can be seen.
	broken = noise{sample: 0.3, placement: 0.1, burst: 0.3, drift: 0.1, floor: 0.1}
)

// simulated is a machine on which run times are known.
type simulated struct {
	noise
	r *rand.Rand
	// seconds of one run by level and model.
	seconds map[ort.Level][]float64
	speed   float64
	fresher int
}

func newSimulated(seed uint64, n noise, on, off []float64) *simulated {
	return &simulated{noise: n, r: rand.New(rand.NewPCG(seed, 1)), speed: 1, seconds: map[ort.Level][]float64{ort.All: on, ort.Disable: off}}
}

func (s *simulated) fresh() { s.fresher++ }

func (s *simulated) block(_ context.Context, level ort.Level, models []int, r *rand.Rand) ([][]float64, time.Duration, error) {
	samples := make([][]float64, len(models))
	factor := make([]float64, len(models))
	for i := range factor {
		factor[i] = math.Exp(s.placement*s.r.NormFloat64() + s.floor*s.r.NormFloat64())
	}
	total := 0.02 // loading
	for range 12 {
		for _, i := range r.Perm(len(models)) {
			s.speed *= math.Exp(s.drift * s.r.NormFloat64())
			t := s.seconds[level][models[i]] * factor[i] * s.speed * math.Exp(s.sample*s.r.NormFloat64())
			if s.r.Float64() < s.burst {
				t *= 1 + 2*s.r.Float64()
			}
			samples[i] = append(samples[i], t)
			total += t * 2
		}
	}
	return samples, time.Duration(total * 1e9), nil
}

// decideOn is the decision about models on a simulated machine.
func decideOn(t *testing.T, seed uint64, s *simulated) *Decision {
	t.Helper()
	n := len(s.seconds[ort.All])
	d := &Decision{Level: ort.All, Candidates: make([]Outcome, n-1)}
	var candidates []int
	for i := 1; i < n; i++ {
		candidates = append(candidates, i)
	}
	m := &measuring{bench: s, rand: rand.New(rand.NewPCG(seed, 2))}
	if err := m.decide(context.Background(), d, candidates, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	return d
}

// times of models of 5 ms that take so many percent longer than the original.
func times(percent ...float64) []float64 {
	out := []float64{5e-3}
	for _, p := range percent {
		out = append(out, 5e-3*(1+p/100))
	}
	return out
}

// Models that are equally fast are accepted in fewer than 5 of 100 decisions, however
// noisy the machine is and however many candidates there are.
func TestFalseAcceptance(t *testing.T) {
	const runs = 80
	for name, n := range map[string]noise{"quiet": quiet, "loaded": loaded, "broken": broken} {
		for _, candidates := range []int{1, 3} {
			accepted := 0
			for seed := range uint64(runs) {
				equal := times(make([]float64, candidates)...)
				if decideOn(t, seed, newSimulated(seed, n, equal, equal)).Winner > 0 {
					accepted++
				}
			}
			if accepted >= runs*5/100 {
				t.Errorf("%s, %d candidates: %d of %d accepted", name, candidates, accepted, runs)
			}
		}
	}
}

// Decisions about effects above 3 % or below 0.3 % are always the same.
func TestSameDecisions(t *testing.T) {
	for _, c := range []struct {
		on, off float64 // percent
		want    Verdict
		accept  bool
	}{
		{-12, -4, Faster, true}, {-3.2, 0, Faster, true}, {-5, 0.2, Faster, true}, {-5, 6, SlowerOff, false},
		{-0.25, -0.25, NoDifference, false}, {0, 0, NoDifference, false}, {0.25, -8, NoDifference, false}, {4, -4, Slower, false}, {30, 0, Slower, false},
	} {
		for name, n := range map[string]noise{"quiet": quiet, "loaded": loaded} {
			for seed := range uint64(20) {
				d := decideOn(t, seed, newSimulated(1000+seed, n, times(c.on), times(c.off)))
				got := d.Candidates[0]
				if name == "quiet" && got.Verdict != c.want || (d.Winner == 1) != c.accept {
					t.Errorf("%s: %+.2f %% on, %+.2f %% off: %s, winner %d; %v, %v", name, c.on, c.off, got.Verdict, d.Winner, got.On, got.Off)
				}
			}
		}
	}
}

// A candidate that is much slower without optimizations is refused, even if there is no time
// for a narrow interval.
func TestSlowerOffInLittleTime(t *testing.T) {
	n := loaded
	n.floor = 0.1
	faster := 0
	for seed := range uint64(40) {
		d := &Decision{Level: ort.All, Candidates: make([]Outcome, 1)}
		m := &measuring{bench: newSimulated(seed, n, times(-30), times(25)), rand: rand.New(rand.NewPCG(seed, 2)), limit: 1}
		if err := m.decide(context.Background(), d, []int{1}, 10*time.Second); err != nil {
			t.Fatal(err)
		}
		if d.Candidates[0].Off != nil {
			faster++
		}
		if d.Winner == 1 && d.Candidates[0].Off.Ratio > 1.01 {
			t.Errorf("accepted: %v", d.Candidates[0].Off)
		}
	}
	if faster < 10 {
		t.Errorf("only %d candidates were measured without optimizations", faster)
	}
}

// A comparison ends at the limit as soon as there is an interval, and only there.
func TestLimit(t *testing.T) {
	blocks := func(limit time.Duration) int {
		d := &Decision{Level: ort.All, Candidates: make([]Outcome, 1)}
		m := &measuring{bench: newSimulated(1, loaded, times(-1), times(-1)), rand: rand.New(rand.NewPCG(1, 2)), limit: limit}
		if err := m.decide(context.Background(), d, []int{1}, time.Minute); err != nil {
			t.Fatal(err)
		}
		if c := d.Candidates[0].On; c == nil || math.IsInf(c.High, 1) {
			t.Errorf("limit %v: there is no interval: %+v", limit, c)
		}
		return d.Candidates[0].On.Blocks
	}
	short, long, none := blocks(1), blocks(time.Hour), blocks(0)
	if short >= none || long != none {
		t.Errorf("%d blocks at a limit of 1 ns, %d at one of an hour, %d without", short, long, none)
	}
}

// The best of several candidates wins, of equals the first, and only after a fresh
// measurement.
func TestSeveralCandidates(t *testing.T) {
	for _, c := range []struct {
		on   []float64
		want int
	}{{[]float64{-5, -12, 0}, 2}, {[]float64{-8, -8, -8}, 1}, {[]float64{3, 0, -6}, 3}, {[]float64{1, 2, 0}, 0}} {
		for seed := range uint64(10) {
			s := newSimulated(seed, quiet, times(c.on...), times(c.on...))
			d := decideOn(t, seed, s)
			if d.Winner != c.want {
				t.Errorf("%v: winner %d", c.on, d.Winner)
			}
			for i, p := range c.on {
				if faster := d.Candidates[i].Verdict == Faster; d.Winner > 0 && p < -4 && !faster || p >= 0 && faster {
					t.Errorf("%v: candidate %d: %s", c.on, i+1, d.Candidates[i].Verdict)
				}
			}
			if (s.fresher > 0) != (c.want > 0) {
				t.Errorf("%v: %d fresh processes", c.on, s.fresher)
			}
		}
	}
}

// An interval encloses the median at least as often as it says.
func TestInterval(t *testing.T) {
	if _, low, high := center([]float64{1, 2, 3, 4, 5}, 0.95); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("5 samples: %g to %g", low, high)
	}
	if mid, low, high := center([]float64{6, 2, 3, 4, 5, 1}, 0.95); mid != 3.5 || low != 1 || high != 6 {
		t.Errorf("6 samples: %g, %g to %g", mid, low, high)
	}
	// Critical values of the signed-rank test in tables.
	for n, want := range map[int]int{7: 2, 10: 8, 20: 52, 30: 137} {
		if k := rank(n, 0.95); k != want {
			t.Errorf("%d samples: critical value %d, want %d", n, k, want)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{6, 9, 17, 48} {
		inside, tight := 0, 0
		for range 2000 {
			xs := make([]float64, n)
			for i := range xs {
				xs[i] = r.NormFloat64()
			}
			_, low, high := center(xs, 0.95)
			if low <= 0 && high >= 0 {
				inside++
			}
			if high-low < 4 {
				tight++
			}
		}
		if inside < 1880 || tight == 0 {
			t.Errorf("%d samples: the median is inside in %d of 2000", n, inside)
		}
	}
}
