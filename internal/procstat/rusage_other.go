//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package procstat

import (
	"runtime/metrics"
	"time"
)

// rusage estimates processor time by what the Go runtime spent, since this
// system has no getrusage. It is brought up to date at garbage collections.
func rusage() Usage {
	s := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(s)
	for _, x := range s {
		if x.Value.Kind() != metrics.KindFloat64 {
			return Usage{}
		}
	}
	seconds := s[0].Value.Float64() - s[1].Value.Float64()
	return Usage{UserCPU: time.Duration(seconds * float64(time.Second))}
}
