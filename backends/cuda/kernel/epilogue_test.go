package kernel

import (
	"testing"

	"github.com/taso-go/taso/lower"
)

// An epilogue takes one full operand and one bias, and ends with a relu or at a step that is none
// of these.
func TestAbsorbed(t *testing.T) {
	add := func(mode lower.Mode, arg lower.ValueID) lower.Step {
		return lower.Step{Fn: "ewadd", Mode: mode, Args: [2]lower.ValueID{arg, lower.None}}
	}
	relu, neg := lower.Step{Fn: "relu"}, lower.Step{Fn: "neg"}
	for _, c := range []struct {
		name       string
		steps      []lower.Step
		full, bias lower.ValueID
		relu       bool
		rest       int
	}{
		{"nothing", nil, lower.None, lower.None, false, 0},
		{"full, bias, relu and more", []lower.Step{add(lower.Full, 5), add(lower.Col, 6), relu, neg}, 5, 6, true, 1},
		{"bias first", []lower.Step{add(lower.Col, 6), add(lower.Full, 5)}, 5, 6, false, 0},
		{"two full", []lower.Step{add(lower.Full, 5), add(lower.Full, 7)}, 5, lower.None, false, 1},
		{"two biases", []lower.Step{add(lower.Col, 6), add(lower.Col, 7), relu}, lower.None, 6, false, 2},
		{"another mode", []lower.Step{add(lower.Row, 6), relu}, lower.None, lower.None, false, 2},
		{"another function", []lower.Step{{Fn: "ewmul", Mode: lower.Full, Args: [2]lower.ValueID{5, lower.None}}, relu}, lower.None, lower.None, false, 2},
	} {
		e := absorbed(&lower.Tail{Steps: c.steps}, lower.Col)
		if e.full.Value != c.full || e.bias.Value != c.bias || e.relu != c.relu || len(e.rest) != c.rest {
			t.Errorf("%s: full %d, bias %d, relu %t, %d steps left; want %d, %d, %t, %d", c.name, e.full.Value, e.bias.Value, e.relu, len(e.rest), c.full, c.bias, c.relu, c.rest)
		}
	}
}
