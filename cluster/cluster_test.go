package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/rules"
)

func TestMain(m *testing.M) {
	beam.Init()
	os.Exit(m.Run())
}

// onPrism runs pipelines in this process.
func onPrism(ctx context.Context, p *beam.Pipeline) error {
	_, err := prism.Execute(ctx, p)
	return err
}

// written is all that a run writes.
func written(t testing.TB, opt genrules.Options) string {
	t.Helper()
	rep, err := genrules.Run(context.Background(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Stopped != "" {
		t.Fatal(rep.Stopped)
	}
	var b bytes.Buffer
	if err := rules.WriteText(&b, rep.Set); err != nil {
		t.Fatal(err)
	}
	if err := rules.WriteCert(&b, rep.Set); err != nil {
		t.Fatal(err)
	}
	unproved, err := json.MarshalIndent(rep.Unproved, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	b.Write(unproved)
	return b.String()
}

// A cluster writes what one process writes.
func TestSameBytes(t *testing.T) {
	opt := genrules.Options{MaxOps: 2, Seed: 1, Workers: 1}
	want := written(t, opt)
	c, err := New(opt, Options{Dir: t.TempDir(), Run: onPrism, Shares: 7, Parts: 3, Memory: 4096})
	if err != nil {
		t.Fatal(err)
	}
	opt.Cluster = c
	if got := written(t, opt); got != want {
		t.Error("other bytes")
	}
}
