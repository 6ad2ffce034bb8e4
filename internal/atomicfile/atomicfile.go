package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// ErrDone is the error of a Write or Commit after Commit or Abort.
var ErrDone = errors.New("file is already committed or aborted")

// bufferSize is the write buffer in bytes; rule files are written in short
// lines, so that without it every line would be a system call.
const bufferSize = 64 << 10

// maxNameBytes bounds how much of the target's name the temporary name repeats,
// since file systems limit a name to 255 bytes.
const maxNameBytes = 200

// system is the part of the operating system that a commit depends on; tests
// replace it to make single steps fail.
type system struct {
	write  func(*os.File, []byte) (int, error)
	sync   func(*os.File) error
	close  func(*os.File) error
	rename func(from, to string) error
}

var realSystem = system{
	write:  (*os.File).Write,
	sync:   (*os.File).Sync,
	close:  (*os.File).Close,
	rename: os.Rename,
}

// A File is a file being written. It must be ended by Commit or Abort; calling
// Abort after Commit does nothing, so that
//
//	f, err := atomicfile.Create(path)
//	if err != nil { … }
//	defer f.Abort()
//	… write …
//	return f.Commit()
//
// is the usual form. A File is not safe for concurrent use.
type File struct {
	path    string // as given, for messages
	target  string // path with symbolic links resolved
	temp    string // "" when the target is written in place
	file    *os.File
	buf     *bufio.Writer
	sys     system
	done    bool
	failure error // first failed write
}

// Create starts writing a file that will replace path on Commit. The folder of
// path must exist. If path is a symbolic link, the file it points to is
// replaced, not the link; an existing file's permissions are kept.
func Create(path string) (*File, error) {
	return create(path, realSystem)
}

func create(path string, sys system) (*File, error) {
	f := &File{path: path, target: path, sys: sys}
	mode := fs.FileMode(0)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, fmt.Errorf("write %s: %w", path, err)
	case info.IsDir():
		return nil, fmt.Errorf("write %s: is a folder", path)
	case !info.Mode().IsRegular():
		// Renaming onto a device would remove the device.
		if f.file, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return nil, fmt.Errorf("write %s: %w", path, err)
		}
		f.buf = bufio.NewWriterSize(fileWriter{f}, bufferSize)
		return f, nil
	default:
		mode = info.Mode().Perm()
		if f.target, err = filepath.EvalSymlinks(path); err != nil {
			return nil, fmt.Errorf("write %s: %w", path, err)
		}
	}
	if err := f.openTemp(); err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	if mode != 0 {
		if err := f.file.Chmod(mode); err != nil {
			f.Abort()
			return nil, fmt.Errorf("write %s: keep permissions: %w", path, err)
		}
	}
	f.buf = bufio.NewWriterSize(fileWriter{f}, bufferSize)
	return f, nil
}

// openTemp creates the temporary file beside the target. Unlike os.CreateTemp
// it leaves the permissions to the umask, as for any newly written file.
func (f *File) openTemp() error {
	dir, base := filepath.Split(f.target)
	if len(base) > maxNameBytes {
		base = base[:maxNameBytes]
	}
	for try := 0; ; try++ {
		temp := filepath.Join(dir, "."+base+".tmp-"+strconv.FormatUint(rand.Uint64(), 36))
		file, err := begin(temp)
		if errors.Is(err, fs.ErrExist) && try < 100 {
			continue
		}
		if err != nil {
			return err
		}
		f.temp, f.file = temp, file
		return nil
	}
}

// fileWriter is the unbuffered end of a File.
type fileWriter struct{ f *File }

func (w fileWriter) Write(p []byte) (int, error) { return w.f.sys.write(w.f.file, p) }

// Write appends p to the file. Bytes are buffered: an error may be reported by
// a later Write or by Commit.
func (f *File) Write(p []byte) (int, error) {
	if f.done {
		return 0, fmt.Errorf("write %s: %w", f.path, ErrDone)
	}
	n, err := f.buf.Write(p)
	if err != nil {
		f.failure = fmt.Errorf("write %s: %w", f.path, err)
		return n, f.failure
	}
	return n, nil
}

// Commit makes the written bytes the content of the file: it flushes them to
// the disk and renames the temporary file onto the target. If any step fails,
// or any Write failed before, the file is aborted and the target left as it was.
func (f *File) Commit() error {
	if f.done {
		return fmt.Errorf("commit %s: %w", f.path, ErrDone)
	}
	if err := f.commit(); err != nil {
		f.Abort()
		return err
	}
	f.done = true
	return nil
}

func (f *File) commit() error {
	if f.failure != nil {
		return f.failure
	}
	if err := f.buf.Flush(); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	if f.temp == "" {
		// Devices and pipes cannot be synced.
		if err := f.sys.close(f.file); err != nil {
			return fmt.Errorf("close %s: %w", f.path, err)
		}
		return nil
	}
	// Without this a crash after the rename may leave an empty file.
	if err := f.sys.sync(f.file); err != nil {
		return fmt.Errorf("flush %s to disk: %w", f.path, err)
	}
	if err := f.sys.close(f.file); err != nil {
		return fmt.Errorf("close %s: %w", f.path, err)
	}
	if err := f.rename(); err != nil {
		return fmt.Errorf("commit %s: %w", f.path, err)
	}
	// The new name is durable once its folder is flushed. Some file systems
	// cannot do that; the file is complete either way, so an error is no reason
	// to report the write as failed.
	if dir, err := os.Open(filepath.Dir(f.target)); err == nil {
		_ = dir.Sync()
		_ = dir.Close()
	}
	return nil
}

// Abort gives the file up: the temporary file is removed and the target left as
// it was. After Commit or Abort it does nothing.
func (f *File) Abort() {
	if f.done {
		return
	}
	f.done = true
	_ = f.file.Close() // closed already if Commit failed later than that
	if f.temp != "" {
		remove(f.temp)
	}
}

// WriteFile replaces the content of path by what write writes. If write returns
// an error or panics, or the disk fails, path is left as it was and no
// temporary file remains. Errors of write are returned as they are.
func WriteFile(path string, write func(io.Writer) error) error {
	return writeFile(path, write, realSystem)
}

func writeFile(path string, write func(io.Writer) error, sys system) error {
	f, err := create(path, sys)
	if err != nil {
		return err
	}
	defer f.Abort()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}
