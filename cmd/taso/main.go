package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/procstat"
	"github.com/taso-go/taso/rules/peer"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFinding = 1 // the command did its work and found something, or was stopped
	exitError   = 2 // it could not do its work
)

// finding is the error of a command that did its work; its text says what it
// found.
type finding string

func (f finding) Error() string { return string(f) }

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// How long a command may take to return after Ctrl-C or SIGTERM. On a machine with
// nothing else to do it ends within a second, with the time to give back memory.
const (
	grace    = 600 * time.Millisecond // at least
	graceCPU = 500 * time.Millisecond // of processor time: a busy machine gives it later
	graceMax = 5 * time.Second
	// For a command that writes partial results when it is interrupted. A second Ctrl-C ends it at once.
	graceSaving = 60 * time.Second
)

// run executes one command line and returns the exit status.
func run(args []string, in io.Reader, out, diag io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := &partsDone{}
	ctx = context.WithValue(ctx, partsKey{}, done)
	returned := make(chan struct{})
	defer close(returned)
	context.AfterFunc(ctx, func() {
		stop() // a second Ctrl-C ends the program at once
		if overdue(returned, done) {
			leave(diag, done)
		}
	})

	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(diag)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return exitOK
	}
	var found finding
	switch {
	case errors.As(err, &found):
		complain(diag, cmd, err)
		return exitFinding
	case ctx.Err() != nil:
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted" + done.String())
		}
		complain(diag, cmd, err)
		return exitFinding
	}
	complain(diag, cmd, err)
	return exitError
}

// overdue waits until a command has returned, or until it has had its time to do so:
// it has computed long enough since the signal, or computes nothing and waits. A command that
// saves its results has a minute.
func overdue(returned <-chan struct{}, done *partsDone) bool {
	const tick = 50 * time.Millisecond
	start := time.Now()
	begin := procstat.Read().CPU()
	before := begin
	for still := 0; ; {
		select {
		case <-returned:
			return false
		case <-time.After(tick):
		}
		now := procstat.Read().CPU()
		if still++; now-before > time.Millisecond {
			still = 0
		}
		before = now
		switch waited := time.Since(start); {
		case waited < grace:
		case done.saving():
			if waited >= graceSaving {
				return true
			}
		case now-begin >= graceCPU, still >= 4, waited >= graceMax:
			return true
		}
	}
}

// leave ends a command that was interrupted and has not returned, in the middle
// of a long step. Files appear whole or not at all, so the unfinished ones go.
func leave(diag io.Writer, done *partsDone) {
	atomicfile.Discard()
	fmt.Fprintln(diag, "taso: interrupted"+done.String())
	os.Exit(exitFinding)
}

// partsDone are the parts of a command's work that are finished, which it reports if it is
// interrupted.
type partsDone struct {
	mu    sync.Mutex
	parts []string
	wrote bool // files
	saves bool // the command writes partial results when it is interrupted
}

type partsKey struct{}

// finishedPart notes a part of the work of the command that runs in ctx, and whether it is a
// file that was written.
func finishedPart(ctx context.Context, part string, file bool) {
	if d, ok := ctx.Value(partsKey{}).(*partsDone); ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.parts, d.wrote = append(d.parts, part), d.wrote || file
	}
}

// savesResults marks the command of ctx as one that writes partial results when it is interrupted.
func savesResults(ctx context.Context) {
	if d, ok := ctx.Value(partsKey{}).(*partsDone); ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.saves = true
	}
}

// saving reports whether [savesResults] was called.
func (d *partsDone) saving() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.saves
}

// String is what is appended to the report of an interruption.
func (d *partsDone) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.parts) == 0 {
		return ""
	}
	text := ". Finished: " + strings.Join(d.parts, ", ")
	if !d.wrote {
		text += ". No file was written"
	}
	return text
}

// Limits of what is printed of errors: inputs may have names of any length.
const (
	maxFaults = 20   // faults of one input
	maxFault  = 2000 // bytes of a fault
)

// complain prints an error, one line for each fault it joins. A fault of a text comes with
// the line of the text and a caret.
func complain(w io.Writer, cmd *cobra.Command, err error) {
	var places peer.Errors
	var place *peer.Error
	if !errors.As(err, &places) && errors.As(err, &place) {
		places = peer.Errors{place}
	}
	for i, e := range places {
		if i == maxFaults {
			fmt.Fprintf(w, "%s: and %d more\n", cmd.CommandPath(), len(places)-i)
			break
		}
		fmt.Fprintf(w, "%s: %s\n%s", cmd.CommandPath(), e, e.Excerpt())
	}
	if len(places) > 0 {
		return
	}
	var lines []string
	for _, l := range strings.Split(err.Error(), "\n") {
		if l = strings.TrimSpace(l); l != "" {
			lines = append(lines, l)
		}
	}
	for i, l := range lines {
		if i == maxFaults {
			fmt.Fprintf(w, "%s: and %d more\n", cmd.CommandPath(), len(lines)-i)
			return
		}
		if n := len(l) - maxFault; n > 0 {
			l = fmt.Sprintf("%s... (%d bytes more)", strings.ToValidUTF8(l[:maxFault], ""), n)
		}
		fmt.Fprintf(w, "%s: %s\n%s", cmd.CommandPath(), l, excerpt(cmd, l))
	}
}
