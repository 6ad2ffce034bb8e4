package cost

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"
	"github.com/taso-go/taso/internal/atomicfile"
)

// The file of a table:
//
//	{"format":"taso costs","version":1}
//	{"sum":"91f3…","entry":{"key":{"device":…},"sample":{"s":1.2e-05,…},"unix":…}}
//	…
//
// sum is the xxHash64 of the bytes of the entry, in 16 hexadecimal digits.
// Lines are only ever added. One writer at a time holds the lock of the file
// beside it, FILE.lock, and adds whole lines by one write; a reader needs no
// lock. A line without its end at the end of the file was being written when
// the writer died: readers report it, the next writer cuts it off.

const (
	formatName    = "taso costs"
	formatVersion = 1
	// maxLine bounds one line in bytes; an entry has about 400.
	maxLine = 1 << 16
)

type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

type line struct {
	Sum   string          `json:"sum"`
	Entry json.RawMessage `json:"entry"`
}

// Damage is a line of a table's file that could not be used.
type Damage struct {
	File string
	Line int // from 1
	Err  error
	// Torn: the line is the last one and has no end: a writer was interrupted.
	Torn bool
}

// Error is file:line: cause.
func (d *Damage) Error() string { return fmt.Sprintf("%s:%d: %v", d.File, d.Line, d.Err) }

// Unwrap is the cause.
func (d *Damage) Unwrap() error { return d.Err }

var (
	errTorn = errors.New("the line has no end: its writer was interrupted")
	errSum  = errors.New("the checksum does not fit the entry")
	errLong = fmt.Errorf("the line has more than %d bytes", maxLine)
)

// ReadTable reads a table's text into t; file is the name used in errors. Lines
// that cannot be used are skipped and reported. The error is for a reader that
// fails and for text that is no table.
func ReadTable(file string, r io.Reader, t *Table) (damaged []*Damage, err error) {
	br := bufio.NewReaderSize(r, maxLine+1)
	for n := 1; ; n++ {
		b, torn, long, err := readLine(br)
		if err == io.EOF {
			if n == 1 {
				return nil, nil // an empty file is an empty table
			}
			return damaged, nil
		}
		if err != nil {
			return damaged, fmt.Errorf("cost table %s: %w", file, err)
		}
		if n == 1 {
			if torn && bytes.HasPrefix([]byte(headerLine()), b) {
				return []*Damage{{File: file, Line: 1, Err: errTorn, Torn: true}}, nil
			}
			if err := checkHeader(b, torn || long); err != nil {
				return nil, fmt.Errorf("cost table %s:1: %w", file, err)
			}
			continue
		}
		switch {
		case long:
			err = errLong
		case torn:
			err = errTorn
		default:
			err = t.putLine(b)
		}
		if err != nil {
			damaged = append(damaged, &Damage{File: file, Line: n, Err: err, Torn: torn})
		}
	}
}

// readLine reads to the next end of line, not included. A long line is read to
// its end and given up.
func readLine(r *bufio.Reader) (b []byte, torn, long bool, err error) {
	b, err = r.ReadSlice('\n')
	for err == bufio.ErrBufferFull {
		long = true
		b, err = r.ReadSlice('\n')
	}
	switch {
	case err == nil:
		return b[:len(b)-1], false, long, nil
	case err == io.EOF && (len(b) > 0 || long):
		return b, true, long, nil
	}
	return nil, false, false, err
}

func checkHeader(b []byte, broken bool) error {
	var h header
	if err := json.Unmarshal(b, &h); broken || err != nil || h.Format != formatName {
		return fmt.Errorf("no table: the first line is not the one of %q", formatName)
	}
	if h.Version != formatVersion {
		return fmt.Errorf("version %d of the format, want %d", h.Version, formatVersion)
	}
	return nil
}

// putLine reads one line after the first.
func (t *Table) putLine(b []byte) error {
	var l line
	if err := json.Unmarshal(b, &l); err != nil {
		return err
	}
	if l.Sum != sumOf(l.Entry) {
		return errSum
	}
	d := json.NewDecoder(bytes.NewReader(l.Entry))
	d.DisallowUnknownFields() // a key's unknown field would merge different keys
	var e Entry
	if err := d.Decode(&e); err != nil {
		return err
	}
	e.Key = e.Key.today()
	_, err := t.Put(e)
	return err
}

func sumOf(b []byte) string {
	s := strconv.FormatUint(xxhash.Sum64(b), 16)
	return "0000000000000000"[len(s):] + s
}

