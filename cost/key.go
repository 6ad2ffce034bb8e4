package cost

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/lower"
)

// Setting is what a time depends on besides the application: where and how it
// ran. Times of different settings are never mixed.
type Setting struct {
	// Device is the hardware with what is used of it, such as
	// "AMD EPYC 9755, 1 thread".
	Device string `json:"device"`
	// Library is the code that ran, with its version.
	Library string `json:"library"`
	// Layout is how tensors lie in memory; "" is row-major.
	Layout string `json:"layout,omitempty"`
	// Math is the arithmetic where the device has a choice, such as tf32; ""
	// is IEEE arithmetic in the tensors' own type.
	Math string `json:"math,omitempty"`
}

// String is the setting in one line, every part in quotes; parts that are ""
// are left out.
func (s Setting) String() string {
	b := "on " + strconv.Quote(s.Device) + " by " + strconv.Quote(s.Library)
	if s.Layout != "" {
		b += " layout " + strconv.Quote(s.Layout)
	}
	if s.Math != "" {
		b += " math " + strconv.Quote(s.Math)
	}
	return b
}

// Key names what a sample is the time of. Equal keys are equal Go values, so a
// key may index a map.
type Key struct {
	Setting
	// Op is the operator's name.
	Op string `json:"op"`
	// Attrs are all its attributes, those at their default too unless they are late
	// ([graph.Param]): "[axis=1]", or "" for an operator without any.
	Attrs string `json:"attrs,omitempty"`
	// In and Out are the types of its inputs and outputs: "float32[2, 3],
	// float32[3]".
	In  string `json:"in,omitempty"`
	Out string `json:"out"`
	// Tail is what is fused into it, see [Application.Tail]: "ewadd(_, float32[3])
	// then relu(_)", _ being the running value.
	Tail string `json:"tail,omitempty"`
}

// KeyOf is the key of an application.
func KeyOf(s Setting, a Application) Key {
	k := Key{Setting: s, Op: "opaque", In: formatTypes(a.In), Out: formatTypes(a.Out)}
	if a.Op != nil {
		k.Op, k.Attrs = a.Op.Name, formatAttrs(a.Op, a.Attrs)
	}
	steps := make([]string, len(a.Tail))
	for i, f := range a.Tail {
		steps[i] = f.text()
	}
	k.Tail = strings.Join(steps, tailSep)
	return k
}

// tailSep is between the parts of a group.
const tailSep = " then "

// String is the key's canonical text: different keys have different texts.
func (k Key) String() string { return k.Application() + " " + k.Setting.String() }

// Application is the part of the text without the setting:
// "matmul(float32[2, 3], float32[3, 4]) -> float32[2, 4]".
func (k Key) Application() string {
	text := k.Op + k.Attrs + "(" + k.In + ") -> " + k.Out
	if k.Tail != "" {
		text += tailSep + k.Tail
	}
	return text
}

// Hash is the xxHash64 of the canonical text.
func (k Key) Hash() uint64 { return xxhash.Sum64String(k.String()) }

// formatAttrs writes every attribute, unlike [graph.Op.FormatAttrs]: a key must
// not change its meaning when an operator's default does. That of a late parameter does
// not: it is what the operator was before.
func formatAttrs(op *graph.Op, a graph.Attrs) string {
	var parts []string
	for i, p := range op.Params {
		if p.Written(a[i]) {
			parts = append(parts, p.Name+"="+a[i].String())
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// today is the key as [KeyOf] has it now: tables that were written while a parameter was
// there and not yet late have it at its default, too.
func (k Key) today() Key {
	k.Attrs = withoutLate(k.Op, k.Attrs)
	if k.Tail == "" {
		return k
	}
	steps := strings.Split(k.Tail, tailSep)
	for i, s := range steps {
		at := strings.IndexAny(s, "[(")
		if at < 0 || s[at] == '(' {
			continue
		}
		end := strings.LastIndex(s, "](")
		if end < at {
			continue
		}
		steps[i] = s[:at] + withoutLate(s[:at], s[at:end+1]) + s[end+1:]
	}
	k.Tail = strings.Join(steps, tailSep)
	return k
}

// withoutLate is the text of attributes without late parameters at their defaults, which
// are the last.
func withoutLate(name, attrs string) string {
	op, known := graph.Lookup(name)
	if !known {
		return attrs
	}
	for i := len(op.Params) - 1; i >= 0 && op.Params[i].Late; i-- {
		p := &op.Params[i]
		for was := ", " + p.Name + "=" + p.Default.String() + "]"; strings.HasSuffix(attrs, was); {
			attrs = strings.TrimSuffix(attrs, was) + "]"
		}
	}
	return attrs
}

// formatTypes writes types with commas between them.
func formatTypes(ts []graph.TensorType) string {
	parts := make([]string, len(ts))
	for i, t := range ts {
		parts[i] = t.String()
	}
	return strings.Join(parts, ", ")
}

// Parse reads the application back from the key's text. It reports text that
// no application has, such as sizes that do not fit; package graph/op must be
// imported for operators to be known. The tail of a group is not read.
func (k Key) Parse() (*Application, error) {
	wrap := func(err error) (*Application, error) {
		return nil, fmt.Errorf("key %s: %w", k.Application(), err)
	}
	if strings.ContainsAny(k.Op+k.Attrs+k.In+k.Out, "\n\r#\"") {
		return wrap(fmt.Errorf("a character that no application has"))
	}
	a, err := parseOne(k.Op, k.Attrs, splitTypes(k.In), k.Out)
	if err != nil {
		return wrap(err)
	}
	k.Tail = ""
	if back := KeyOf(k.Setting, *a); back != k {
		return wrap(fmt.Errorf("not in canonical form, which is %s", back.Application()))
	}
	return a, nil
}

// parseOne reads an application without a tail, as a graph of one operator.
func parseOne(op, attrs string, in []string, out string) (*Application, error) {
	var b strings.Builder
	names := make([]string, len(in))
	for i, t := range in {
		names[i] = "x" + strconv.Itoa(i)
		fmt.Fprintf(&b, "%s : %s\n", names[i], t)
	}
	result := "y"
	if op, ok := graph.Lookup(op); ok {
		if op.Out > 1 {
			result = "y.0"
		}
		// Operands that are broadcast have the sizes before that.
		if _, sizes, ok := strings.Cut(out, "["); ok && lower.Repeats(op) {
			for i, t := range in {
				if t != out {
					names[i] = "r" + strconv.Itoa(i)
					fmt.Fprintf(&b, "%s = broadcast[shape=[%s](x%d)\n", names[i], sizes, i)
				}
			}
		}
	}
	b.WriteString("y")
	if dtype, _, ok := strings.Cut(out, "["); ok && len(in) == 0 {
		b.WriteString(" : " + dtype)
	}
	fmt.Fprintf(&b, " = %s%s(%s)\nreturn %s\n", op, attrs, strings.Join(names, ", "), result)
	g, err := graph.ParseText("key", b.String())
	if err != nil {
		return nil, err
	}
	id := graph.NodeID(g.Len())
	if g.Op(id) == nil {
		return nil, fmt.Errorf("no operator")
	}
	a := At(g, id)
	return &a, nil
}

// splitTypes cuts "a[1, 2], b[3]" after each closing bracket.
func splitTypes(s string) []string {
	var out []string
	for s != "" {
		i := strings.IndexByte(s, ']')
		if i < 0 {
			return append(out, s)
		}
		out = append(out, s[:i+1])
		s = strings.TrimPrefix(s[i+1:], ", ")
	}
	return out
}
