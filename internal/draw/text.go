package draw

import (
	"strings"
	"unicode"
)

// Sizes of text in pixels.
const (
	labelSize = 13.0
	subSize   = 11.0
	edgeSize  = 10.0
	labelLine = 17.0 // from one line to the next
	subLine   = 14.0
	padX      = 10.0 // between text and border
	padY      = 5.0
)

// advance holds the widths of the characters from space to ~ in Helvetica, in
// thousandths of the font size. Fonts that browsers put in its place are a
// little wider, for which [TextWidth] leaves room.
var advance = [95]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// TextWidth estimates the width of a line in pixels, without a font at hand.
func TextWidth(s string, size float64) float64 {
	sum := 0.0
	for _, r := range s {
		switch {
		case r >= ' ' && r <= '~':
			sum += float64(advance[r-' '])
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case r >= 0x1100:
			sum += 1000 // East Asian, symbols
		default:
			sum += 650
		}
	}
	return sum / 1000 * size * 1.12
}

// cut shortens a line to n characters; the last one then is an ellipsis.
func cut(s string, n int) (string, bool) {
	rs := []rune(s)
	if len(rs) <= n {
		return s, false
	}
	return string(rs[:max(0, n-1)]) + "…", true
}

// wrapped are the lines of a text, of which those longer than n characters are broken at
// blanks, into at most six.
func wrapped(s string, n int) (out []string) {
	for _, line := range strings.Split(s, "\n") {
		words := strings.SplitAfter(line, " ")
		first := len(out)
		out = append(out, "")
		for i, w := range words {
			last := &out[len(out)-1]
			if *last != "" && len([]rune(*last))+len([]rune(strings.TrimRight(w, " "))) > n {
				if len(out)-first == 6 {
					*last += strings.Join(words[i:], "") // cut later
					break
				}
				*last = strings.TrimRight(*last, " ")
				out = append(out, "")
				last = &out[len(out)-1]
			}
			*last += w
		}
	}
	return out
}

// fitted is a line, cut to at most so many pixels.
func fitted(s string, width, size float64) string {
	t, _ := cut(s, 100)
	for n := len([]rune(t)); n > 0 && TextWidth(t, size) > width; n-- {
		t, _ = cut(s, n-1)
	}
	return t
}

// box is a node's text, cut and measured.
type box struct {
	label   string
	subs    []string
	tooltip string
	class   string
	attr    string // data-id or data-ref, "" for neither
	id      string // its value
	w, h    float64
}

func (n Node) box(maxText, slots int, ports []string) box {
	var b box
	var short bool
	full := n.Label
	b.label, short = cut(strings.ReplaceAll(n.Label, "\n", " "), maxText)
	b.w, b.h = TextWidth(b.label, labelSize), labelLine
	if n.Sub != "" {
		for _, line := range wrapped(n.Sub, maxText) {
			s, cutHere := cut(line, maxText)
			b.subs = append(b.subs, s)
			short = short || cutHere
			b.w, b.h = max(b.w, TextWidth(s, subSize)), b.h+subLine
		}
		full += "\n" + n.Sub
	}
	b.tooltip = n.Tooltip
	if b.tooltip == "" && short {
		b.tooltip = full
	}
	b.class = classes(n.Class)
	apart := 20.0 // ports
	for _, p := range ports {
		p, _ = cut(p, maxText)
		apart = max(apart, TextWidth(p, edgeSize)+8)
	}
	b.w = max(b.w+2*padX, 30, 14*float64(slots+1), apart*float64(len(ports)+1))
	// Even, so that half of it is whole.
	b.w, b.h = float64(int(b.w/2+1))*2, b.h+2*padY
	return b
}

// fold breaks a text at blanks into lines of at most so many pixels; a longer word is parted
// where it has to be. An empty text is one line.
func fold(s string, width, size float64) []string {
	lines := []string{""}
	for _, w := range strings.Fields(s) {
		last := &lines[len(lines)-1]
		if *last != "" && TextWidth(*last+" "+w, size) > width {
			lines = append(lines, "")
			last = &lines[len(lines)-1]
		} else if *last != "" {
			*last += " "
		}
		for _, r := range w {
			if *last != "" && TextWidth(*last+string(r), size) > width {
				lines = append(lines, "")
				last = &lines[len(lines)-1]
			}
			*last += string(r)
		}
	}
	return lines
}
