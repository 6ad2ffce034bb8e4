package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"google.golang.org/grpc"
)

// Pool starts workers of pipelines as processes of their own: a program that calls
// beam.Init, with the flags that make it a worker. It is what Beam calls an external
// worker pool: runners are told of it by --environment_type=EXTERNAL and
// --environment_config=HOST:PORT.
type Pool struct {
	fnpb.UnimplementedBeamFnExternalWorkerPoolServer

	program string
	lis     net.Listener
	server  *grpc.Server

	mu     sync.Mutex
	closed bool
	procs  map[string]*exec.Cmd // by id of the worker
	ended  sync.WaitGroup
}

// NewPool listens at an address, such as localhost:0, and starts program for each worker.
func NewPool(addr, program string) (*Pool, error) {
	lis, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("worker pool: %w", err)
	}
	p := &Pool{program: program, lis: lis, server: grpc.NewServer(), procs: map[string]*exec.Cmd{}}
	fnpb.RegisterBeamFnExternalWorkerPoolServer(p.server, p)
	go p.server.Serve(lis)
	return p, nil
}

// Addr is where the pool listens.
func (p *Pool) Addr() string { return p.lis.Addr().String() }

// Processes are the ids of the processes that run.
func (p *Pool) Processes() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []int
	for _, c := range p.procs {
		ids = append(ids, c.Process.Pid)
	}
	slices.Sort(ids)
	return ids
}

// StartWorker is called by runners.
func (p *Pool) StartWorker(_ context.Context, req *fnpb.StartWorkerRequest) (*fnpb.StartWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := req.GetWorkerId()
	fail := func(format string, args ...any) (*fnpb.StartWorkerResponse, error) {
		return &fnpb.StartWorkerResponse{Error: fmt.Sprintf(format, args...)}, nil
	}
	switch {
	case p.closed:
		return fail("the worker pool is closed")
	case p.procs[id] != nil:
		return fail("worker %q runs already", id)
	}
	if err := p.start(req, restarts); err != nil {
		return fail("worker %q: %v", id, err)
	}
	return &fnpb.StartWorkerResponse{}, nil
}

// restarts is how often a process that ends by itself is started again: runners wait long
// for one that ends before they know it.
const restarts = 2

// start starts a process; p.mu is held.
func (p *Pool) start(req *fnpb.StartWorkerRequest, again int) error {
	id := req.GetWorkerId()
	c := exec.Command(p.program, "--worker", "--id="+id,
		"--logging_endpoint="+req.GetLoggingEndpoint().GetUrl(), "--control_endpoint="+req.GetControlEndpoint().GetUrl())
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		return err
	}
	p.procs[id] = c
	p.ended.Go(func() {
		c.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.procs[id] != c {
			return // it was stopped
		}
		delete(p.procs, id)
		if again > 0 && !p.closed {
			p.start(req, again-1)
		}
	})
	return nil
}

// StopWorker is called by runners.
func (p *Pool) StopWorker(_ context.Context, req *fnpb.StopWorkerRequest) (*fnpb.StopWorkerResponse, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.procs[req.GetWorkerId()]; c != nil {
		delete(p.procs, req.GetWorkerId())
		c.Process.Kill()
	}
	return &fnpb.StopWorkerResponse{}, nil
}

// Close ends all workers and the pool.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.procs {
		c.Process.Kill()
	}
	p.mu.Unlock()
	p.server.Stop()
	p.ended.Wait()
}
