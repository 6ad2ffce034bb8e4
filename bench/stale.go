package bench

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Job is a benchmark whose record is stale or missing.
type Job struct {
	Benchmark *Benchmark
	// Record is the stale record, nil if there is none yet.
	Record *Record
	State  State
	// Took is what the record's run took, 0 if that is not known.
	Took time.Duration
}

// Stale lists the benchmarks whose records are stale or missing, the cheapest first. Those
// of unknown duration come last, by name; records of the past are left out.
func (r *Repository) Stale(records map[string]*Record) []Job {
	var jobs []Job
	for _, b := range All() {
		rec := records[b.Name]
		s := r.State(b, rec)
		if s.Age != Older && s.Age != None || b.Past() {
			continue
		}
		j := Job{Benchmark: b, Record: rec, State: s}
		if rec != nil {
			j.Took = time.Duration(rec.Seconds * float64(time.Second))
		}
		jobs = append(jobs, j)
	}
	slices.SortStableFunc(jobs, func(a, b Job) int {
		if a.Took == 0 || b.Took == 0 {
			return cmp.Compare(b.Took, a.Took) // unknown last
		}
		return cmp.Compare(a.Took, b.Took)
	})
	return jobs
}

// Within is how many jobs of a list that [Repository.Stale] sorted fit into a time
// together. A job of unknown duration fits only where limit is 0: no limit.
func Within(jobs []Job, limit time.Duration) int {
	if limit == 0 {
		return len(jobs)
	}
	sum := time.Duration(0)
	for i, j := range jobs {
		if sum += j.Took; j.Took == 0 || sum > limit {
			return i
		}
	}
	return len(jobs)
}

// Arguments are the models and repetitions that a record's command names, so that it is
// made again in the same way: nil and 0 where it names none.
func (r *Record) Arguments() (models []string, repeat int) {
	words := strings.Fields(r.Command)
	if !strings.HasPrefix(r.Command, "taso bench run ") {
		return nil, 0
	}
	for i, w := range words[:max(0, len(words)-1)] {
		switch w {
		case "--models":
			models = strings.Split(words[i+1], ",")
		case "--repeat":
			repeat, _ = strconv.Atoi(words[i+1])
		}
	}
	return models, repeat
}
