// stream.h: work is put on streams and runs late, when somebody waits for it, or it
// goes into a graph that is being captured.
#ifndef TASO_FAKE_STREAM_H
#define TASO_FAKE_STREAM_H

#include <stddef.h>

// A device's time is counted, not measured, so that it is the same in every run: each
// piece of work says how many nanoseconds it takes.
enum { TASO_LAUNCH_NS = 2000 };

// run does a piece of work: 0, or the error by which the device is lost.
typedef int taso_run(const void *data);

// taso_issue puts work on a stream, with a copy of its data: 0, or the driver's error.
int taso_issue(void *stream, taso_run *run, double ns, const void *data, size_t bytes);
// taso_stream_good is 0, or the driver's error.
int taso_stream_good(void *stream);
// taso_capturing says whether this thread captures; a call that may not be made then
// ends the capture, and returns an error.
int taso_capturing(const char *what);
// taso_finish runs everything on all streams.
void taso_finish(void);
int taso_queued(void); // whether there is work that did not run
void taso_reset_streams(void);
void taso_settle(int deep); // looks whether memory was damaged

#endif
