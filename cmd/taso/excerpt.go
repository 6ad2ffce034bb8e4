package main

import (
	"bufio"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/taso-go/taso/rules/peer"
)

// placed finds FILE:LINE:COLUMN in an error.
var placed = regexp.MustCompile(`(?:^|\s)(\S+):([0-9]{1,9}):([0-9]{1,9}): `)

// maxExcerpt bounds the size of a file of which lines are shown, in bytes.
const maxExcerpt = 16 << 20

// excerpt returns the line of a text at which a message says that there is an error, with a
// caret below the column. It returns "" if the message names no place in a file that the
// command line names.
func excerpt(c *cobra.Command, message string) string {
	m := placed.FindStringSubmatch(message)
	if m == nil || !names(c, m[1]) {
		return ""
	}
	line, _ := strconv.Atoi(m[2])
	col, _ := strconv.Atoi(m[3])
	if line < 1 || col < 1 {
		return ""
	}
	if st, err := os.Stat(m[1]); err != nil || !st.Mode().IsRegular() || st.Size() > maxExcerpt {
		return ""
	}
	f, err := os.Open(m[1])
	if err != nil {
		return ""
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, maxExcerpt)
	for i := 1; s.Scan(); i++ {
		if i == line {
			e := peer.Error{Line: line, Col: col, Source: s.Text()}
			return e.Excerpt()
		}
	}
	return ""
}

// names reports whether the command line names a file.
func names(c *cobra.Command, file string) bool {
	given := slices.Clone(c.Flags().Args())
	c.Flags().Visit(func(f *pflag.Flag) { given = append(given, f.Value.String()) })
	return slices.ContainsFunc(given, func(s string) bool { return strings.Contains(s, file) })
}
