package op_test

import (
	"fmt"
	"testing"

	"github.com/taso-go/taso/graph"
)

// Cells around a tensor hold elements of its type.
func TestPadHolds(t *testing.T) {
	for _, c := range []struct {
		typ, value string
		ok         bool
	}{
		{"float32", "-inf", true}, {"float32", "0.5", true}, {"int8", "-128", true}, {"uint8", "255", true}, {"bool", "1", true}, {"int64", "-9223372036854775808", true},
		{"int8", "-inf", false}, {"int64", "-inf", false}, {"int8", "-129", false}, {"uint8", "-1", false}, {"int32", "0.5", false}, {"bool", "2", false}, {"int64", "9223372036854775808", false},
	} {
		_, err := graph.ParseText("test", fmt.Sprintf("x : %s[2]\ny = pad[before=(1), after=(0), value=%s](x)\nreturn y", c.typ, c.value))
		if (err == nil) != c.ok {
			t.Errorf("cells of %s that hold %s: %v", c.typ, c.value, err)
		}
	}
}
