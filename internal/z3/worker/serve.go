package worker

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

type request struct {
	ID   uint64          `json:"id"`
	Body json.RawMessage `json:"body"`
}

type response struct {
	ID    uint64          `json:"id"`
	Body  json.RawMessage `json:"body,omitempty"`
	Error string          `json:"error,omitempty"`
}

// ErrOrphaned is the cause with which [Serve] ends when the process that
// started the worker is gone.
var ErrOrphaned = errors.New("worker: parent process is gone")

const (
	parentPoll = 500 * time.Millisecond // how often Serve looks for its parent
	grace      = time.Second            // what a handler, or a worker, gets to end by itself
)

// Serve answers requests from in, one at a time, until in ends (nil) or ctx
// does (its cause). An error of the handler is the answer to that request and
// does not end Serve. Serve returns even if the handler does not listen to its
// ctx, so that the process can exit.
func Serve[Req, Resp any](ctx context.Context, in io.Reader, out io.Writer, handler func(context.Context, Req) (Resp, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go watchParent(ctx, cancel)

	// Reading and handling go on beside the wait for ctx: neither a blocked
	// read nor a call into C can be told to stop.
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, in, out, handler) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select {
	case <-ended:
	case <-time.After(grace):
	}
	return context.Cause(ctx)
}

func serve[Req, Resp any](ctx context.Context, in io.Reader, out io.Writer, handler func(context.Context, Req) (Resp, error)) error {
	r := bufio.NewReader(in)
	for n := 1; ctx.Err() == nil; n++ {
		line, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) == 0 {
			switch {
			case errors.Is(err, io.EOF):
				return nil
			case err != nil:
				return fmt.Errorf("worker: read request %d: %w", n, err)
			}
			continue
		}
		var req request
		if err := json.Unmarshal(line, &req); err != nil {
			// Without an id there is no one to answer.
			return fmt.Errorf("worker: request %d: %w", n, err)
		}
		resp := answer(ctx, req, handler)
		text, err := json.Marshal(resp)
		if err != nil {
			return fmt.Errorf("worker: response %d: %w", req.ID, err)
		}
		if ctx.Err() != nil {
			break
		}
		if _, err := out.Write(append(text, '\n')); err != nil {
			return fmt.Errorf("worker: write response %d: %w", req.ID, err)
		}
	}
	return context.Cause(ctx)
}

func answer[Req, Resp any](ctx context.Context, req request, handler func(context.Context, Req) (Resp, error)) response {
	resp := response{ID: req.ID}
	fail := func(err error) response {
		resp.Body, resp.Error = nil, err.Error()
		if resp.Error == "" {
			resp.Error = "error without a text"
		}
		return resp
	}
	var body Req
	if err := json.Unmarshal(req.Body, &body); err != nil {
		return fail(fmt.Errorf("worker: request body: %w", err))
	}
	v, err := handler(ctx, body)
	if err != nil {
		return fail(err)
	}
	if resp.Body, err = json.Marshal(v); err != nil {
		return fail(fmt.Errorf("worker: response body: %w", err))
	}
	return resp
}

// watchParent cancels when the parent process changes: an orphan is adopted by
// another. (The end of the input tells it too, but only between requests.)
func watchParent(ctx context.Context, cancel context.CancelCauseFunc) {
	parent := os.Getppid()
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				cancel(ErrOrphaned)
				return
			}
		}
	}
}
