//go:build !unix

package cost

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// lockWait is how long a lock is waited for where the system has none of its
// own and a process that died may have left it.
const lockWait = 10 * time.Second

// lockFile makes a file that must not be there yet, and waits for it to go.
func lockFile(path string) (unlock func(), err error) {
	for start := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err == nil {
			return func() { f.Close(); os.Remove(path) }, nil
		}
		if !errors.Is(err, fs.ErrExist) && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
		if time.Since(start) > lockWait {
			return nil, fmt.Errorf("lock %s: held for %s; remove the file if no other taso runs", path, lockWait)
		}
	}
}
