// Package worker runs requests in processes that can be killed.
//
// Z3 overruns its own time limits and now and then does not listen to an
// interrupt at all; a goroutine inside a C call cannot be stopped. So provers
// also run as worker processes of the same binary. A [Pool] starts them, sends
// each one request at a time, kills one that is late, and replaces it. It knows
// nothing of Z3.
//
// # Words
//
//   - A worker is a process that answers one request at a time, on its standard
//     input and output, by calling [Serve].
//   - A request is late when it has run for longer than [Config.Timeout] on the
//     wall clock. Waiting for a free worker does not count.
//
// # Wire format
//
// One JSON object a line. Request: {"id": 1, "body": …}. Response, in the
// order of the requests: {"id": 1, "body": …}, or {"id": 1, "error": "text"}
// when the handler failed. Standard error is free for messages; its end is
// part of a [CrashError].
//
// # Order
//
// [Map] gives the result of request i at index i, whichever worker ran it and
// whenever it ended. For output that does not depend on the number of workers,
// a handler must answer from the request alone: a prover that is kept warm
// between requests must not let earlier goals change later verdicts.
//
// The package needs a Unix system: it kills process groups.
package worker
