package cluster

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local" // folders as file systems have them
)

// A file is a line that says what it is, then records, each after its length as a varint,
// a length of 0, and the SHA-256 of all before.
const magic = "taso-cluster/1\n"

// maxRecord bounds records, so that a damaged length does not ask for much memory.
const maxRecord = 1 << 28

// output is a file that appears under its name when it is complete.
type output struct {
	fs         filesystem.Interface
	path, temp string
	to         io.WriteCloser
	buf        *bufio.Writer
	sum        interface {
		io.Writer
		Sum([]byte) []byte
	}
	number []byte
}

func create(ctx context.Context, path string) (*output, error) {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	// Several processes may write the same file at once.
	f := &output{fs: fs, path: path, temp: fmt.Sprintf("%s.%016x", path, rand.Uint64()), sum: sha256.New()}
	if f.to, err = fs.OpenWrite(ctx, f.temp); err != nil {
		fs.Close()
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	f.buf = bufio.NewWriterSize(f.to, 1<<18)
	return f, f.write([]byte(magic))
}

func (f *output) write(b []byte) error {
	f.sum.Write(b)
	if _, err := f.buf.Write(b); err != nil {
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}

// add writes a record, which is not empty.
func (f *output) add(record []byte) error {
	f.number = binary.AppendUvarint(f.number[:0], uint64(len(record)))
	if err := f.write(f.number); err != nil {
		return err
	}
	return f.write(record)
}

// commit gives the file its name.
func (f *output) commit(ctx context.Context) error {
	defer f.fs.Close()
	err := f.write([]byte{0})
	if err == nil {
		_, err = f.buf.Write(f.sum.Sum(nil))
	}
	err = errors.Join(err, f.buf.Flush(), f.to.Close())
	if err == nil {
		err = filesystem.Rename(ctx, f.fs, f.temp, f.path)
	}
	if err != nil {
		f.discard(ctx)
		return fmt.Errorf("write %s: %w", f.path, err)
	}
	return nil
}

// abort removes what was written.
func (f *output) abort(ctx context.Context) {
	f.to.Close()
	f.discard(ctx)
	f.fs.Close()
}

func (f *output) discard(ctx context.Context) {
	if r, ok := f.fs.(filesystem.Remover); ok {
		r.Remove(ctx, f.temp)
	}
}

// save writes a file with one call of fill, which adds records.
func save(ctx context.Context, path string, fill func(add func([]byte) error) error) error {
	f, err := create(ctx, path)
	if err != nil {
		return err
	}
	if err := fill(f.add); err != nil {
		f.abort(ctx)
		return err
	}
	return f.commit(ctx)
}

// load calls f with every record of a file, in order, if the file is whole.
func load(ctx context.Context, path string, f func(record []byte) error) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer fs.Close()
	from, err := fs.OpenRead(ctx, path)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	defer from.Close()
	if err := parse(from, f); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// saveBytes writes a file of bytes in records of chunkBytes.
func saveBytes(ctx context.Context, path string, data []byte) error {
	return save(ctx, path, func(add func([]byte) error) error {
		for chunk := range slices.Chunk(data, chunkBytes) {
			if err := add(chunk); err != nil {
				return err
			}
		}
		return nil
	})
}

// loadBytes reads what saveBytes wrote.
func loadBytes(ctx context.Context, path string) (data []byte, err error) {
	err = load(ctx, path, func(b []byte) error {
		data = append(data, b...)
		return nil
	})
	return data, err
}

// remove removes a file, as far as the file system allows.
func remove(ctx context.Context, path string) error {
	fs, err := filesystem.New(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	if r, ok := fs.(filesystem.Remover); ok {
		return r.Remove(ctx, path)
	}
	return nil
}

var errDamaged = errors.New("the file is damaged or not complete")

// parse reads a file. Records are given to f before the sum at the end is seen.
func parse(from io.Reader, f func(record []byte) error) error {
	sum := sha256.New()
	in := bufio.NewReaderSize(from, 1<<18)
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(in, head); err != nil || string(head) != magic {
		return errDamaged
	}
	sum.Write(head)
	var record bytes.Buffer
	for {
		n, err := binary.ReadUvarint(in)
		if err != nil || n > maxRecord {
			return errDamaged
		}
		sum.Write(binary.AppendUvarint(head[:0], n))
		if n == 0 {
			break
		}
		record.Reset()
		if _, err := io.CopyN(&record, in, int64(n)); err != nil {
			return errDamaged
		}
		sum.Write(record.Bytes())
		if err := f(record.Bytes()); err != nil {
			return err
		}
	}
	var want [sha256.Size]byte
	if _, err := io.ReadFull(in, want[:]); err != nil || !bytes.Equal(want[:], sum.Sum(nil)) {
		return errDamaged
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return errDamaged
	}
	return nil
}

// partPath names one of parts files.
func partPath(dir, what string, part, parts int) string {
	return fmt.Sprintf("%s/%s-%05d-of-%05d", dir, what, part, parts)
}

// name is a short name for content.
func name(content []byte) string {
	h := sha256.Sum256(content)
	return hex.EncodeToString(h[:8])
}

// removeAll removes a folder's files, as far as the file system allows.
func removeAll(ctx context.Context, dir string) error {
	fs, err := filesystem.New(ctx, dir)
	if err != nil {
		return err
	}
	defer fs.Close()
	r, ok := fs.(filesystem.Remover)
	if !ok {
		return nil
	}
	list, err := fs.List(ctx, dir+"/*")
	if err != nil {
		return fmt.Errorf("remove %s: %w", dir, err)
	}
	for _, f := range list {
		if err := r.Remove(ctx, f); err != nil {
			return fmt.Errorf("remove %s: %w", f, err)
		}
	}
	r.Remove(ctx, dir) // where folders are things of their own
	return nil
}
