package optimize

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// What is proved, compared and measured is the file that is delivered, as it is read again.

// deliver writes the file of a result and reads it. Without a file that the model was read
// from, or a folder, it is the model as it was built. refused says why there is none.
func (r *Result) deliver(ctx context.Context, o *Options, b *built) (m *model.Model, refused error) {
	r.Changes, r.source, r.original, r.keepDead = nil, o.Source, o.Model, o.KeepDead
	if o.Source == nil || o.Folder == "" || !b.changed() {
		return b.out, nil
	}
	if b.read == nil && b.unwritten == nil {
		path := filepath.Join(o.Folder, fmt.Sprintf("result-%d.onnx", *o.written))
		*o.written++
		dynamic := o.Model.Graph.Sizing() != nil
		// Of a model with variables, sizes that are none were given: the proof is for these.
		opt := onnx.RewriteOptions{Clean: !o.KeepDead, Link: true, Fix: dynamic && len(o.Source.Open()) > 0}
		b.changes, b.unwritten = onnx.Rewrite(path, o.Source, b.out, opt)
		var open []graph.SizeVar
		var why error
		if b.unwritten == nil && len(o.Source.Open()) > 0 && !dynamic {
			if open, why = o.provedOpen(ctx, b, path); why != nil {
				opt.Fix = true
				b.changes, b.unwritten = onnx.Rewrite(path, o.Source, b.out, opt)
			}
		}
		if b.unwritten == nil {
			if b.changes.Open = open; why != nil {
				b.changes.FixedBecause = why.Error()
			}
			b.read, b.unwritten = o.Source.ReadResult(path)
		}
		var e *onnx.Error
		if errors.As(b.unwritten, &e) {
			b.unwritten = fmt.Errorf("the result cannot be written into the file: %w", e.Err)
		}
		b.path = path
	}
	if b.unwritten != nil {
		return b.out, b.unwritten
	}
	b.read.Name, b.read.Filled = o.Model.Name, o.Model.Filled
	r.Changes, r.File, r.built = b.changes, b.path, b.out
	return b.read, nil
}

// Write writes the result to a file: the file that the model was read from with the changes
// that were proved, byte by byte as it was where there are none. A model that was read from
// no file is written whole. What is written is what was proved, or there is an error.
func (r *Result) Write(path string) error {
	if r.source == nil {
		return r.writeWhole(path)
	}
	if r.File == "" {
		_, err := onnx.Rewrite(path, r.source, r.original, onnx.RewriteOptions{})
		return err
	}
	want, err := digest(r.File)
	if err != nil {
		return err
	}
	_, err = onnx.Rewrite(path, r.source, r.built, onnx.RewriteOptions{Clean: !r.keepDead, Fix: len(r.Changes.Fixed) > 0, Digest: want})
	if errors.Is(err, onnx.ErrDigest) {
		return fmt.Errorf("%s is not written: it would not be the file that was proved, as the model's file changed meanwhile", path)
	}
	return err
}

// digest is that of a file.
func digest(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	return h.Sum(nil), nil
}

// writeWhole writes a model that was read from no file, and reads it again.
func (r *Result) writeWhole(path string) error {
	tmp, done, err := atomicfile.Folder(filepath.Dir(path), ".optimize-*")
	if err != nil {
		return err
	}
	defer done()
	again := filepath.Join(tmp, filepath.Base(path))
	if err := onnx.Write(again, r.Model, onnx.WriteOptions{}); err != nil {
		return err
	}
	m, _, err := onnx.Read(again, onnx.ReadOptions{})
	if err != nil {
		return fmt.Errorf("read the result again: %w", err)
	}
	if m.Graph.Hash() != r.Model.Graph.Hash() {
		return errors.New("the result, written and read again, is another network; this is a mistake in the program")
	}
	return onnx.Write(path, r.Model, onnx.WriteOptions{})
}
