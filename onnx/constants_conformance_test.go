package onnx

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
)

// TestConformanceConstants: what is computed while reading when all inputs are constant is
// what was recorded. The others are in testdata/constants.golden.
func TestConformanceConstants(t *testing.T) {
	t.Parallel()
	tests := conformanceTests(t)
	var rest []string
	computed := 0
	for _, c := range tests {
		m, r, err := c.read(0)
		if err != nil || len(r.Opaque) > 0 {
			rest = append(rest, fmt.Sprintf("%s: %s", c.name, c.missing(r, err)))
			continue
		}
		if err := c.computes(m); err != nil {
			if why := misrecorded[c.name]; why != "" {
				rest = append(rest, fmt.Sprintf("%s: %s", c.name, why))
				continue
			}
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		computed++
	}
	t.Logf("%d models, computed as recorded with constant inputs: %d", len(tests), computed)
	if len(tests) != 1072 {
		return
	}
	sort.Strings(rest)
	golden.Equal(t, filepath.Join("testdata", "constants.golden"), strings.Join(rest, "\n")+"\n")
}
