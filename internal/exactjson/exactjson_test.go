package exactjson

import (
	"strings"
	"testing"
)

type roled struct{ text string }

func (r *roled) UnmarshalText(b []byte) error { r.text = string(b); return nil }

type document struct {
	Name  string             `json:"name"`
	Pairs [][2]int           `json:"pairs"`
	By    map[string][]roled `json:"by"`
	Init  map[int]float64    `json:"init,omitempty"`
	Part  *struct{ Size int }
}

// What only one reader reads one way is refused.
func TestUnmarshal(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"name": "a", "pairs": [[1, 2]], "by": {"x": ["s"], "X": []}, "init": {"-3": 1e-3}, "Part": {"Size": 1}}`, ""},
		{`{"name": "a", "pairs": null, "by": null, "init": null, "Part": null}`, ""},
		{`{}`, ""},
		{`{"name": "a", "name": "b"}`, `byte 20: "name" is there twice`},
		{`{"Name": "a"}`, `unknown field "Name"`},
		{`{"other": 1}`, `unknown field "other"`},
		{`{"Part": {"size": 1}}`, `unknown field "size"`},
		{`{"Part": {"Size": 1, "Size": 1}}`, "twice"},
		{`{"by": {"x": [], "x": []}}`, "twice"},
		{`{"pairs": [[1]]}`, "1 elements in the place of 2"},
		{`{"pairs": [[1, 2, 3]]}`, "3 elements in the place of 2"},
		{`{"pairs": [null]}`, "null in the place of array"},
		{`{"pairs": [[1, null]]}`, "null in the place of int"},
		{`{"name": null}`, "null in the place of string"},
		{`{"init": {"01": 1}}`, "not how a number is written"},
		{`{"init": {"1": 1, "+1": 2}}`, "number"},
		{`{"pairs": [[1.5, 2]]}`, "cannot be a number"},
		{`{"pairs": [[9223372036854775808, 2]]}`, "cannot be a number"},
		{`{} {}`, "behind"},
		{`{"name": "a"`, "unexpected EOF"},
		{``, "unexpected EOF"},
		{`{"name" "a"}`, "byte 9"},
	} {
		err := Unmarshal([]byte(c.in), &document{})
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.in, err, c.want)
		}
	}
}
