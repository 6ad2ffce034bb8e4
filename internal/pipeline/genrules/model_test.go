package genrules_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/internal/pipeline/genrules"
	"github.com/taso-go/taso/model"
)

func network(name string) (*model.Model, error) {
	n, err := models.BuildNetwork(name, models.Options{Seed: 1})
	if err != nil {
		return nil, err
	}
	return n.Model, nil
}

func ExampleRunFor() {
	m, err := network("squeezenet-tiny")
	if err != nil {
		fmt.Println(err)
		return
	}
	ops, f, err := genrules.Choose(m, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	rep, err := genrules.RunFor(context.Background(), genrules.Options{MaxOps: 2, Ops: ops}, f)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range f.NotEnumerated() {
		fmt.Printf("%s: %s\n", o.Operator, o.Reason)
	}
	for _, s := range f.Saving() {
		if s.Words == "removes a relu" {
			fmt.Printf("%d places: %s -> %s\n", s.Places, s.Before, s.After)
		}
	}
	fmt.Println(rep.Set.Rules[0].ID() == f.Rules[0].ID)
	// Output:
	// reshape: it is for models of sequences only
	// 26 places: relu(conv2d[act=none](A, B)) -> conv2d[act=relu](A, B)
	// true
}

// Each operator of each model is enumerated, or its report says why not; the list is one that can be
// enumerated, and rules that save come before those that match, and these before others.
func TestChoose(t *testing.T) {
	for _, name := range []string{"squeezenet-tiny", "bert-tiny", "resnet50-tiny", "mobilenetv2-full-tiny", "nasrnn-tiny", "bert-base-64-tiny"} {
		m, err := network(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		ops, f, err := genrules.Choose(m, []string{"relu"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Contains(ops, "relu") || !slices.IsSorted(ops) {
			t.Errorf("%s: operators %v", name, ops)
		}
		for _, o := range f.Operators {
			if (o.Enumerated == "") == (o.Reason == "") || o.Nodes < 1 {
				t.Errorf("%s: %+v", name, o)
			}
			if o.Enumerated != "" && !slices.Contains(ops, o.Enumerated) {
				t.Errorf("%s: %s is not among %v", name, o.Enumerated, ops)
			}
		}
		rep, err := genrules.RunFor(context.Background(), genrules.Options{MaxOps: 1, Ops: ops}, f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.IsSortedFunc(f.Rules, func(a, b genrules.Saving) int {
			switch {
			case a.Saves > b.Saves || a.Saves == b.Saves && a.Matches > 0:
				return -1
			case a.Saves == b.Saves && b.Matches == 0:
				return 0
			}
			return 1
		}) || len(f.Rules) != rep.Set.Len() {
			t.Errorf("%s: rules are not ordered: %+v", name, f.Rules)
		}
		save, match, nowhere := f.Counts()
		if save+match+nowhere != rep.Set.Len() {
			t.Errorf("%s: %d + %d + %d rules of %d", name, save, match, nowhere, rep.Set.Len())
		}
		if !strings.Contains(rep.Universe, "inputs") {
			t.Errorf("%s: %s", name, rep.Universe)
		}
	}
}
