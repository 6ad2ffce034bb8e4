package suggest

import (
	"slices"
	"strings"
	"testing"
)

func TestNearest(t *testing.T) {
	known := []string{"matmul", "ewadd", "ewmul", "relu", "resnet50", "resnet50-tiny", "resnext50"}
	for _, c := range []struct{ name, want string }{
		{"matmull", "matmul"},
		{"mtamul", "matmul"}, // two letters swapped
		{"MATMUL", "matmul"},
		{"rellu", "relu"},
		{"ewdiv", ""},
		{"ew", ""}, // too short to be a part of a name
		{"resnet5", "resnet50"},
		{"resnet51", "resnet50"},
		{"resn", "resnet50 resnet50-tiny resnext50"}, // the beginning of names
		{"tiny", "resnet50-tiny"},                    // a part of one
		{"softplus", ""},
		{"", ""},
		{strings.Repeat("relu", 1000), ""},
	} {
		if got := strings.Join(Nearest(c.name, known), " "); got != c.want {
			t.Errorf("%.20s: got %q, want %q", c.name, got, c.want)
		}
	}
	if got := Nearest("ewm", []string{"ewmul", "ewmax", "ewmin", "ewmean"}); !slices.Equal(got, []string{"ewmul", "ewmax", "ewmin"}) {
		t.Errorf("got %q, want the first three", got)
	}
}

func TestOneOf(t *testing.T) {
	for _, c := range []struct {
		name  string
		known []string
		want  string
	}{
		{"adma", []string{"sgd", "adam"}, "; did you mean adam?"},
		{"lamb", []string{"sgd", "adam"}, "; want one of sgd, adam"},
		{"lamb", nil, ""},
	} {
		if got := OneOf(c.name, c.known); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	many := slices.Repeat([]string{"a"}, 100)
	if got := OneOf("other", many); strings.Count(got, "a,") != mostNamed || !strings.HasSuffix(got, ", ...") || len(many) != 100 || many[mostNamed] != "a" {
		t.Errorf("100 names: got %q", got)
	}
}

// The distance agrees with its definition by recursion.
func TestDistance(t *testing.T) {
	var plain func(a, b string) int
	plain = func(a, b string) int {
		if a == "" || b == "" {
			return len(a) + len(b)
		}
		m, n := len(a)-1, len(b)-1
		d := min(plain(a[:m], b)+1, plain(a, b[:n])+1)
		same := plain(a[:m], b[:n])
		if a[m] != b[n] {
			same++
		}
		d = min(d, same)
		if m > 0 && n > 0 && a[m] == b[n-1] && a[m-1] == b[n] {
			d = min(d, plain(a[:m-1], b[:n-1])+1)
		}
		return d
	}
	words := []string{"relu", "rleu", "ewadd", "ewmul", "eawdd", "sgd", "gsd", "sdg"}
	for _, a := range words {
		for _, b := range words {
			if d := len(a) - len(b); max(d, -d) > len(a)/3+1 {
				continue // not compared
			}
			if got, want := distance(a, b), plain(a, b); got != want {
				t.Errorf("%s, %s: got %d, want %d", a, b, got, want)
			}
		}
	}
}
