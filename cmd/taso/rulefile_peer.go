package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/egglog"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
)

// peerForm is a form of another program whose rules are graphs of TASO's operators.
type peerForm struct {
	format peer.Format
	ranks  []int // numbers of axes of the instances of a rule
	// rule writes one rule; name is for forms in which rules have one.
	rule func(name string, r *tasopb.Rule) ([]byte, error)
	file func(rules [][]byte) []byte
}

// peerForms are those that rules can be converted to, by name.
var peerForms = map[string]*peerForm{
	formatTensat: {peer.Tensat, taso.MatrixAndImage, tensatRule(1, "two outputs: the form tensat-multi holds such"), tensatFile},
	formatMulti:  {peer.TensatMulti, taso.MatrixAndImage, tensatRule(2, "one output: the form tensat holds such"), tensatFile},
	// Matrices have 3 axes there and images 5: one is the replica dimension.
	formatFlexFlow: {peer.FlexFlow, []int{3, 5}, peer.WriteFlexFlow, peer.FlexFlowFile},
}

// tensatRule writes rules of so many outputs; others says why not.
func tensatRule(outputs int, others string) func(string, *tasopb.Rule) ([]byte, error) {
	return func(_ string, r *tasopb.Rule) ([]byte, error) {
		if len(r.Mapped) != outputs {
			return nil, fmt.Errorf("%s", others)
		}
		lines, err := peer.WriteTensat(r)
		if err != nil {
			return nil, err
		}
		return []byte(strings.Join(lines, "\n") + "\n"), nil
	}
}

// tensatFile puts rules one behind the other, those first that make the second part
// of a split: a reader takes one that makes the first part, and the next one that
// makes the second part of the same split, for one rule with two outputs.
func tensatFile(rules [][]byte) []byte {
	var first, rest []byte
	for _, r := range rules {
		if bytes.Count(r, []byte("=>")) == 1 && bytes.Contains(r, []byte("=>(split_1 ")) {
			first = append(first, r...)
		} else {
			rest = append(rest, r...)
		}
	}
	return append(first, rest...)
}

// write makes a file of the rules. What is written of each is read again, and is
// left out unless it is the same law then.
func (f *peerForm) write(set *rules.Set, reading taso.Reading) ([]byte, *conversion) {
	instances, skips := taso.Instances(set.Rules, reading, f.ranks...)
	out := &conversion{skips: skips}
	var texts [][]byte
	said := map[string]bool{}
	var order []string // rules with instances, as they come
	for i := range instances {
		in := &instances[i]
		if i == 0 || in.Rule != instances[i-1].Rule {
			order = append(order, in.Rule)
		}
		text, err := f.rule(in.Rule, &in.TASO)
		if err == nil {
			err = f.readBack(text, &in.TASO, reading)
		}
		if err != nil {
			way := "left to right"
			if in.Backward {
				way = "right to left"
			}
			out.skips = append(out.skips, rules.Skip{Rule: in.Rule, Instance: strings.TrimPrefix(in.Instance+", "+way, ", "), Reason: err.Error()})
			continue
		}
		said[in.Rule] = true
		texts = append(texts, text)
	}
	for _, id := range order {
		if !said[id] {
			out.skips = append(out.skips, rules.Skip{Rule: id, Reason: rules.NoInstance})
		}
	}
	out.count(len(texts))
	return f.file(texts), out
}

// readBack says whether a text is read as the same law as a rule.
func (f *peerForm) readBack(text []byte, r *tasopb.Rule, reading taso.Reading) error {
	back, err := peer.Read("", f.file([][]byte{text}), f.format)
	switch {
	case err != nil:
		return fmt.Errorf("read back: %w", err)
	case len(back.Rules) != 1:
		return fmt.Errorf("read back it is %s", plural(len(back.Rules), "rule"))
	case back.Rules[0].Fault != nil:
		return fmt.Errorf("read back: %w", back.Rules[0].Fault)
	}
	laws := taso.From(&tasopb.RuleCollection{Rules: []tasopb.Rule{*r, *back.Rules[0].TASO}}, reading)
	for _, l := range laws {
		if l.Err != nil {
			return fmt.Errorf("read back: %w", l.Err)
		}
	}
	if law.ID(laws[0].Law) != law.ID(laws[1].Law) {
		return fmt.Errorf("read back it is another law")
	}
	return nil
}

// savePeer writes a set in a form of another program.
func savePeer(path string, f *peerForm, set *rules.Set, reading taso.Reading) (*conversion, error) {
	data, out := f.write(set, reading)
	return out, writeConverted(path, data)
}

// saveEgglog writes a set as a program of egglog.
func saveEgglog(path string, set *rules.Set) (*conversion, error) {
	program, written, skips := egglog.Write(set.Rules)
	out := &conversion{skips: skips}
	out.count(written)
	return out, writeConverted(path, program)
}

func writeConverted(path string, data []byte) error {
	err := atomicfile.WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
