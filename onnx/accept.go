package onnx

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/internal/must"
	"github.com/taso-go/taso/onnx/onnxpb"
)

// accepted checks a node against its operator's record before anything is read of it. A
// node that the record does not cover leaves with errUnsupported, and is kept as it is.
// One that breaks the published definition in form leaves with another error.
func (c *call) accepted() {
	n, o := c.node, c.op
	if o == nil {
		if domain := n.GetDomain(); !defaultDomain(domain) && newestOf[domain] == 0 {
			must.Do(unsupported("the domain %q is not known", clip(domain)))
		}
		must.Do(unsupported("this operator is not supported"))
	}
	version := c.version()
	d := o.at(version)
	if d == nil {
		must.Do(unsupported("operator set %d has no such operator", version))
	}
	c.countsFit(d)
	c.attributesFit(o, d, version)
	c.typesFit(d, version)
	c.regular = true
	if !o.read[d.since] {
		must.Do(unsupported("its definition of operator set %d is not supported", d.since))
	}
	for _, name := range slices.Sorted(maps.Keys(c.attr)) {
		if a := c.attr[name]; !o.attr[name] && !d.attrs[name].isDefault(a) {
			must.Do(unsupported("attribute %s is %s, which is not supported", name, attributeText(a)))
		}
	}
}

// newestOf are the newest versions that are known of the domains beside ONNX's own.
var newestOf = map[string]int64{contributed: 1, learning: 5, training: 1}

// version is the operator set of the node's domain that the model imports.
func (c *call) version() int64 {
	d := c.node.GetDomain()
	if defaultDomain(d) {
		if c.im.opset == 0 {
			must.Failf("the model does not import ONNX's operator set")
		}
		return c.im.opset
	}
	v, ok := c.im.needs[d]
	if !ok {
		must.Failf("the model does not import the domain %q", clip(d))
	}
	if v < 1 || v > newestOf[d] {
		must.Do(unsupported("version %d of the domain %q is not known, only 1 to %d", v, clip(d), newestOf[d]))
	}
	return v
}

// countsFit checks that there are as many inputs and outputs as the definition wants.
func (c *call) countsFit(d *definition) {
	wrong := func(what string, have, least int, p parameters) {
		most := len(p.all)
		switch {
		case most > 0 && p.all[most-1].variadic:
			must.Failf("%d %s, want at least %d", have, what, least)
		case most == least:
			must.Failf("%d %s, want %d", have, what, most)
		}
		must.Failf("%d %s, want %d to %d", have, what, least, most)
	}
	if have := len(c.in); have < d.in.least {
		wrong("inputs", have, d.in.least, d.in)
	} else if have > 0 {
		if _, ok := d.in.at(have - 1); !ok {
			wrong("inputs", have, d.in.least, d.in)
		}
	}
	if have := len(c.outs); have > 0 {
		if _, ok := d.out.at(have - 1); !ok {
			wrong("outputs", have, d.out.least, d.out)
		}
	}
	for i, v := range c.in {
		if p, _ := d.in.at(i); v == nil && !p.optional && !(p.variadic && i >= d.in.least) {
			must.Failf("input %d is missing", i)
		}
	}
}

// flags are the attributes that are truth values, in all operators that have one of that name.
var flags = map[string]bool{
	"align_corners": true, "allowzero": true, "antialias": true, "bidirectional": true, "ceil_mode": true, "center_point_box": true,
	"count_include_pad": true, "detect_negative": true, "detect_positive": true, "exclude_outside": true, "exclusive": true, "fmod": true,
	"input_forget": true, "inverse": true, "keepdims": true, "largest": true, "linear_before_reset": true,
	"noop_with_empty_axes": true, "onesided": true, "periodic": true, "reverse": true, "saturate": true, "select_last_index": true,
	"sorted": true, "storage_order": true, "training_mode": true, "transA": true, "transB": true, "unidirectional": true, "upper": true,
}

// attributesFit checks that all attributes are in the definition, and those that must be
// there are.
func (c *call) attributesFit(o *operator, d *definition, version int64) {
	for _, name := range slices.Sorted(maps.Keys(c.attr)) {
		a := c.attr[name]
		def, ok := d.attrs[name]
		switch {
		case !ok:
			must.Do(unsupported("%s of operator set %d has no attribute %q", o.fullName(), version, clip(name)))
		case a.Type != nil && a.GetType() != def.kind:
			must.Failf("attribute %s is of type %s, want %s", name, a.GetType(), def.kind)
		case flags[name] && a.GetI() != 0 && a.GetI() != 1:
			must.Do(unsupported("its attribute %s is %d, and runtimes differ on flags other than 0 and 1", name, a.GetI()))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.attrs)) {
		if d.attrs[name].required && c.attr[name] == nil {
			must.Failf("its attribute %s is missing", name)
		}
	}
}

// isDefault reports whether an attribute says what its absence says.
func (d attribute) isDefault(a *onnxpb.AttributeProto) bool {
	if d.missing == "" {
		return false
	}
	switch d.kind {
	case onnxpb.AttributeProto_INT:
		return strconv.FormatInt(a.GetI(), 10) == d.missing
	case onnxpb.AttributeProto_FLOAT:
		x, err := strconv.ParseFloat(d.missing, 32)
		return err == nil && math.Float32bits(a.GetF()) == math.Float32bits(float32(x))
	case onnxpb.AttributeProto_STRING:
		return string(a.GetS()) == d.missing
	}
	return false
}

// attributeText is a short attribute as it is told, or its type.
func attributeText(a *onnxpb.AttributeProto) string {
	switch a.GetType() {
	case onnxpb.AttributeProto_INT:
		return strconv.FormatInt(a.GetI(), 10)
	case onnxpb.AttributeProto_FLOAT:
		return strconv.FormatFloat(float64(a.GetF()), 'g', -1, 32)
	case onnxpb.AttributeProto_STRING:
		return strconv.Quote(clip(string(a.GetS())))
	}
	return "of type " + a.GetType().String()
}

// typesFit checks the element types of inputs. Inputs of one type parameter have one type.
func (c *call) typesFit(d *definition, version int64) {
	bound := map[string]*value{}
	for i, v := range c.in {
		if v == nil {
			continue
		}
		p, _ := d.in.at(i)
		if v.list == nil {
			if other := bound[p.typ]; other != nil && other.dtype != v.dtype {
				must.Failf("%s and %s have different element types", other, v)
			} else if !p.mixed && d.types[p.typ] != nil {
				bound[p.typ] = v
			}
		}
		if !d.of(p).has(v) {
			must.Do(unsupported("operator set %d does not apply it to %s", version, v.kindName()))
		}
	}
}

// kindName is the type of a value without its sizes.
func (v *value) kindName() string {
	if v.list != nil {
		return "a sequence of tensors"
	}
	return v.dtype.String()
}

// has reports whether a value is of one of some types. Optional values are there.
func (s typeSet) has(v *value) bool {
	wrap := "%s"
	t := v.dtype
	if v.list != nil {
		if wrap = "seq(%s)"; len(v.list) == 0 {
			return slices.ContainsFunc(s, func(t string) bool { return strings.Contains(t, "seq(") })
		}
		t = v.list[0].dtype
	}
	name := fmt.Sprintf(wrap, strings.ToLower(elemOf(t).String()))
	return slices.Contains(s, name) || slices.Contains(s, "optional("+name+")")
}
