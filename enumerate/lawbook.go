package enumerate

import "github.com/taso-go/taso/law/rewrite"

// lawbook is the candidates that were decided, and the laws that terms are rewritten with.
type lawbook struct {
	known map[string]*statement // by the text they were stated in
	order []*statement          // of known, as decided
	// The proved ones as rewrites. Each list has those of the lists before it.
	strict  []*rewrite.Direction // that hold for all attributes and functions
	loose   []*rewrite.Direction // for some strides, paddings or kernels
	ordered []*rewrite.Direction // for the true relu and maximum
}

// put adds a candidate that was decided.
func (b *lawbook) put(x *statement) {
	b.known[x.text] = x
	b.order = append(b.order, x)
	if x.proved {
		b.accept(x)
	}
}

// accept makes a proved candidate a law to rewrite with.
func (b *lawbook) accept(x *statement) {
	base := x.Base
	switch {
	case x.own != nil:
		base = x.own
	case x.wide:
		base = x.Law
	}
	ds := rewrites(base)
	b.ordered = append(b.ordered, ds...)
	if x.Ordered {
		return
	}
	b.loose = append(b.loose, ds...)
	if !x.Conditional {
		b.strict = append(b.strict, ds...)
	}
}
