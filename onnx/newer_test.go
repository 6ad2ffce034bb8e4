package onnx

import (
	"fmt"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
)

// TestConformanceNewer: every model of a newer ONNX that is read without opaque nodes
// computes the recorded outputs, or, where all its inputs must be constants for that, is
// folded to them. The others are in testdata/newer.golden, with what is missing.
func TestConformanceNewer(t *testing.T) {
	t.Parallel()
	tests := newerTests(t)
	var rest []string
	computed, folded := 0, 0
	for _, c := range tests {
		count := &computed
		m, r, err := c.best()
		if err != nil || len(r.Opaque) > 0 {
			why := c.missing(r, err)
			if m, r, err = c.read(0); err != nil || len(r.Opaque) > 0 {
				rest = append(rest, fmt.Sprintf("%s: %s", c.name, why))
				continue
			}
			count = &folded
		}
		if err := c.computes(m); err != nil {
			if why := misrecorded[c.name]; why != "" {
				rest = append(rest, fmt.Sprintf("%s: %s", c.name, why))
				continue
			}
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		*count++
	}
	t.Logf("%d models; computed as recorded: %d, and with constant inputs only: %d", len(tests), computed, folded)
	if len(tests) != 1678 {
		t.Logf("another version of the test data: the rest is not compared with what is known of 1.21")
		return
	}
	sort.Strings(rest)
	golden.Equal(t, filepath.Join("testdata", "newer.golden"), strings.Join(rest, "\n")+"\n")
}
