package procstat_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/procstat"
)

// TestThreadCPU: work uses processor time, waiting does not.
func TestThreadCPU(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before, ok := procstat.ThreadCPU()
	if !ok {
		t.Skip("this system does not tell the processor time of a thread")
	}
	time.Sleep(50 * time.Millisecond)
	waited, _ := procstat.ThreadCPU()
	if d := waited - before; d < 0 || d > 25*time.Millisecond {
		t.Errorf("%v of processor time in 50 ms of sleep", d)
	}
	for start := time.Now(); time.Since(start) < 20*time.Millisecond; {
	}
	worked, _ := procstat.ThreadCPU()
	if d := worked - waited; d <= 0 || d > 10*time.Second {
		t.Errorf("%v of processor time in 20 ms of work", d)
	}
}

func ExampleThreadCPU() {
	runtime.LockOSThread() // the clock is the thread's
	defer runtime.UnlockOSThread()
	before, ok := procstat.ThreadCPU()
	if !ok {
		fmt.Println("not known here")
		return
	}
	after, _ := procstat.ThreadCPU()
	fmt.Println(after >= before)
}
