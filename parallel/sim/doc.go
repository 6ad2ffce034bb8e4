// Package sim simulates task graphs on a cluster: when each task runs, what waits for
// what, how much memory is taken. It knows nothing of tensors or of who made the graph.
//
// # Words
//
//	task       work that begins when other tasks are over: computing on a device, sending,
//	           a collective, waiting
//	resource   what serves one task at a time, first come, first served: a device, or a
//	           link one way. A task holds all its resources from its start on, a device
//	           while it computes, a link while bytes pass
//	ready      all that a task waits for is over
//	run        the times of all tasks; its length is the makespan
//	output     bytes that a task leaves on a device or host until the last task that reads
//	           them is over
//	critical   the tasks for which the run waited, one after the other
//
// # Picture
//
//	machine.Cluster ─┐                            ┌► Makespan, Span, Usage, Critical
//	tasks ─► Add ────┴► Graph ─► Run ─► times ────┼► Memory, Fits
//	          Set, Remove ──┘    (full, delta)    └► WriteTrace, WriteHTML
//
// # What is modelled
//
// Computing and sending are different resources, so they overlap. Messages that cross the
// same link one way wait for each other: two take twice as long as one, but for the
// latency, which is of each message and does not keep others waiting. A task that needs
// several links begins when all are free.
//
// Who is ready first is served first. Of tasks that are ready at the same time those go
// first that wait for fewer tasks without time (a barrier is over before what waits for
// it), then lower IDs. A schedule, such as one forward, one backward, is not a matter of
// priorities: tasks of one device wait for each other as it says.
//
// Times are whole picoseconds. Sums of these are exact in any order, so that closed forms
// are met to the last digit; bytes over bandwidth is rounded up, once for each link that a
// task holds.
//
// # Full and delta
//
// [Graph.Run] simulates only what changed since the run before, if that is less than half
// of the tasks. What it finds is what a run from the start finds, exactly: the order of
// service is decided by the keys above alone, never by the order of edits. Planners take
// an edit back by setting what was there before. FlexFlow (Jia, Zaharia, Aiken, "Beyond
// data and model parallelism for deep neural networks", MLSys 2019) simulates so; its
// algorithm propagates changes along tasks, ours sweeps over time once.
package sim
