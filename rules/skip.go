package rules

import "fmt"

// Skip is a rule, or one instance of it, that a format of other programs cannot say.
type Skip struct {
	Rule     string // identity
	Instance string // what stands for its variables, such as "P.. = 1 axes, s = (2, 2)"; "" for the rule itself
	Reason   string
}

// String is such as "r_0123456789 (s = (2, 2)): a side is an input".
func (s Skip) String() string {
	if s.Instance == "" {
		return s.Rule + ": " + s.Reason
	}
	return fmt.Sprintf("%s (%s): %s", s.Rule, s.Instance, s.Reason)
}

// NoInstance is the reason of a Skip of a rule each of whose instances was skipped.
const NoInstance = "no instance of it can be said"
