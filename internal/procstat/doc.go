// Package procstat reads what this process has used: memory and processor time.
//
// Words. The resident set (RSS) is the memory of the process that is in RAM, in
// bytes; its peak is the largest it has been. CPU time is user plus system time
// of all threads. On Linux the peak is VmHWM of /proc/self/status, and it can be
// reset (proc(5), clear_refs), which makes the peak of a single stage of a
// command measurable. The peak that getrusage(2) gives is read too: it may
// include the memory of the program that started this one. Elsewhere the peak
// of getrusage serves alone, and where there is none, the memory that the Go
// runtime has taken.
package procstat
