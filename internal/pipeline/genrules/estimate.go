package genrules

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/taso-go/taso/enumerate"
)

// Rate is what a run took that was made and recorded.
type Rate struct {
	Universe   string  `json:"universe"` // "default" or the name of a preset
	MaxOps     int     `json:"max_ops"`
	AxiomsOnly bool    `json:"axioms_only,omitempty"` // of Options
	Workers    int     `json:"workers"`
	Seconds    float64 `json:"seconds"`
	CPUSeconds float64 `json:"cpu_seconds"`
	PeakRSS    int64   `json:"peak_rss_bytes"`
	// Levels are the seconds of each level; nil: not known.
	Levels []float64 `json:"levels"`
	// Graphs are counted for each level; those of levels beyond the run are projected from some of
	// their shares. nil: not known.
	Graphs  []int64 `json:"graphs,omitempty"`
	Machine string  `json:"machine"`
	Commit  string  `json:"commit"`
	Date    string  `json:"date"`
}

//go:embed rates.json
var ratesText []byte

// Rates are the recorded runs. The error is that of the embedded text.
func Rates() ([]Rate, error) {
	var out []Rate
	if err := json.Unmarshal(ratesText, &out); err != nil {
		return nil, fmt.Errorf("rates.json: %w", err)
	}
	return out, nil
}

// serial is the part of a run's work that more workers do not share: 4 operators took
// 697 CPU seconds in 435 s with two workers.
const serial = 0.25

// Estimate is how long a run may take, from what is recorded.
type Estimate struct {
	// Seconds of the whole run, and of each level, if they are known. They are modelled
	// from the processor time that a recorded run of the same size took, with a part of
	// the work that one worker does alone; that run's own seconds depend on what else
	// the machine did.
	Seconds float64
	Levels  []float64
	PeakRSS int64 // bytes
	Rate    Rate  // what it is made from
	// Beyond is by how many levels the run is larger than the largest recorded one; the estimate
	// grows as the graphs do, or, where these are not known, by each level as it did at the last
	// one.
	Beyond int
}

// EstimateOf makes an estimate from recorded runs; false if none is like this one.
func EstimateOf(opt Options) (*Estimate, bool) {
	rates, err := Rates()
	if err != nil {
		return nil, false
	}
	return estimate(rates, opt)
}

func estimate(rates []Rate, opt Options) (*Estimate, bool) {
	opt.complete()
	name := universeName(opt.Ops)
	if name == "" || opt.Exhaustive {
		return nil, false
	}
	rates = slices.DeleteFunc(slices.Clone(rates), func(r Rate) bool { return r.Universe != name || r.MaxOps > opt.MaxOps })
	if len(rates) == 0 {
		return nil, false
	}
	// The largest, of these the one with the same provers.
	slices.SortStableFunc(rates, func(a, b Rate) int {
		if a.MaxOps != b.MaxOps {
			return b.MaxOps - a.MaxOps
		}
		switch {
		case a.AxiomsOnly == b.AxiomsOnly:
			return 0
		case a.AxiomsOnly == opt.AxiomsOnly:
			return -1
		}
		return 1
	})
	r := rates[0]
	e := &Estimate{Rate: r, PeakRSS: r.PeakRSS, Beyond: opt.MaxOps - r.MaxOps, Levels: slices.Clone(r.Levels)}
	growth := 1.0
	if e.Beyond > 0 && len(r.Graphs) >= opt.MaxOps {
		growth = float64(r.Graphs[opt.MaxOps-1]) / float64(r.Graphs[r.MaxOps-1])
		e.PeakRSS = max(r.PeakRSS, least(r.Graphs, opt))
	} else if e.Beyond > 0 {
		i := slices.IndexFunc(rates, func(s Rate) bool { return s.MaxOps == r.MaxOps-1 && s.AxiomsOnly == r.AxiomsOnly })
		if i < 0 {
			return nil, false
		}
		growth = math.Pow(r.CPUSeconds/rates[i].CPUSeconds, float64(e.Beyond))
		e.PeakRSS = int64(float64(r.PeakRSS) * math.Pow(float64(r.PeakRSS)/float64(rates[i].PeakRSS), float64(e.Beyond)))
	}
	e.Seconds = r.CPUSeconds * growth * (serial + (1-serial)/float64(opt.Workers))
	for i := range e.Levels {
		e.Levels[i] *= e.Seconds / growth / r.Seconds
	}
	return e, true
}

// LeastMemory is about the smallest Options.Memory that a run can keep, in bytes: that of what stays
// in memory whatever is written to the disk. Where the number of graphs is not known it is what a
// small run needs.
func LeastMemory(opt Options) int64 {
	opt.complete()
	rates, _ := Rates()
	var graphs []int64
	for _, r := range rates {
		if r.Universe == universeName(opt.Ops) && len(r.Graphs) > len(graphs) {
			graphs = r.Graphs
		}
	}
	return least(graphs, opt)
}

// What stays in memory, in bytes, measured: of the program, its tables of operators and laws; of a
// worker's provers and stores; of each graph of smaller levels, and of each of the last one.
const (
	bytesOfProgram = 160 << 20
	bytesOfWorker  = 48 << 20
	bytesBelow     = 130
	bytesLast      = 40
)

func least(graphs []int64, opt Options) int64 {
	n := int64(bytesOfProgram + opt.Workers*bytesOfWorker)
	for i, g := range graphs[:min(len(graphs), opt.MaxOps)] {
		if i+1 == opt.MaxOps {
			n += g * bytesLast
		} else {
			n += g * bytesBelow
		}
	}
	return n
}

// universeName is the preset that a list of operators is, "default" for those of no
// list, "" for others.
func universeName(ops []string) string {
	if len(ops) == 0 || slices.Equal(ops, enumerate.DefaultNames()) {
		return "default"
	}
	if len(ops) != 1 {
		return ""
	}
	for _, p := range enumerate.Presets() {
		if p.Name == ops[0] {
			return p.Name
		}
	}
	return ""
}
