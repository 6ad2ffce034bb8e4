package main

import (
	"testing"
	"time"

	"github.com/taso-go/taso/internal/procstat"
)

// A command that was interrupted is ended when it has computed for half a second, but not if it
// writes what it has.
func TestOverdue(t *testing.T) {
	for _, saves := range []bool{false, true} {
		returned := make(chan struct{})
		go func() {
			start := time.Now()
			for begin := procstat.Read().CPU(); procstat.Read().CPU()-begin < 2*graceCPU || time.Since(start) < 2*grace; {
			}
			close(returned)
		}()
		if got := overdue(returned, &partsDone{saves: saves}); got == saves {
			t.Errorf("a command that saves results, %v, is overdue: %v", saves, got)
		}
		<-returned
	}
}
