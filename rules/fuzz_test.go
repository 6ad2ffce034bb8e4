package rules

import (
	"bytes"
	"testing"
)

// FuzzReadText: what can be read is written and read back the same.
func FuzzReadText(f *testing.F) {
	var b bytes.Buffer
	if err := WriteText(&b, testSet(f)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("# taso rules 1\n# seed: 3\n\n# x\n# level 3; by \"a\"\nrule r given X : [P..] then X == X\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadText(bytes.NewReader(data), "x")
		if err != nil {
			return
		}
		again(t, s, WriteText, func(b []byte) (*Set, error) { return ReadText(bytes.NewReader(b), "x") })
	})
}

// FuzzReadJSON: likewise for JSON.
func FuzzReadJSON(f *testing.F) {
	var b bytes.Buffer
	if err := WriteJSON(&b, testSet(f)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"format":"taso-rules/1","header":{},"rules":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadJSON(bytes.NewReader(data), "x", LoadOptions{Unproved: true})
		if err != nil {
			return
		}
		again(t, s, WriteJSON, func(b []byte) (*Set, error) {
			return ReadJSON(bytes.NewReader(b), "x", LoadOptions{Unproved: true})
		})
	})
}
