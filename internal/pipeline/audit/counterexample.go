package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"

	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
	"github.com/taso-go/taso/verify/refute"
)

func newCounterexample(l *law.Law, w *refute.Witness) *Counterexample {
	c := &Counterexample{Shapes: map[string][]int{}, Inputs: map[string][]string{}, LHS: w.Left, RHS: w.Right,
		Law: law.Format(l), Witness: w}
	for _, t := range w.Inputs {
		c.Shapes[t.Term] = append([]int{}, t.Shape...)
		if t.Values != nil {
			c.Inputs[t.Term] = t.Values
		}
	}
	return c
}

// Replay evaluates the counterexample again, trusting nothing but the inputs in
// it. The error says that it does not refute its law.
func (c *Counterexample) Replay() (*refute.Witness, error) {
	l, err := law.ParseLaw(c.Law)
	if err != nil {
		return nil, fmt.Errorf("the counterexample's law: %w", err)
	}
	if c.Witness == nil {
		return nil, errors.New("the counterexample has no witness")
	}
	w, err := c.Witness.Replay(l)
	if err != nil {
		return nil, err
	}
	if w.Kind != c.Witness.Kind || w.Left != c.Witness.Left || w.Right != c.Witness.Right {
		return nil, fmt.Errorf("it refutes %s otherwise than it says: %s and %s, not %s and %s",
			l.Name, w.Left, w.Right, c.Witness.Left, c.Witness.Right)
	}
	return w, nil
}

// Replayed is the outcome of replaying one counterexample.
type Replayed struct {
	Rule    string // whose it is
	Witness *refute.Witness
	Err     error
}

// ErrNoCounterexample says that a file holds nothing to replay.
var ErrNoCounterexample = errors.New("there is no counterexample in it")

// ReplayAll reads a report, a list of reports, or one counterexample, in JSON,
// and replays every counterexample in it. The error is for input that cannot be
// read.
func ReplayAll(r io.Reader, name string) ([]Replayed, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var reports []*Report
	switch data = bytes.TrimSpace(data); {
	case len(data) == 0:
		return nil, fmt.Errorf("%s: the file is empty", name)
	case data[0] == '[':
		err = json.Unmarshal(data, &reports)
	default:
		var one struct {
			Report
			Counterexample
		}
		if err = json.Unmarshal(data, &one); err == nil {
			reports = []*Report{&one.Report}
			if one.Witness != nil {
				c := one.Counterexample
				reports[0].Rules = append(reports[0].Rules, &Rule{Name: c.Witness.Law, Counterexample: &c})
			}
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, jsonPlace(data, err))
	}
	var out []Replayed
	for _, rep := range reports {
		if rep == nil {
			continue
		}
		for _, rule := range rep.Rules {
			if rule == nil {
				continue
			}
			seen := map[*Counterexample]bool{}
			add := func(c *Counterexample) {
				if c != nil && !seen[c] {
					seen[c] = true
					w, err := c.Replay()
					out = append(out, Replayed{Rule: rule.Name, Witness: w, Err: err})
				}
			}
			add(rule.Counterexample)
			for _, g := range rule.Readings {
				add(g.Forward.Counterexample)
				add(g.Backward.Counterexample)
				if g.AnyDegree != nil {
					add(g.AnyDegree.Counterexample)
				}
			}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrNoCounterexample)
	}
	return out, nil
}

// jsonPlace adds the line and column to an error of the JSON decoder.
func jsonPlace(data []byte, err error) error {
	var at int64
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &typ):
		at = typ.Offset
	default:
		return err
	}
	before := data[:min(int(at), len(data))]
	return fmt.Errorf("line %d, column %d: %w", bytes.Count(before, []byte("\n"))+1,
		len(before)-bytes.LastIndexByte(before, '\n'), err)
}

// numAgree is how many random instances are tried of a law that is unknown.
const numAgree = 50

// maxNone is after how many samples without any values that fit a law is left.
const maxNone = 3

// agreeing counts the random instances, out of numAgree, on which both sides
// are defined and equal modulo 2^61 - 1.
func agreeing(l *law.Law) int { return agree(l, numAgree) }

// holdsSomewhere reports that an instance was found on which both sides are
// defined, and equal: a law, or a condition, without one says nothing.
func holdsSomewhere(l *law.Law) bool { return agree(l, 1) > 0 }

// agree counts the random instances on which the sides agree, up to most.
func agree(l *law.Law, most int) int {
	n := 0
	s := instance.NewSampler(l, instance.Scope{})
	rng := rand.New(rand.NewSource(1))
	none := 0
	p, err := instance.New(l)
	if err != nil {
		return 0
	}
	for i := range numAgree {
		v, ok := s.Sample(rng)
		if !ok {
			// Each sample draws thousands of times before it gives up.
			if none++; none == maxNone && n == 0 {
				break
			}
			continue
		}
		seed := uint64(i)
		out, _ := instance.CompareAt[uint64](p, fingerprint.Zp{Key: seed}, v,
			func(name string, n int) []uint64 { return fingerprint.Random(seed, name, n) })
		if out == instance.Equal {
			if n++; n == most {
				break
			}
		}
	}
	return n
}
