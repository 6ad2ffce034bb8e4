package export

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/jax"
)

// keywords are names that a program must not use for tensors, beside those of its functions.
var keywords = strings.Fields(`False None True and as assert async await break class continue def del elif else
	except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield
	abs float int len list max min range slice sum tuple zip print bool float32 float16 float64 int64 int32 uint8 int8
	jax jnp lax np os sys re json math Mesh NamedSharding P DOUBLE MESH DEVICES INPUTS OUTPUTS BYTES COLLECTIVE MICRO now sums
	member_step sequential_step`)

// names gives nodes names in Python: theirs, with _ for what is no letter or digit.
type names struct {
	taken map[string]bool
}

func newNames(functions ...jax.Functions) *names {
	n := &names{taken: map[string]bool{}}
	for _, k := range keywords {
		n.taken[k] = true
	}
	for _, f := range functions {
		for name := range f {
			n.taken[name] = true
		}
	}
	return n
}

// fresh is a name that no other node has.
func (n *names) fresh(base string) string {
	b := []byte(base)
	for i, c := range b {
		if !(c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			b[i] = '_'
		}
	}
	name := string(b)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "t" + name
	}
	for i, stem := 2, name; n.taken[name]; i++ {
		name = stem + "_" + strconv.Itoa(i)
	}
	n.taken[name] = true
	return name
}

// literal is an attribute's value in Python.
func literal(v graph.Value) (string, error) {
	var xs []int64
	switch v.Kind() {
	case graph.KindDim:
		d, _ := v.Dim()
		n, ok := d.Const()
		if !ok {
			return "", fmt.Errorf("%s is not a number", v)
		}
		return strconv.FormatInt(n, 10), nil
	case graph.KindName:
		s, _ := v.Name()
		return strconv.Quote(s), nil
	case graph.KindNumber:
		switch s := v.String(); s {
		case "inf", "-inf", "nan":
			return "float(" + strconv.Quote(s) + ")", nil
		default:
			return s, nil
		}
	case graph.KindTuple:
		xs, _ = v.Tuple()
	case graph.KindShape:
		s, _ := v.Shape()
		sizes, ok := s.Concrete()
		if !ok {
			return "", fmt.Errorf("%s has sizes that are not numbers", v)
		}
		for _, n := range sizes {
			xs = append(xs, int64(n))
		}
	default:
		return "", fmt.Errorf("%s is no concrete value", v)
	}
	return tuple(xs), nil
}

// tuple is a tuple of numbers in Python.
func tuple[T int | int64](xs []T) string {
	parts := make([]string, len(xs))
	for i, x := range xs {
		parts[i] = strconv.FormatInt(int64(x), 10)
	}
	if len(parts) == 1 {
		return "(" + parts[0] + ",)"
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

// call is an operator's application to members, of the given element type; the functions
// that it calls are added to used.
func call(o *graph.Op, attrs graph.Attrs, dtype graph.DType, operands []string, used map[string]bool) (string, error) {
	f := jax.Function(o.Name)
	if f == "" {
		return "", fmt.Errorf("operator %s has no function of JAX", o.Name)
	}
	used[f] = true
	args, act := operands, ""
	for i, p := range o.Params {
		v := attrs[i]
		if v == p.Default {
			continue
		}
		if p.Name == "act" {
			name, _ := v.Name()
			if act = jax.Function(name); act == "" {
				return "", fmt.Errorf("operator %s: activation %s has no function of JAX", o.Name, v)
			}
			used[act] = true
			continue
		}
		text, err := literal(v)
		if err != nil {
			return "", fmt.Errorf("operator %s: attribute %s: %w", o.Name, p.Name, err)
		}
		if p.Sort == "dtype" {
			text = v.String()
		}
		args = append(args, p.Name+"="+text)
	}
	if o.In == 0 {
		args = append(args, "dtype="+dtype.String())
	}
	text := f + "(" + strings.Join(args, ", ") + ")"
	if act != "" {
		text = act + "(" + text + ")"
	}
	return text, nil
}
