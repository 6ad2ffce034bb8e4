package lawtext

import "os"

// Sweep returns how many cases of a sweep a test tries: part, or whole if
// TASO_WHOLE_SWEEPS is set.
func Sweep(part, whole int) int {
	if os.Getenv("TASO_WHOLE_SWEEPS") != "" {
		return whole
	}
	return part
}
