// Package sweep says how much of a long sweep over cases a test does.
package sweep

import "os"

// Size is part in make test, and whole in make sweeps, which sets TASO_WHOLE_SWEEPS.
func Size(part, whole int) int {
	if os.Getenv("TASO_WHOLE_SWEEPS") != "" {
		return whole
	}
	return part
}
