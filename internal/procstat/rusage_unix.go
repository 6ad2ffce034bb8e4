//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package procstat

import (
	"runtime"
	"syscall"
	"time"
)

// rusage reads getrusage(2) for this process.
func rusage() Usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return Usage{}
	}
	unit := int64(1 << 10) // ru_maxrss is in KiB …
	if runtime.GOOS == "darwin" {
		unit = 1 // … but there in bytes
	}
	return Usage{
		MaxRSS:    int64(r.Maxrss) * unit,
		UserCPU:   time.Duration(r.Utime.Nano()),
		SystemCPU: time.Duration(r.Stime.Nano()),
	}
}
