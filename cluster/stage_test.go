package cluster

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/runnerlib"
	"google.golang.org/grpc"

	"github.com/taso-go/taso/internal/parallel"
)

// stager is a server that takes no files, and counts who hands them over.
type stager struct {
	jobpb.UnimplementedArtifactStagingServiceServer
	now, calls, most atomic.Int64
}

func (s *stager) ReverseArtifactRetrievalService(stream jobpb.ArtifactStagingService_ReverseArtifactRetrievalServiceServer) error {
	n := s.now.Add(1)
	s.calls.Add(1)
	for most := s.most.Load(); n > most && !s.most.CompareAndSwap(most, n); most = s.most.Load() {
	}
	_, err := stream.Recv()
	time.Sleep(2 * time.Millisecond) // as a map is written: others have time to come
	s.now.Add(-1)
	return err
}

// Pipelines that start together do not hand over files together, and one that ends in an
// error keeps no other from it.
func TestStaging(t *testing.T) {
	lis, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s, server := &stager{}, grpc.NewServer()
	jobpb.RegisterArtifactStagingServiceServer(server, s)
	go server.Serve(lis)
	defer server.Stop()
	const n = 16
	err = parallel.Each(context.Background(), n, 2*n, func(_, i int) error {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if i%2 == 1 {
			cancel()
		}
		_, err := runnerlib.Stage(ctx, "job", lis.Addr().String(), "", "token")
		if (err != nil) != (i%2 == 1) {
			t.Errorf("stage %d: %v", i, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if s.calls.Load() < n || s.most.Load() != 1 {
		t.Errorf("%d calls, %d at a time", s.calls.Load(), s.most.Load())
	}
}
