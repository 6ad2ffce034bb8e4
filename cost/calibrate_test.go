package cost_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph"
)

// truth is the machine that observations are made from.
func truth(t testing.TB) *cost.Machine {
	m := machine(t, "laptop")
	m.Launch, m.View = 3e-7, 5e-8
	for c, r := range m.Rates {
		m.Rates[c] = cost.Rate{FLOPS: r.FLOPS * 0.6, Bandwidth: r.Bandwidth * 0.7}
	}
	return m
}

// observe times works of many sizes on a machine, with relative noise, and makes
// every outlier-th time ten times too long.
func observe(m *cost.Machine, noise float64, outlier int) []cost.Observation {
	r := rand.New(rand.NewPCG(1, 2))
	var obs []cost.Observation
	for _, c := range []cost.Class{cost.MatMul, cost.Conv, cost.Pointwise, cost.Transpose, cost.View} {
		for i := range 60 {
			w := cost.Work{Class: c}
			size := math.Exp(r.Float64() * math.Log(1e7))
			w.Read, w.Write = int64(8*size), int64(4*size)
			switch c {
			case cost.MatMul, cost.Conv:
				w.FLOPs = int64(size * math.Exp(r.Float64()*math.Log(1e3)))
			case cost.Pointwise:
				w.FLOPs = int64(size)
			case cost.View:
				w = cost.Work{Class: c}
			}
			o := cost.Observation{Work: w, Time: m.Time(w, graph.Float32), Name: fmt.Sprint(c, " ", i)}
			o.Time *= cost.Seconds(1 + noise*r.NormFloat64())
			if outlier > 0 && i%outlier == 0 {
				o.Time *= 10
			}
			obs = append(obs, o)
		}
	}
	return obs
}

func within(got, want, tolerance float64) bool { return math.Abs(got/want-1) <= tolerance }

func TestCalibrateRecovers(t *testing.T) {
	want := truth(t)
	for _, c := range []struct {
		name             string
		noise            float64
		outlier          int
		serial           float64
		tolerance, error float64
	}{
		{"exact", 0, 0, 0, 1e-3, 1e-3},
		{"exact, half serial", 0, 0, 0.5, 1e-3, 1e-3},
		{"noise", 0.05, 0, 0, 0.06, 0.06},
		{"outliers", 0.02, 12, 0, 0.08, 0.05},
	} {
		m := truth(t)
		m.Serial = c.serial
		obs := observe(m, c.noise, c.outlier)
		fit, err := cost.Calibrate(machine(t, "laptop"), obs)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		got := fit.Machine
		if fit.Median > c.error || fit.Count != len(obs) || fit.BaseMedian <= fit.Median {
			t.Errorf("%s: median error %v of %d, was %v", c.name, fit.Median, fit.Count, fit.BaseMedian)
		}
		if math.Abs(got.Serial-c.serial) > 0.25*c.noise/0.01 {
			t.Errorf("%s: serial %v, want %v", c.name, got.Serial, c.serial)
		}
		if !within(float64(got.Launch), float64(want.Launch), c.tolerance) || !within(float64(got.View), float64(want.View), 0.1) {
			t.Errorf("%s: launch %v, want %v; view %v, want %v", c.name, got.Launch, want.Launch, got.View, want.View)
		}
		for _, class := range []cost.Class{cost.MatMul, cost.Conv} {
			if !within(got.Rates[class].FLOPS, want.Rates[class].FLOPS, c.tolerance) {
				t.Errorf("%s: %s: %v, want %v", c.name, class, got.Rates[class], want.Rates[class])
			}
		}
		for _, class := range []cost.Class{cost.Pointwise, cost.Transpose} {
			if !within(got.Rates[class].Bandwidth, want.Rates[class].Bandwidth, c.tolerance) {
				t.Errorf("%s: %s: %v, want %v", c.name, class, got.Rates[class], want.Rates[class])
			}
		}
		if r := got.Rates[cost.Pool]; r != machine(t, "laptop").Rates[cost.Pool] {
			t.Errorf("%s: pools were not observed, their rates are %v", c.name, r)
		}
	}
}

