package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/taso-go/taso/internal/procstat"
)

// Missing is the error of a benchmark that needs what is not there: a file, or
// another program. A Run may return one without the benchmark's name.
type Missing struct{ Benchmark, What string }

func (m *Missing) Error() string { return fmt.Sprintf("benchmark %s: needs %s", m.Benchmark, m.What) }

// Make runs a benchmark and completes its record: date, commit, machine, command,
// what it took, digests of its sources. An error says which benchmark failed; when
// the context ends it is the context's, and there is no record.
func Make(ctx context.Context, b *Benchmark, env *Env, command string) (*Record, error) {
	fail := func(err error) (*Record, error) { return nil, fmt.Errorf("benchmark %s: %w", b.Name, err) }
	if b.Past() {
		return fail(ErrPast)
	}
	for _, f := range b.Needs {
		if _, err := os.Stat(filepath.Join(env.Data, f)); env.Data == "" || errors.Is(err, fs.ErrNotExist) {
			return nil, &Missing{b.Name, f + "; name its folder by --data or TASO_DATA"}
		}
	}
	e := *env
	if b.Models && len(e.Models) == 0 {
		e.Models = b.Default
	}
	stamp := &Record{Name: b.Name, Command: command, Machine: Machine(), Date: time.Now().UTC().Format(time.DateOnly)}
	// Before the run: what is edited meanwhile is not what runs.
	if e.Root != "" {
		if err := stamp.source(b, e.Root); err != nil {
			return fail(err)
		}
	}
	cpu, start := procstat.Read().CPU(), time.Now()
	rec, err := b.Run(ctx, &e)
	e.Progress.Close()
	if err == nil {
		err = ctx.Err()
	}
	var missing *Missing
	if errors.As(err, &missing) {
		return nil, &Missing{b.Name, missing.What}
	}
	if err != nil {
		return fail(err)
	}
	if rec == nil {
		return fail(errors.New("it made no record"))
	}
	stamp.Seconds = round(time.Since(start).Seconds())
	stamp.CPUSeconds = round((procstat.Read().CPU() - cpu).Seconds())
	stamp.Tables, stamp.Plots, stamp.Notes = rec.Tables, rec.Plots, rec.Notes
	if err := stamp.Check(); err != nil {
		return nil, err
	}
	return stamp, nil
}

// round keeps hundredths of seconds.
func round(s float64) float64 { return float64(int64(s*100+0.5)) / 100 }

// source fills in the commit and the digests.
func (r *Record) source(b *Benchmark, root string) error {
	t, err := OpenTree(root)
	if err != nil {
		return err
	}
	if r.Sources, err = t.Digests(b.Packages); err != nil {
		return err
	}
	files, err := t.Files(b.Packages)
	if err != nil {
		return err
	}
	r.Commit, r.Changed = commit(root, files)
	return nil
}

// commit is the last commit that touched one of the files, "" where git does not
// know, and whether some of them hold changes that are in no commit. Not the last
// of all: that one may be about other code, and may yet be rewritten.
func commit(root string, files []string) (hash string, changed bool) {
	git := func(args ...string) (string, bool) {
		args = append(append([]string{"-C", root}, args...), "--")
		out, err := exec.Command("git", append(args, files...)...).Output()
		return strings.TrimSpace(string(out)), err == nil
	}
	hash, ok := git("log", "-1", "--format=%H")
	if !ok || !commitForm.MatchString(hash) {
		return "", false
	}
	status, ok := git("status", "--porcelain", "--untracked-files=all")
	return hash, !ok || status != ""
}

// Machine is what runs the program, in words.
func Machine() string {
	return fmt.Sprintf("%s, %d processors, %s", procstat.Processor(), runtime.NumCPU(), runtime.Version())
}

// Outdated reports a program that is older than the code of a checkout that it
// would speak of: its figures would be those of other code.
func (r *Repository) Outdated(program string, b *Benchmark) error {
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	files, err := r.Tree.Files(b.Packages)
	if err != nil {
		return fmt.Errorf("benchmark %s: %w", b.Name, err)
	}
	for _, f := range files {
		source, err := os.Stat(filepath.Join(r.Tree.Root, filepath.FromSlash(f)))
		if err != nil {
			return err
		}
		if source.ModTime().After(info.ModTime()) {
			return fmt.Errorf("benchmark %s: this program is older than %s: build it again", b.Name, f)
		}
	}
	return nil
}
