package spill

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Folder is where files of runs and records are. The zero value uses os.TempDir. It may be
// used by several goroutines.
type Folder struct {
	dir     string
	written atomic.Int64
	// create opens a file without a name; tests replace it to make a disk fail.
	create func(dir string) (disk, error)
}

// Error is a failure of the disk: it is full, or the folder is gone.
type Error struct {
	Folder string
	Err    error
}

func (e *Error) Error() string { return fmt.Sprintf("temporary file in %s: %v", e.Folder, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// disk is what is needed of a file.
type disk interface {
	io.ReaderAt
	io.Writer
	io.Closer
}

// NewFolder uses a folder, which must exist when something is written; "": os.TempDir.
func NewFolder(dir string) *Folder { return &Folder{dir: dir} }

// Path is the folder.
func (f *Folder) Path() string {
	if f.dir == "" {
		return os.TempDir()
	}
	return f.dir
}

// Written is the number of bytes written so far, files that are gone included.
func (f *Folder) Written() int64 { return f.written.Load() }

// file is a temporary file that is written at its end and read anywhere.
type file struct {
	folder *Folder
	disk   disk
	size   int64
}

func (f *Folder) file() (*file, error) {
	create := f.create
	if create == nil {
		create = unnamed
	}
	d, err := create(f.Path())
	if err != nil {
		return nil, &Error{f.Path(), err}
	}
	return &file{folder: f, disk: d}, nil
}

// unnamed opens a file that is gone when it is closed.
func unnamed(dir string) (disk, error) {
	f, err := os.CreateTemp(dir, "taso-spill-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func (f *file) write(b []byte) error {
	n, err := f.disk.Write(b)
	f.size += int64(n)
	f.folder.written.Add(int64(n))
	if err != nil {
		return &Error{f.folder.Path(), fmt.Errorf("after %d bytes: %w", f.size, err)}
	}
	return nil
}

func (f *file) read(b []byte, at int64) error {
	if n, err := f.disk.ReadAt(b, at); n < len(b) {
		return &Error{f.folder.Path(), fmt.Errorf("at byte %d: %w", at, err)}
	}
	return nil
}

func (f *file) close() error {
	if f == nil {
		return nil
	}
	return f.disk.Close()
}
