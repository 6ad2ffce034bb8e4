package procstat

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// A Usage is a reading of this process. Memory is in bytes; 0 means that the
// system does not say.
type Usage struct {
	RSS       int64         // resident now
	PeakRSS   int64         // largest resident set: VmHWM if there, else MaxRSS, else Go's own
	MaxRSS    int64         // ru_maxrss of getrusage
	UserCPU   time.Duration // time of all threads in the program
	SystemCPU time.Duration // time of all threads in the kernel
}

// CPU returns user plus system time.
func (u Usage) CPU() time.Duration { return u.UserCPU + u.SystemCPU }

// CPUSeconds returns user plus system time in seconds.
func (u Usage) CPUSeconds() float64 { return u.CPU().Seconds() }

// statusFile is Linux's text form of a process's state; no other system has it.
const statusFile = "/proc/self/status"

// Read returns the present usage. It never fails: what a system does not tell
// is 0, or for the peak the best that is known.
func Read() Usage {
	u := rusage()
	if text, err := os.ReadFile(statusFile); err == nil {
		u.RSS = statusBytes(text, "VmRSS")
		u.PeakRSS = statusBytes(text, "VmHWM")
	}
	if u.PeakRSS == 0 {
		u.PeakRSS = u.MaxRSS
	}
	if u.PeakRSS == 0 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		u.PeakRSS = int64(m.Sys)
	}
	// The kernel keeps both numbers by thread and adds them up lazily, so that
	// the present may be seen above the peak by a few pages.
	u.PeakRSS = max(u.PeakRSS, u.RSS)
	return u
}

// statusBytes returns the value of a line "key:   123 kB" in bytes, 0 if there
// is none.
func statusBytes(text []byte, key string) int64 {
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(line, []byte(key+":"))
		if !ok {
			continue
		}
		f := bytes.Fields(rest)
		if len(f) != 2 || string(f[1]) != "kB" {
			return 0
		}
		n, err := strconv.ParseInt(string(f[0]), 10, 64)
		if err != nil || n < 0 || n > 1<<50 {
			return 0
		}
		return n << 10
	}
	return 0
}

// resetPeak sets the kernel's peak back to the present resident set and reports
// whether the system can do that.
func resetPeak() bool {
	f, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	_, err = f.WriteString("5")
	return f.Close() == nil && err == nil
}

// A Stage is what one stage of a command used.
type Stage struct {
	Wall    time.Duration // elapsed time
	CPU     time.Duration // user plus system time of all threads
	PeakRSS int64         // bytes; see Meter
}

// A Meter divides a process's life into stages. PeakRSS of a stage is the
// largest resident set during the stage where the peak can be reset (Linux);
// elsewhere the largest since the process began. Since the peak belongs to the
// process, one Meter should be in use at a time. A Meter is safe for concurrent
// use.
type Meter struct {
	mu        sync.Mutex
	wall      time.Time
	cpu       time.Duration
	peak      int64 // of the stages before this one
	firstWall time.Time
	firstCPU  time.Duration
}

// NewMeter starts the first stage. The peak before it is part of Total only.
func NewMeter() *Meter {
	u := Read()
	now := time.Now()
	m := &Meter{wall: now, cpu: u.CPU(), peak: u.PeakRSS, firstWall: now, firstCPU: u.CPU()}
	resetPeak()
	return m
}

// Lap ends the present stage, returns its usage and begins the next.
func (m *Meter) Lap() Stage {
	m.mu.Lock()
	defer m.mu.Unlock()
	u, now := Read(), time.Now()
	s := Stage{Wall: now.Sub(m.wall), CPU: u.CPU() - m.cpu, PeakRSS: u.PeakRSS}
	m.wall, m.cpu, m.peak = now, u.CPU(), max(m.peak, u.PeakRSS)
	resetPeak()
	return s
}

// Total returns the time since NewMeter and the peak since the process began.
// Use it rather than Read for the peak: laps reset what Read sees.
func (m *Meter) Total() Stage {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := Read()
	return Stage{
		Wall:    time.Since(m.firstWall),
		CPU:     u.CPU() - m.firstCPU,
		PeakRSS: max(m.peak, u.PeakRSS),
	}
}
