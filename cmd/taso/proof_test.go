package main

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
)

func TestPrintRule(t *testing.T) {
	rep, err := genrules.Run(context.Background(), genrules.Options{MaxOps: 2, Ops: []string{"conv2d", "conv2d_relu", "relu"}, Seed: 1, AxiomsOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	set := rep.Set
	found := false
	for _, r := range set.Rules {
		var b strings.Builder
		if err := printRule(&b, set, r); err != nil {
			t.Errorf("%s: %v", r.ID(), err)
		}
		if r.Proof != nil && !strings.HasPrefix(b.String(), law.Format(r.Law)+"\nproved, use ") {
			t.Errorf("%s: begins otherwise:\n%s", r.ID(), b.String())
		}
		found = found || strings.Contains(b.String(), "\n  == ") && strings.Contains(b.String(), "\n       by axiom conv_relu: ")
	}
	if !found {
		t.Error("no proof uses conv_relu")
	}
	// A rule without a proof says why it has none, one with a proof that uses
	// an unknown law is an error.
	r := *set.Rules[0]
	var b strings.Builder
	r.Proof, r.Status, r.Reason = nil, rules.Unknown, "no time"
	if err := printRule(&b, set, &r); err != nil || !strings.HasSuffix(b.String(), "no time\n") {
		t.Errorf("%v: %s", err, b.String())
	}
	r.Proof = &law.Proof{Instances: []law.Instance{{Law: "nothing"}}}
	if err := printRule(&b, set, &r); err == nil || !strings.Contains(err.Error(), "there is no law nothing") {
		t.Error(err)
	}
}
