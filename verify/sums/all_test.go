package sums_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

// The results come in the order of the goals and do not depend on the workers.
func TestProveAll(t *testing.T) {
	goals := append(axioms.ByKind(law.Lemma), axioms.ByKind(law.Refute)[:12]...)
	one, err := sums.ProveAll(context.Background(), goals, sums.Config{}, 1)
	if err != nil {
		t.Fatal(err)
	}
	many, err := sums.ProveAll(context.Background(), goals, sums.Config{}, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range one {
		if r.Proved != (goals[i].Kind == law.Lemma) || (r.Reason == "") != r.Proved {
			t.Errorf("%s: %s", goals[i].Name, r)
		}
		w := many[i]
		r.Seconds, w.Seconds = 0, 0
		if !reflect.DeepEqual(r, w) {
			t.Errorf("%s: %+v, with more workers %+v", goals[i].Name, r, w)
		}
	}
}

func TestProveAllCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	rs, err := sums.ProveAll(ctx, axioms.ByKind(law.Lemma), sums.Config{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rs {
		if r.Proved || r.Reason == "" {
			t.Errorf("%+v", r)
		}
	}
	if rs, err := sums.ProveAll(ctx, nil, sums.Config{}, 0); err != nil || len(rs) != 0 {
		t.Errorf("no goals: %v, %v", rs, err)
	}
}
