package genrules

import (
	"context"
	"strings"
	"testing"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/law"
)

// A rule without the tag ordered neither rests on a law with it, nor is it derivable from
// one.
func TestTagged(t *testing.T) {
	rep := generate(t, Options{MaxOps: 3, Ops: []string{"conv2d_relu", "iconv", "relu", "enlarge", "ewmul"}, Seed: 1, Workers: 2})
	j, err := newJudge(context.Background(), nil, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	ordered := map[string]bool{}
	for _, l := range j.Laws {
		ordered[l.Name] = l.HasTag(law.TagOrdered)
	}
	for _, r := range rep.Set.Rules {
		ordered[r.ID()] = r.Law.HasTag(law.TagOrdered)
	}
	with, without, derived := 0, 0, 0
	for _, r := range rep.Set.Rules {
		if ordered[r.ID()] {
			with++
			continue
		}
		without++
		for _, name := range r.Proof.Laws() {
			if ordered[name] {
				t.Errorf("%s rests on %s", r.ID(), name)
			}
		}
		for _, id := range r.DerivableFrom {
			derived++
			if ordered[id] {
				t.Errorf("%s is derivable from %s", r.ID(), id)
			}
		}
	}
	if with == 0 || without == 0 || derived == 0 {
		t.Errorf("%d rules with the tag, %d without, that follow from %d", with, without, derived)
	}
}

// A candidate of the ordinary path that is proved with the tag only is told to the
// enumerator, which then has other laws proved that hold for any function. At levels whose
// pairs are first derived from smaller rules none with the tag is derived from.
func TestTaggedCandidate(t *testing.T) {
	text := "rule candidate given p : padding, s : stride then ewmul(%, %) == %"
	l, err := law.ParseLaw(strings.ReplaceAll(text, "%", "poolmax[kh=d, kw=e, stride=s, pad=p](iconv[c=a, kh=b, kw=c]())"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := canonical(l)
	if err != nil {
		t.Fatal(err)
	}
	j, err := newJudge(context.Background(), nil, &Options{Seed: 1, Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := enumerate.Candidate{Law: r.Law, Base: r.Law, Level: 3}
	verdicts, err := j.prove(context.Background(), []enumerate.Candidate{c})
	if err != nil {
		t.Fatal(err)
	}
	got := j.proved[r.ID()]
	if v := verdicts[0]; !v.Proved || !v.Ordered || got == nil || !got.Law.HasTag(law.TagOrdered) {
		t.Errorf("proved %v, ordered %v: %v", v.Proved, v.Ordered, got)
	}
	if err := j.basis(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, l := range j.basisLaws {
		if l.HasTag(law.TagOrdered) {
			t.Errorf("%s is derived from", l.Name)
		}
	}
	// What is proved without the tag later is a rule without.
	plain := *got
	m := *got.Law
	m.Tags = nil
	plain.Law = &m
	j.put(&plain, &enumerate.Candidate{Level: 4})
	if kept := j.proved[r.ID()]; kept != &plain || kept.Level != 3 {
		t.Errorf("kept with the tag, or at level %d", kept.Level)
	}
	if j.put(got, &c); j.proved[r.ID()] != &plain {
		t.Error("the tag is back")
	}
}
