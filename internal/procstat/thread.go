package procstat

import "time"

// ThreadCPU returns the processor time that the calling thread of the operating
// system has used so far, and false where the system does not say. The caller
// must stay on the thread between two calls: see runtime.LockOSThread.
//
// What a stretch of work took on the clock beyond its processor time, it waited:
// for other work on the same processor, if it does not wait for anything itself.
func ThreadCPU() (time.Duration, bool) { return threadCPU() }
