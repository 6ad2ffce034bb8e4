package cluster_test

import (
	"context"
	"fmt"
	"os"

	"github.com/taso-go/taso/cluster"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
)

// Rules of two operators on Beam's local runner.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	run, err := cluster.Runner("prism")
	if err != nil {
		fmt.Println(err)
		return
	}
	opt := genrules.Options{MaxOps: 2, Ops: []string{"transpose"}, Seed: 1}
	c, err := cluster.New(opt, cluster.Options{Dir: dir, Run: run, Shares: 2, Parts: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	opt.Cluster = c
	rep, err := genrules.Run(context.Background(), opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range rep.Set.Rules {
		fmt.Println(law.FormatOutputs(r.Law.LHS), "==", law.FormatOutputs(r.Law.RHS))
	}
	// Output: transpose[perm=inverse(u)](transpose[perm=u](A)) == A
}

// A pool of workers that another process's runner is told of.
func ExampleNewPool() {
	p, err := cluster.NewPool("localhost:0", "/usr/local/bin/taso-cluster")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	fmt.Println(p.Addr() != "", len(p.Processes()))
	// Output: true 0
}
