package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSize(t *testing.T) {
	for text, want := range map[string]size{
		"0": 0, "512": 512, "1K": 1 << 10, "8G": 8 << 30, "8g": 8 << 30, "8GB": 8 << 30, "8GiB": 8 << 30,
		"1.5M": 3 << 19, " 2T ": 2 << 40,
	} {
		var s size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%q: %d, %v; want %d", text, s, err, want)
		}
		var again size
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%q: written %q, read back as %d, %v", text, s.String(), again, err)
		}
	}
	for _, text := range []string{"", "G", "8X", "-1", "1e30", "NaN", "Inf", "1KK", "8 GG"} {
		var s size
		if err := s.Set(text); err == nil {
			t.Errorf("%q: accepted as %d", text, s)
		}
	}
}

func TestFLOPs(t *testing.T) {
	for text, want := range map[string]int64{"1": 1, "5e10": 5e10, "20G": 2e10, "1.5T": 1.5e12, "7k": 7000} {
		var n int64
		f := newFLOPs(&n)
		if n != 5e10 {
			t.Errorf("the default is %d", n)
		}
		if err := f.Set(text); err != nil || n != want {
			t.Errorf("%q: %d, %v; want %d", text, n, err, want)
		}
		if err := f.Set(f.String()); err != nil || n != want {
			t.Errorf("%q: written %q, read back as %d, %v", text, f.String(), n, err)
		}
	}
	for _, text := range []string{"", "G", "8X", "-1", "0", "0.1", "1e30", "NaN", "Inf", "1kk", "G8"} {
		var n int64
		if err := newFLOPs(&n).Set(text); err == nil {
			t.Errorf("%q: accepted as %d", text, n)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 16405411: "16,405,411", -1234: "-1,234", -999: "-999"} {
		if got := count(n); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
	if got := plural(1, "rule") + ", " + plural(2000, "rule"); got != "1 rule, 2,000 rules" {
		t.Error(got)
	}
}

func TestWriteTable(t *testing.T) {
	var b bytes.Buffer
	err := writeTable(&b, []column{{"name", false}, {"size (MB)", true}, {"note", false}},
		[][]string{{"a", "1", ""}, {"a long name", "16,405,411", "a note"}})
	if err != nil {
		t.Fatal(err)
	}
	want := "NAME          SIZE (MB)  NOTE\n" +
		"a                     1\n" +
		"a long name  16,405,411  a note\n"
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// A table that is too wide is narrowed: the last column goes on in further lines, others are
// cut, and numbers are whole.
func TestWideTable(t *testing.T) {
	long := strings.Repeat("a long note ", 30)
	for _, c := range []struct {
		cols []column
		row  []string
	}{
		{[]column{{"name", false}, {"count", true}, {"note", false}}, []string{"first", "16,405,411", long}},
		{[]column{{"name", false}, {"note", false}, {"count", true}}, []string{"first", long, "16,405,411"}},
		{[]column{{"name", false}, {"note", false}, {"other note", false}, {"count", true}, {"last", false}}, []string{"first", long, long, "16,405,411", long}},
		{[]column{{"name", false}, {"word", false}}, []string{"first", strings.Repeat("word", 100)}},
		{[]column{{"name", false}, {"note", false}}, []string{strings.Repeat("name", 30), "a note"}},
	} {
		var b bytes.Buffer
		if err := writeTable(&b, c.cols, [][]string{c.row, c.row}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > screenWidth {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		last := len(c.cols) - 1
		if words := strings.Join(strings.Fields(b.String()), ""); !c.cols[last].number && strings.Count(b.String(), "note") > 0 && len(c.row[last]) > 100 &&
			strings.Count(words, "note") < 60 {
			t.Errorf("the last column is not whole:\n%s", b.String())
		}
		for i, x := range c.cols {
			if x.number && strings.Count(b.String(), c.row[i]) != 2 {
				t.Errorf("no %s in\n%s", c.row[i], b.String())
			}
		}
	}
}

func TestByCount(t *testing.T) {
	got := strings.Join(byCount(map[string]int{"b": 2, "a": 2, "c": 5, "d": 1}), " ")
	if got != "c a b d" {
		t.Error(got)
	}
}
