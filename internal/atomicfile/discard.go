package atomicfile

import (
	"os"
	"sync"
)

// unfinished are the temporary files and folders of this process.
var unfinished = struct {
	sync.Mutex
	paths     map[string]bool
	discarded bool
}{paths: map[string]bool{}}

// Discard removes the temporary files and folders of this package. From then on
// no file can be begun or committed. It is for a process that is about to exit
// while some of its goroutines may be writing.
func Discard() {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.discarded = true
	for path := range unfinished.paths {
		_ = os.RemoveAll(path)
	}
}

// Folder makes a temporary folder, as [os.MkdirTemp] does. The caller removes it
// with done; Discard does so too.
func Folder(dir, pattern string) (path string, done func(), err error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.discarded {
		return "", nil, ErrDone
	}
	if path, err = os.MkdirTemp(dir, pattern); err != nil {
		return "", nil, err
	}
	unfinished.paths[path] = true
	return path, func() { remove(path) }, nil
}

// begin creates a temporary file.
func begin(temp string) (*os.File, error) {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.discarded {
		return nil, ErrDone
	}
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err == nil {
		unfinished.paths[temp] = true
	}
	return file, err
}

// remove removes a temporary file or folder.
func remove(path string) {
	unfinished.Lock()
	defer unfinished.Unlock()
	_ = os.RemoveAll(path)
	delete(unfinished.paths, path)
}

// rename puts the temporary file in the place of the target.
func (f *File) rename() error {
	unfinished.Lock()
	defer unfinished.Unlock()
	if unfinished.discarded {
		return ErrDone
	}
	err := f.sys.rename(f.temp, f.target)
	if err == nil {
		delete(unfinished.paths, f.temp)
	}
	return err
}
