package cluster

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/grpc"
	"google.golang.org/grpc/connectivity"
	"google.golang.org/grpc/credentials/insecure"
)

// Pipelines that are submitted at a time (Options.Pipelines) hand over their files one after
// the other: Prism keeps those of all jobs in one map that nothing guards (Beam 2.77,
// artifact.go of its jobservices), and ended with "concurrent map writes". grpcx.Dial is
// where Beam lets programs say how they connect.
func init() { grpcx.Dial = dial }

// dial connects as Beam's own function does: without TLS, for messages of any size, and
// waiting for the server for so long.
func dial(ctx context.Context, endpoint string, timeout time.Duration) (*grpc.ClientConn, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cc, err := grpc.NewClient("passthrough:///"+endpoint, grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(math.MaxInt32)), grpc.WithStreamInterceptor(oneStaging))
	if err != nil {
		return nil, err
	}
	for s := cc.GetState(); s != connectivity.Ready; s = cc.GetState() {
		if s == connectivity.Idle {
			cc.Connect()
		}
		if !cc.WaitForStateChange(ctx, s) {
			cc.Close()
			return nil, fmt.Errorf("no connection to %s: %w", endpoint, ctx.Err())
		}
	}
	return cc, nil
}

// stagingNow is held by the call that hands over files.
var stagingNow sync.Mutex

// oneStaging has calls that hand over files wait for each other.
func oneStaging(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, call grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	if !strings.HasSuffix(method, "/ReverseArtifactRetrievalService") {
		return call(ctx, desc, cc, method, opts...)
	}
	stagingNow.Lock()
	s, err := call(ctx, desc, cc, method, opts...)
	if err != nil {
		stagingNow.Unlock()
		return nil, err
	}
	return &staging{s, sync.OnceFunc(stagingNow.Unlock)}, nil
}

// staging is a call that hands over files. Beam closes its side when the server has ended
// the call, that is, has written what it got, or on an error.
type staging struct {
	grpc.ClientStream
	done func()
}

func (s *staging) CloseSend() error {
	defer s.done()
	return s.ClientStream.CloseSend()
}
