//go:build !linux

package procstat

import "time"

func threadCPU() (time.Duration, bool) { return 0, false }
