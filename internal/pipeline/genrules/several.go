package genrules

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

// MeshPresets are the presets over meshes of devices, by name.
func MeshPresets() []string {
	var out []string
	for _, p := range enumerate.Presets() {
		if p.Mesh > 0 && !p.Apart {
			out = append(out, p.Name)
		}
	}
	return out
}

// Several generates rules over each of the presets, one after the other, as [Run]
// does, and puts what they come to into one report: a rule that several find is there
// once. Derivable rules follow from others of their own run. Each run has a folder of
// its own below that of checkpoints. When ctx ends, what was found until then is kept.
func Several(ctx context.Context, opt Options, presets []string) (*Report, error) {
	var all *Report
	for _, name := range presets {
		one := opt
		one.Ops = []string{name}
		if opt.Checkpoint != "" {
			one.Checkpoint = filepath.Join(opt.Checkpoint, name)
		}
		rep, err := Run(ctx, one)
		if err != nil {
			return nil, fmt.Errorf("preset %s: %w", name, err)
		}
		rep.name(name)
		if all == nil {
			all = rep
		} else {
			all.join(rep)
		}
		if rep.Stopped != "" {
			break
		}
	}
	if all == nil {
		return nil, fmt.Errorf("no presets")
	}
	all.count()
	var err error
	if all.Useful, err = MostUseful(all.Set, mostUseful); err != nil {
		return nil, err
	}
	return all, nil
}

// name marks stages and the universe with a preset's name.
func (r *Report) name(preset string) {
	for i := range r.Stages {
		r.Stages[i].Name = preset + ", " + r.Stages[i].Name
	}
	r.Universe = preset + ": " + r.Universe
}

// join adds what another run came to.
func (r *Report) join(o *Report) {
	r.Universe += " | " + o.Universe
	r.Stages = append(r.Stages, o.Stages...)
	for i, l := range o.Levels {
		if i == len(r.Levels) {
			r.Levels = append(r.Levels, Level{Operators: l.Operators})
		}
		s := &r.Levels[i]
		s.Graphs += l.Graphs
		s.Classes += l.Classes
		s.Pairs += l.Pairs
		s.Stated += l.Stated
		s.Candidates += l.Candidates
		s.Proved += l.Proved
		s.Seconds += l.Seconds
	}
	// Rates are those of all graphs and all of the time that enumerating them took.
	if own, more := cpuOf(r), cpuOf(o); own+more > 0 {
		r.GraphsPerCPUSecond = float64(r.Graphs+o.Graphs) / (own + more)
	}
	r.Graphs += o.Graphs
	r.Seconds += o.Seconds
	r.CPUSeconds += o.CPUSeconds
	r.PeakRSS = max(r.PeakRSS, o.PeakRSS)
	r.BytesPerGraph = max(r.BytesPerGraph, o.BytesPerGraph)
	r.CollisionBound += o.CollisionBound
	r.Stopped = o.Stopped
	if p, q := r.Exhaustive, o.Exhaustive; p != nil && q != nil {
		p.Visits += q.Visits
		p.Graphs += q.Graphs
		p.Buckets += q.Buckets
		p.Tensors += q.Tensors
	}
	if p, q := r.Provers, o.Provers; p == nil {
		r.Provers = q
	} else if q != nil {
		p.Goals += q.Goals
		p.EGraphProved += q.EGraphProved
		p.EGraphSeconds += q.EGraphSeconds
		p.QuantifiedProved += q.QuantifiedProved
		p.QuantifiedSeconds += q.QuantifiedSeconds
	}
	r.Unproved = append(r.Unproved, o.Unproved...)
	r.Set.AddAll(o.Set.Rules)
	for _, l := range o.Set.Lemmas {
		if !slices.ContainsFunc(r.Set.Lemmas, func(k *rules.Lemma) bool { return k.Law.Name == l.Law.Name }) {
			r.Set.Lemmas = append(r.Set.Lemmas, l)
		}
	}
	r.Set.Header.Universe = strings.Join([]string{r.Set.Header.Universe, o.Set.Header.Universe}, " | ")
}

func cpuOf(r *Report) float64 {
	if r.GraphsPerCPUSecond == 0 {
		return 0
	}
	return float64(r.Graphs) / r.GraphsPerCPUSecond
}

// count counts the rules of all runs, and what is not proved once; a candidate that
// another run proved is not among that.
func (r *Report) count() {
	r.Set.Sort()
	r.Set.DropInstances()
	c := r.Set.Count()
	r.Rules = Counts{Proved: c.Proved, Derivable: c.Derivable, Kept: c.Kept}
	seen := map[string]bool{}
	r.Unproved = slices.DeleteFunc(r.Unproved, func(u Unproved) bool {
		key := u.ID
		if key == "" {
			key = u.Law
		} else if _, proved := r.Set.Find(u.ID); proved {
			return true
		}
		again := seen[key]
		seen[key] = true
		return again
	})
	for _, u := range r.Unproved {
		if u.Status == law.RefutedWord {
			r.Rules.Refuted++
		} else {
			r.Rules.Unknown++
		}
	}
}
