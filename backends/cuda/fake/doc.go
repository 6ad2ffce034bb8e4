// Package fake stands in for a GPU in tests: it builds libraries with the names and
// functions of the CUDA driver, NVRTC, cuBLASLt and cuDNN from the C sources in src, by
// gcc and g++, and runs kernels on the CPU.
//
// [Libraries] has package dl load them in a test as if they were real; [Environment] does so for
// another process. [Run] runs one kernel without them.
//
// Words:
//
//   - A call is one call of an exported function. Calls are counted from 1 and listed; any one
//     may be made to fail, alone or so that the device is lost. A call that gives something
//     back does so even where it then fails, as CUDA's do.
//   - A problem is what nobody may do, whether or not a library would notice it: memory that is
//     used outside of its bounds or after it was freed, or freed while there is work that did not
//     run; an object that is used after it was destroyed; a call on a thread without a context.
//     A leak is an object that was not given back. Either fails the test.
//   - Work that is put on a stream runs when somebody waits for it, no earlier, so that who does not
//     wait sees what was there before. A device's time is counted by what the work is, not measured.
//   - A kernel is CUDA C as NVRTC takes it, of one or more functions extern "C"
//     __global__. The fake compiles it as C++ after src/prelude.h, which declares
//     what NVRTC knows without headers and nothing else.
//   - A grid runs one thread at a time, in the order of their indices. Threads that meet
//     (at barriers, in shuffles) have a stack each and wait there for the others.
//   - A kernel is checked, unless it is asked not to be: each access to memory is
//     looked up, and one that is outside of every array, to freed memory, misaligned, or
//     in a race with another thread's (two accesses to a word, one of them a write, and no
//     barrier between) ends the grid with an error. So do a barrier that some threads of
//     a block do not reach, a shuffle without one of its lanes, an index outside of an array
//     whose size is known, and int arithmetic that overflows.
//   - Memory is poisoned: what nobody wrote, shared memory included, reads as NaN,
//     what was freed as 0xdd bytes.
//
// The fake is stricter than a GPU: a thread that has returned is missing at a barrier, a
// shuffle orders no accesses to memory (__syncwarp does), and blocks of one grid that
// hand values to each other race, even with __threadfence. It rounds each operation for
// itself (no contraction), and its functions are those of the C library.
package fake
