package bench

import (
	"testing"

	"github.com/taso-go/taso/parallel/schedule"
)

// Two branches of two stages each and one behind both: three on the longest way, two side by side.
func TestSideBySide(t *testing.T) {
	stages := []schedule.Stage{{}, {After: []int{0}}, {}, {After: []int{2}}, {After: []int{1, 3}}}
	if way, most := sideBySide(stages); way != 3 || most != 2 {
		t.Errorf("%d on the longest way, %d side by side; want 3 and 2", way, most)
	}
	if way, most := sideBySide(schedule.Chain(stages...)); way != 5 || most != 1 {
		t.Errorf("in a row: %d on the longest way, %d side by side; want 5 and 1", way, most)
	}
}
