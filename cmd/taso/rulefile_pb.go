package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// readPB reads TASO's protocol buffer.
func readPB(in io.Reader, name string, reading taso.Reading) (*loaded, error) {
	data, err := io.ReadAll(io.LimitReader(in, tasopb.MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(data) == 0 {
		return nil, fmt.Errorf("%s: the file is empty", name)
	}
	coll, err := tasopb.Unmarshal(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	// The set names the axioms at hand, from which its rules may be proved later.
	out := &loaded{set: &rules.Set{
		Header: rules.Header{Tool: "TASO", AxiomsSHA256: axioms.SHA256()},
		Axioms: axioms.Text(),
	}}
	for i, t := range taso.From(coll, reading) {
		if t.Err != nil {
			out.skipped = append(out.skipped, t.Err.Error())
			continue
		}
		r, err := rules.New(t.Law)
		if err != nil {
			out.skipped = append(out.skipped, fmt.Sprintf("rule %d: %v", i, err))
			continue
		}
		r.Reason = "no certificate"
		if !out.set.Add(r) {
			out.twice++
		}
	}
	return out, nil
}

// pbOutcome is what became of a set in TASO's protocol buffer: a rule becomes
// instances, each a rule there.
type pbOutcome struct {
	written int // rules of the file
	skips   []taso.Skip
	lost    int // rules of the set of which nothing was written
}

// savePB writes a set as TASO's protocol buffer.
func savePB(path string, set *rules.Set, reading taso.Reading) (*pbOutcome, error) {
	coll, skips := taso.To(set.Rules, reading)
	err := atomicfile.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(coll.Marshal())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", path, err)
	}
	out := &pbOutcome{written: len(coll.Rules), skips: skips}
	for _, s := range skips {
		if s.Instance == "" {
			out.lost++
		}
	}
	return out, nil
}

// summary is such as "52 rules; 7 of ours it cannot say, of others not every
// instance: 7 a side is an input".
func (o *pbOutcome) summary() string {
	s := plural(o.written, "rule")
	if len(o.skips) == 0 {
		return s
	}
	return fmt.Sprintf("%s; %d of ours it cannot say, of others not every instance: %s", s, o.lost, o.reasons())
}

// maxReasons bounds the reasons of a summary.
const maxReasons = 4

// reasons counts why rules and instances were skipped, most frequent first.
func (o *pbOutcome) reasons() string {
	n := map[string]int{}
	for _, s := range o.skips {
		n[s.Reason]++
	}
	list := byCount(n)
	for i, r := range list {
		if i == maxReasons {
			list = append(list[:i], fmt.Sprintf("%d other reasons", len(list)-i))
			break
		}
		list[i] = fmt.Sprintf("%s %s", count(n[r]), r)
	}
	return strings.Join(list, "; ")
}
