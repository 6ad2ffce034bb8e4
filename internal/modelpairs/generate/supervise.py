"""Works through numbers in a child process, which a judge may take down with it."""

import mmap
import os
import struct
import sys
import traceback


def run(numbers, work, crashed):
    """Calls work for each number, and crashed for those at which the process died."""
    at = mmap.mmap(-1, 8)
    k = 0
    while k < len(numbers):
        child = os.fork()
        if child == 0:
            try:
                for j in range(k, len(numbers)):
                    at[:8] = struct.pack("q", j)
                    work(numbers[j])
                os._exit(0)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
        status = os.waitpid(child, 0)[1]
        if not os.WIFSIGNALED(status):
            sys.exit(os.waitstatus_to_exitcode(status))
        (j,) = struct.unpack("q", at[:8])
        crashed(numbers[j])
        k = j + 1
