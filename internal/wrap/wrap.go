// Package wrap breaks text into lines.
package wrap

import "strings"

// Lines breaks text at spaces into lines of at most n characters; a word that is longer is
// broken too. There is at least one line.
func Lines(text string, n int) []string {
	var lines []string
	line := []rune(nil)
	for _, word := range strings.Fields(text) {
		r := []rune(word)
		if len(line) > 0 && len(line)+1+len(r) > n {
			lines, line = append(lines, string(line)), nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		line = append(line, r...)
		for len(line) > n {
			lines, line = append(lines, string(line[:n])), line[n:]
		}
	}
	if len(line) > 0 || len(lines) == 0 {
		lines = append(lines, string(line))
	}
	return lines
}

// Hanging is text in lines of at most n characters; the lines after the first begin with hang.
func Hanging(text, hang string, n int) string {
	return strings.Join(Lines(text, n-len(hang)), "\n"+hang)
}
