//go:build unix

package cost

import (
	"os"
	"syscall"
)

// lockFile waits until this process alone holds the lock of a file, which is
// made if it is not there. The system gives the lock back when a process dies.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	return func() { f.Close() }, nil
}
