package procstat

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

func TestStatusBytes(t *testing.T) {
	text := []byte("Name:\ttaso\nVmPeak:\t 99 kB\nVmHWM:\t   1234 kB\nVmRSS:\t1000 MB\nVmData:\t-5 kB\nVmLib:\tx kB\nVmExe:")
	for key, want := range map[string]int64{
		"VmHWM": 1234 << 10, "VmPeak": 99 << 10,
		"VmRSS": 0, "VmData": 0, "VmLib": 0, "VmExe": 0, "VmSwap": 0, "Vm": 0,
	} {
		if got := statusBytes(text, key); got != want {
			t.Errorf("%s: %d, want %d", key, got, want)
		}
	}
}

// touch allocates and writes n bytes.
func touch(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 4096 {
		b[i] = 1
	}
	return b
}

// spin uses the processor for at least the given CPU time.
func spin(t *testing.T, d time.Duration) {
	t.Helper()
	start, deadline := Read().CPU(), time.Now().Add(30*time.Second)
	for Read().CPU()-start < d {
		if time.Now().After(deadline) {
			t.Fatalf("after 30 s of work CPU time grew by %v", Read().CPU()-start)
		}
	}
}

func TestRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("exact on Linux only")
	}
	const size = 64 << 20
	before := Read()
	b := touch(size)
	after := Read()
	runtime.KeepAlive(b)
	if before.RSS <= 0 || before.MaxRSS <= 0 {
		t.Fatalf("reading %+v", before)
	}
	if after.RSS-before.RSS < size/2 {
		t.Errorf("resident set grew from %d to %d after touching %d bytes", before.RSS, after.RSS, size)
	}
	if after.PeakRSS < after.RSS {
		t.Errorf("peak %d below the present %d", after.PeakRSS, after.RSS)
	}
	spin(t, 20*time.Millisecond)
	if got := Read().CPUSeconds() - after.CPUSeconds(); got < 0.019 || got > 30 {
		t.Errorf("CPU time grew by %v s", got)
	}
}

func TestMeter(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("exact on Linux only")
	}
	if !resetPeak() {
		t.Skip("this kernel cannot reset the peak")
	}
	const size = 96 << 20
	m := NewMeter()
	b := touch(size)
	spin(t, 10*time.Millisecond)
	big := m.Lap()
	runtime.KeepAlive(b)
	b = nil
	debug.FreeOSMemory()
	m.Lap() // the freeing itself
	small := m.Lap()
	total := m.Total()
	if big.PeakRSS < size {
		t.Errorf("first stage: peak %d after touching %d bytes", big.PeakRSS, size)
	}
	if small.PeakRSS > big.PeakRSS-size/2 {
		t.Errorf("third stage: peak %d, was %d before %d bytes were freed", small.PeakRSS, big.PeakRSS, size)
	}
	if total.PeakRSS < big.PeakRSS {
		t.Errorf("total peak %d below that of a stage, %d", total.PeakRSS, big.PeakRSS)
	}
	if big.CPU < 10*time.Millisecond || big.Wall <= 0 || total.CPU < big.CPU || total.Wall < big.Wall {
		t.Errorf("times: stage %+v, total %+v", big, total)
	}
}

func ExampleMeter() {
	m := NewMeter()
	// … the work of a stage …
	s := m.Lap()
	fmt.Println(s.Wall > 0, s.PeakRSS > 0, m.Total().Wall >= s.Wall)
	// Output: true true true
}

func ExampleRead() {
	u := Read()
	fmt.Println(u.PeakRSS > 0, u.PeakRSS >= u.RSS)
	// Output: true true
}

func ExampleProcessor() {
	fmt.Println(Processor() != "")
	// Output: true
}
