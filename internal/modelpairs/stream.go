package modelpairs

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
)

//go:embed generate/*.py
var programs embed.FS

// Pair is two models and the truth about them.
type Pair struct {
	Number   int    `json:"number"`
	Operator string `json:"operator"` // that of the node test it was made from
	Kind     string `json:"kind"`     // what was changed; "" if no pair was found for the number
	Equal    bool   `json:"equal"`
	// Witness is the input on which the models differ, where they are not equal.
	Witness []Input `json:"witness"`
	// Dropped counts the tries that gave no pair, by the reason.
	Dropped map[string]int `json:"dropped"`
	A, B    []byte         `json:"-"`
	// Variant computes what A does, by construction; nil if Options.Variants is not set.
	Variant []byte `json:"-"`
}

// Input is a value of an input: little-endian, row-major.
type Input struct {
	Name  string `json:"name"`
	DType string `json:"dtype"` // as numpy names it
	Sizes []int  `json:"sizes"`
	Data  []byte `json:"data"`
}

// Options say which pairs are made.
type Options struct {
	Python   string // an interpreter that can import onnx and onnxruntime
	Seed     uint64
	Count    int    // of numbers; a number may give no pair
	Workers  int    // processes; 0 is one
	Operator string // of all pairs; "" is each in turn
	Kind     string // of all pairs; "" is each in turn
	Variants bool   // only different pairs, with a variant of the first model
}

// maxBytes bounds a model of a pair.
const maxBytes = 1 << 26

// Generate makes pairs and calls yield for each, from one goroutine per worker. Which pairs
// are made depends on the seed and the count alone, their order on the workers too.
func Generate(ctx context.Context, o Options, yield func(*Pair) error) error {
	var more []string
	if o.Variants {
		more = append(more, "--variants")
	}
	return o.run(ctx, "main.py", more, func(r io.Reader) error { return Read(r, yield) })
}

// run runs one of the programs in several processes, each for its share of the numbers.
func (o Options) run(ctx context.Context, program string, more []string, read func(io.Reader) error) error {
	dir, err := os.MkdirTemp("", "modelpairs")
	if err != nil {
		return fmt.Errorf("generate pairs: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, programs); err != nil {
		return fmt.Errorf("generate pairs: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := max(o.Workers, 1)
	errs := make([]error, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			args := append([]string{filepath.Join(dir, "generate", program), "--seed", strconv.FormatUint(o.Seed, 10), "--count", strconv.Itoa(o.Count),
				"--first", strconv.Itoa(w), "--step", strconv.Itoa(workers), "--op", o.Operator, "--kind", o.Kind}, more...)
			if errs[w] = output(exec.CommandContext(ctx, o.Python, args...), read); errs[w] != nil {
				cancel()
			}
		}()
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("generate pairs: %w", err)
	}
	return nil
}

// output runs a command and has its standard output read.
func output(cmd *exec.Cmd, read func(io.Reader) error) error {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = read(out)
	if err != nil {
		_ = cmd.Process.Kill()
		_ = out.Close() // its child, which holds the pipe too, ends when it writes
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = fmt.Errorf("%w\n%s", ended, bytes.TrimSpace(stderr.Bytes()))
	}
	return err
}

// Read reads pairs as main.py writes them.
func Read(r io.Reader, yield func(*Pair) error) error {
	return records(r, func(line []byte, models [3][]byte) error {
		p := &Pair{}
		if err := json.Unmarshal(line, p); err != nil {
			return fmt.Errorf("read pair: %w", err)
		}
		p.A, p.B, p.Variant = models[0], models[1], models[2]
		return yield(p)
	})
}

// records reads lines of JSON, each with the models whose sizes it gives.
func records(r io.Reader, yield func(line []byte, models [3][]byte) error) error {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		} else if err != nil {
			return fmt.Errorf("read record: %w", err)
		}
		var head struct{ A, B, Variant int }
		if err := json.Unmarshal(line, &head); err != nil {
			return fmt.Errorf("read record: %w", err)
		}
		var models [3][]byte
		for i, n := range []int{head.A, head.B, head.Variant} {
			if n < 0 || n > maxBytes {
				return fmt.Errorf("read record: a model of %d bytes", n)
			}
			models[i] = make([]byte, n)
			if _, err := io.ReadFull(in, models[i]); err != nil {
				return fmt.Errorf("read record: %w", err)
			}
		}
		if err := yield(line, models); err != nil {
			return err
		}
	}
}
