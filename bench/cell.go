package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/taso-go/taso/cost"
)

// Cell is a number, a text, or nothing. A number keeps the digits it was written
// with, so that a record that is read and written again is the same bytes.
type Cell struct {
	number string // as JSON has it
	text   string
	fault  error // of a value that is none of these
}

// maxNumber bounds the digits of a number.
const maxNumber = 40

// CellOf is a value as a cell: a string, an integer, a float64, cost.Seconds in
// seconds, a Cell, or nil for nothing. Any other value, and a float that is no
// number, makes a cell that [Record.Check] reports.
func CellOf(v any) Cell {
	switch v := v.(type) {
	case nil:
		return Cell{}
	case Cell:
		return v
	case string:
		return Cell{text: v}
	case int:
		return Cell{number: strconv.Itoa(v)}
	case int64:
		return Cell{number: strconv.FormatInt(v, 10)}
	case uint64:
		return Cell{number: strconv.FormatUint(v, 10)}
	case float64:
		return floatCell(v)
	case cost.Seconds:
		return floatCell(float64(v))
	}
	return Cell{fault: fmt.Errorf("a value of type %T is neither a number nor a text", v)}
}

func floatCell(x float64) Cell {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Cell{fault: fmt.Errorf("%v is no number", x)}
	}
	if a := math.Abs(x); a != 0 && (a < 1e-6 || a >= 1e21) {
		return Cell{number: strconv.FormatFloat(x, 'e', -1, 64)}
	}
	return Cell{number: strconv.FormatFloat(x, 'f', -1, 64)}
}

// Number is the cell's number, if it has one.
func (c Cell) Number() (float64, bool) {
	if c.number == "" {
		return 0, false
	}
	x, err := strconv.ParseFloat(c.number, 64)
	return x, err == nil
}

func (c Cell) check() error {
	switch {
	case c.fault != nil:
		return c.fault
	case c.number != "":
		if x, err := strconv.ParseFloat(c.number, 64); err != nil || math.IsInf(x, 0) || len(c.number) > maxNumber {
			return fmt.Errorf("%s is no number that a record can hold", c.number)
		}
	case strings.Contains(c.text, "\n"):
		return fmt.Errorf("%q is more than a line", c.text)
	}
	return checkText(c.text)
}

// MarshalJSON writes a number, a string or null.
func (c Cell) MarshalJSON() ([]byte, error) {
	switch {
	case c.fault != nil:
		return nil, c.fault
	case c.number != "":
		return []byte(c.number), nil
	case c.text != "":
		return marshal(c.text)
	}
	return []byte("null"), nil
}

// UnmarshalJSON reads a number, a string or null.
func (c *Cell) UnmarshalJSON(b []byte) error {
	*c = Cell{}
	switch {
	case bytes.Equal(b, []byte("null")):
		return nil
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, &c.text)
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return errors.New("a cell is neither a number nor a string nor null")
	}
	c.number = n.String()
	return nil
}

// formatForm is the form of Column.Format.
var formatForm = regexp.MustCompile(`^(\+?(\.[0-9])?[fg])?$`)

// show is the cell as text.
func (c Cell) show(format string) string {
	if c.number == "" {
		if c.text == "" {
			return "–"
		}
		return c.text
	}
	s := c.number
	if x, ok := c.Number(); ok && format != "" {
		s = formatted(x, format)
	}
	return thousands(s)
}

// formatted writes a number as a format of formatForm says.
func formatted(x float64, format string) string {
	sign := strings.HasPrefix(format, "+")
	format = strings.TrimPrefix(format, "+")
	digits := -1
	if strings.HasPrefix(format, ".") {
		digits = int(format[1] - '0')
	}
	if strings.HasSuffix(format, "g") && digits > 0 {
		// Significant digits, and the integer part whole.
		if x == 0 {
			digits = 0
		} else {
			digits = max(0, digits-1-int(math.Floor(math.Log10(math.Abs(x)))))
		}
	}
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if sign && x > 0 {
		s = "+" + s
	}
	return s
}

// thousands writes 16405411 as 16,405,411; what is no plain decimal stays.
func thousands(s string) string {
	whole, rest, point := strings.Cut(s, ".")
	start := 0
	if strings.HasPrefix(whole, "-") || strings.HasPrefix(whole, "+") {
		start = 1
	}
	if strings.ContainsAny(s, "eE") {
		return s
	}
	for i := len(whole) - 3; i > start; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		return whole + "." + rest
	}
	return whole
}
