// Package suggest finds the known names that are nearest to a mistyped one, for error
// messages.
package suggest

import (
	"slices"
	"strings"
)

const (
	most      = 3   // names that are suggested at most
	mostNamed = 24  // names that OneOf lists at most
	longest   = 100 // bytes of a name that is compared
)

// Nearest returns the names of known that are nearest to name, in the order of known: those at
// the smallest edit distance, which may be a third of the length of name. Case does not count.
// If no name is that near, it returns names that begin with name, or else names that contain it.
func Nearest(name string, known []string) []string {
	if name == "" || len(name) > longest {
		return nil
	}
	var near []string
	best := len(name) / 3
	for _, k := range known {
		switch d := distance(strings.ToLower(name), strings.ToLower(k)); {
		case d > best:
		case d < best:
			near, best = []string{k}, d
		default:
			near = append(near, k)
		}
	}
	for _, like := range []func(k, name string) bool{strings.HasPrefix, strings.Contains} {
		if len(near) > 0 || len(name) < 3 {
			break
		}
		for _, k := range known {
			if like(strings.ToLower(k), strings.ToLower(name)) {
				near = append(near, k)
			}
		}
	}
	return near[:min(len(near), most)]
}

// DidYouMean returns "; did you mean relu?" for the nearest names, and "" if there are none.
func DidYouMean(name string, known []string) string {
	near := Nearest(name, known)
	if len(near) == 0 {
		return ""
	}
	return "; did you mean " + strings.Join(near, " or ") + "?"
}

// OneOf returns what DidYouMean does. If no name is near, it lists the known ones:
// "; want one of relu, tanh".
func OneOf(name string, known []string) string {
	if hint := DidYouMean(name, known); hint != "" || len(known) == 0 {
		return hint
	}
	list := known
	if len(list) > mostNamed {
		list = append(slices.Clone(list[:mostNamed]), "...")
	}
	return "; want one of " + strings.Join(list, ", ")
}

// distance returns the edit distance of two texts: the number of bytes that are inserted,
// deleted, replaced or swapped with the next one.
func distance(a, b string) int {
	if d := len(b) - len(a); len(b) > longest || max(d, -d) > len(a)/3+1 {
		return len(a) + len(b)
	}
	var rows [3][]int // the last three rows of the table
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[(i+1)%3], rows[(i-1)%3], rows[i%3]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return rows[len(a)%3][len(b)]
}