// appendLine adds the line of an entry to b.
func appendLine(b []byte, e Entry) ([]byte, error) {
	k := e.Key
	for _, part := range []string{k.Device, k.Library, k.Layout, k.Math, k.Op, k.Attrs, k.In, k.Out} {
		if !utf8.ValidString(part) {
			return b, fmt.Errorf("%q is not UTF-8", part)
		}
	}
	raw, err := encode(e)
	if err != nil {
		return b, err
	}
	l, err := encode(line{sumOf(raw), raw})
	if err != nil {
		return b, err
	}
	if len(l) >= maxLine {
		return b, errLong
	}
	return append(append(b, l...), '\n'), nil
}

// encode is json.Marshal without escapes for HTML, which would change the
// bytes of an entry inside a line.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// WriteTable writes the best entries of all keys, sorted.
func WriteTable(w io.Writer, t *Table) error {
	b := []byte(headerLine())
	for _, e := range t.Entries() {
		var err error
		if b, err = appendLine(b, e); err != nil {
			return fmt.Errorf("cost table: %s: %w", e.Key, err)
		}
		if len(b) > 1<<20 {
			if _, err := w.Write(b); err != nil {
				return err
			}
			b = b[:0]
		}
	}
	_, err := w.Write(b)
	return err
}

func headerLine() string {
	return fmt.Sprintf("{\"format\":%q,\"version\":%d}\n", formatName, formatVersion)
}

// DefaultPath is where commands keep measured times:
// $XDG_CACHE_HOME/taso/costs/measured.costs, or what the system has in its
// place.
func DefaultPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("place of the cost table: %w", err)
	}
	return filepath.Join(dir, "taso", "costs", "measured.costs"), nil
}

// Store is a table with its file.
type Store struct {
	Table
	path string
	// Damaged are the lines that could not be used when the file was opened.
	Damaged []*Damage
}

// OpenStore reads the table in a file; a file that does not exist is an empty
// table, and is made when the first entry is added.
func OpenStore(path string) (*Store, error) {
	s := &Store{path: path}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cost table: %w", err)
	}
	defer f.Close()
	s.Damaged, err = ReadTable(path, f, &s.Table)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Path is the file's name.
func (s *Store) Path() string { return s.path }

// Add puts entries into the table and, those that are now the best of their
// keys, into the file. They are there when Add returns; another process may add
// to the same file meanwhile.
func (s *Store) Add(entries ...Entry) error {
	var b []byte
	for _, e := range entries {
		taken, err := s.Put(e)
		if err != nil {
			return fmt.Errorf("cost table %s: %w", s.path, err)
		}
		if !taken {
			continue
		}
		if b, err = appendLine(b, e); err != nil {
			return fmt.Errorf("cost table %s: %s: %w", s.path, e.Key, err)
		}
	}
	if len(b) == 0 {
		return nil
	}
	return s.locked(func() error { return appendFile(s.path, b) })
}

// Compact rewrites the file with the best entry of each key only, sorted; what
// other processes have added is read first and kept.
func (s *Store) Compact() error {
	return s.locked(func() error {
		f, err := os.Open(s.path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err == nil {
			defer f.Close()
			if _, err := ReadTable(s.path, f, &s.Table); err != nil {
				return err
			}
		}
		return atomicfile.WriteFile(s.path, func(w io.Writer) error { return WriteTable(w, &s.Table) })
	})
}

// locked runs f while no other process writes to the file.
func (s *Store) locked(f func() error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cost table %s: %w", s.path, err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o777); err != nil {
		return err
	}
	unlock, err := lockFile(s.path + ".lock")
	if err != nil {
		return err
	}
	defer unlock()
	return f()
}

// appendFile adds whole lines. The caller holds the lock.
func appendFile(path string, lines []byte) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	end, err := lastLineEnd(f, size)
	if err != nil {
		return err
	}
	if end < size {
		if err := f.Truncate(end); err != nil {
			return err
		}
	}
	if end == 0 {
		lines = append([]byte(headerLine()), lines...)
	}
	_, err = f.Write(lines)
	return err
}

// lastLineEnd is the position after the last end of line among the first size
// bytes, 0 if there is none.
func lastLineEnd(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 4096)
	for at := size; at > 0; {
		n := min(at, int64(len(buf)))
		at -= n
		if _, err := f.ReadAt(buf[:n], at); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			return at + int64(i) + 1, nil
		}
	}
	return 0, nil
}
