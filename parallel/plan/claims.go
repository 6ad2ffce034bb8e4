package plan

import (
	"fmt"

	"github.com/taso-go/taso/egraph/extract"
)

// Claim is something that a file of a plan says and that cannot be derived from the plan,
// its model and its cluster, such as what a search has found out.
type Claim struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// Claims lists what [File.Honest] does not derive: by whom and how the plan was found, its
// cost in the planner's cost model, lower bounds, and whether it is optimal. ofModel: the
// sequential graph was compared with the model's.
func (f *File) Claims(ofModel bool) (out []Claim) {
	claim := func(what string, value any) { out = append(out, Claim{what, fmt.Sprint(value)}) }
	if !ofModel {
		claim("model", f.Model.Name)
		if f.Model.Batch > 0 {
			claim("batch", f.Model.Batch)
		}
		what := "inference"
		if r := f.Training; r != nil {
			what = fmt.Sprintf("training, %s, %s", r.Loss, r.Optimizer)
		}
		claim("work", what)
	}
	claim("planner", f.Planner)
	for i, p := range f.Passes {
		axis := fmt.Sprintf("mesh axis %d: ", i)
		claim(axis+"layouts searched", p.Means)
		claim(axis+"cost without overlap", p.Cost)
		claim(axis+"lower bound", p.Bound)
		claim(axis+"search ended", stopText(p.Stop))
	}
	if f.Pipeline == nil {
		claim("step without overlap", f.Time)
		return out
	}
	claim("stages: lower bound", f.Pipeline.Bound)
	claim("stages: candidates", f.Pipeline.Looked)
	claim("stages: candidates simulated", f.Pipeline.Simulated)
	claim("stages: search ended", stopText(f.Pipeline.Stop))
	return out
}

// stopText says why a search ended.
func stopText(s extract.Stop) string {
	switch s {
	case extract.StopOptimal:
		return "at an optimum"
	case extract.StopDone:
		return "without a proof of optimality"
	case extract.StopSteps:
		return "at its step limit"
	case extract.StopCancelled:
		return "when interrupted"
	case "":
		return "not stated"
	}
	return string(s)
}

// knownStop reports whether a search can end so.
func knownStop(s extract.Stop) bool { return stopText(s) != string(s) }
