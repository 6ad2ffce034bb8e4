package wrap

import (
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 5, ""},
		{"one two  threefour five", 5, "one|two|three|four|five"},
		{"one two  threefour five", 7, "one two|threefo|ur five"},
		{"äöü éèê", 3, "äöü|éèê"},
	} {
		if got := strings.Join(Lines(c.text, c.n), "|"); got != c.want {
			t.Errorf("%q in lines of %d: %q, want %q", c.text, c.n, got, c.want)
		}
	}
	if got := Hanging("one two three", "..", 7); got != "one\n..two\n..three" {
		t.Errorf("%q", got)
	}
}