func TestCalibrateIgnoresOrder(t *testing.T) {
	obs := observe(truth(t), 0.05, 7)
	a, err := cost.Calibrate(machine(t, "laptop"), obs)
	if err != nil {
		t.Fatal(err)
	}
	rev := slices.Clone(obs)
	slices.Reverse(rev)
	b, err := cost.Calibrate(machine(t, "laptop"), rev)
	if err != nil || !reflect.DeepEqual(a.Machine, b.Machine) {
		t.Errorf("the fit depends on the order: %+v, %+v, %v", a.Machine, b.Machine, err)
	}
}

func TestCalibrateErrors(t *testing.T) {
	obs := observe(truth(t), 0, 0)
	bad := slices.Clone(obs)
	bad[3].Time = -1
	for name, c := range map[string]struct {
		m   *cost.Machine
		obs []cost.Observation
	}{
		"none":          {machine(t, "laptop"), nil},
		"views only":    {machine(t, "laptop"), obs[len(obs)-50:]},
		"negative time": {machine(t, "laptop"), bad},
		"no machine":    {&cost.Machine{Name: "x"}, obs},
	} {
		if _, err := cost.Calibrate(c.m, c.obs); err == nil {
			t.Errorf("%s: calibrated", name)
		}
	}
}

// TestCalibrateStrange: times that no roofline explains still give a machine,
// with its error told.
func TestCalibrateStrange(t *testing.T) {
	obs := observe(truth(t), 0, 0)
	for i := range obs {
		obs[i].Time = cost.Seconds(1e-3 / float64(1+i%17)) // regardless of the work
	}
	fit, err := cost.Calibrate(machine(t, "laptop"), obs)
	if err != nil {
		t.Fatal(err)
	}
	if fit.Median < 0.1 {
		t.Errorf("median error %v of nonsense", fit.Median)
	}
}

func TestObservations(t *testing.T) {
	var tab cost.Table
	put := func(k cost.Key, s cost.Sample) {
		if _, err := tab.Put(cost.Entry{Key: k, Sample: s}); err != nil {
			t.Fatal(err)
		}
	}
	measured := cost.Sample{Seconds: 1e-6, Runs: 3, Source: cost.Measured}
	k := keyOf(applied(t, "matmul", nil, f32(2, 3), f32(3, 4)))
	put(k, measured)
	unknown := k
	unknown.Op = "matmul9"
	put(unknown, measured)
	elsewhere := k
	elsewhere.Device = "another"
	put(elsewhere, measured)
	put(keyOf(applied(t, "relu", nil, f32(2))), cost.Sample{Seconds: 1})
	obs, unread := cost.Observations(&tab, here)
	if len(obs) != 1 || unread != 1 || obs[0].Work.FLOPs != 48 || obs[0].Time != 1e-6 {
		t.Errorf("%+v, %d unread", obs, unread)
	}
}

func ExampleCalibrate() {
	base, err := cost.FindMachine("laptop")
	if err != nil {
		fmt.Println(err)
		return
	}
	// Copies of n bytes that took 1 µs and n/(10 GB/s).
	var obs []cost.Observation
	for n := int64(1 << 23); n <= 1<<26; n *= 2 {
		obs = append(obs, cost.Observation{
			Work: cost.Work{Class: cost.Copy, Read: n / 2, Write: n / 2},
			Time: 1e-6 + cost.Seconds(n)/10e9, Name: fmt.Sprint("copy of ", n),
		})
	}
	fit, err := cost.Calibrate(base, obs)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := fit.Machine
	fmt.Printf("launch %v, copies at %.2f GB/s, error %.2f %%\n", m.Launch, m.Rates[cost.Copy].Bandwidth*m.Bandwidth/1e9, 100*fit.Max)
	// Output: launch 1 µs, copies at 10.00 GB/s, error 0.00 %
}
