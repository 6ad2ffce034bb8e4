package main

import (
	"fmt"
	"io"

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
	out := &loaded{set: &rules.Set{Header: rules.Header{Tool: "TASO"}}}
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

// savePB writes a set as TASO's protocol buffer.
func savePB(path string, set *rules.Set, reading taso.Reading) (*conversion, error) {
	coll, skips := taso.To(set.Rules, reading)
	out := &conversion{skips: skips}
	out.count(len(coll.Rules))
	return out, writeConverted(path, coll.Marshal())
}
