package taso

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/tasopb"
)

// Reading fixes what TASO's format leaves open. The zero value reads as TASO's
// generator does, without groups.
type Reading struct {
	// Same is what SAME padding means: graph.SameUpper (TASO's generator),
	// graph.SameLower (its runtime and verifier), or "any", a variable of sort
	// same. Empty is graph.SameUpper.
	Same string
	// Grouped: a convolution may have any number of groups, as in TASO's
	// operators. Otherwise it has one group, except with a kernel made of
	// Cpool, which has one channel, and in rules that have no types so.
	Grouped bool
	// Border is what an average over a window is divided by: "counted" (by the
	// whole window, as TASO says), "excluded" (by the cells inside the image,
	// the default of ONNX), or "any", a variable of sort border. Empty is
	// "counted".
	Border string
	// Linear is what FlexFlow's linear reads: "" is each replica of its operands on
	// its own, as a product of batches, [Replica0] the first one.
	Linear string
	// AnyDegree: a degree of parallelism stands for any number of parts, equal
	// ones for equal numbers, as FlexFlow uses its rules. Otherwise it is the number
	// that the rule says.
	AnyDegree bool
	// Degree, of rules that are written: FlexFlow's operators may be used, with this
	// degree for variable ones; 0: they may not.
	Degree int64
}

const (
	// AnySame is the Reading.Same under which a rule must hold for both ways
	// to pad.
	AnySame = "any"
	// AnyBorder is the Reading.Border under which a rule must hold for both
	// averages.
	AnyBorder = "any"
)

func (r Reading) same() (graph.Value, error) {
	switch r.Same {
	case "", graph.SameUpper:
		return graph.NameValue(graph.SameUpper), nil
	case graph.SameLower:
		return graph.NameValue(graph.SameLower), nil
	case AnySame:
		return graph.VarValue("q", graph.SortSame), nil
	}
	return graph.Value{}, fmt.Errorf("reading of SAME %q: want %s, %s or %s", r.Same, graph.SameUpper, graph.SameLower, AnySame)
}

func (r Reading) border() (graph.Value, error) {
	switch r.Border {
	case "", "counted", "excluded":
		return graph.NameValue(cmp.Or(r.Border, "counted")), nil
	case AnyBorder:
		return graph.VarValue("e", graph.SortBorder), nil
	}
	return graph.Value{}, fmt.Errorf("reading of the border %q: want counted, excluded or %s", r.Border, AnyBorder)
}

// openValues are what a reading puts where the format leaves a choice.
type openValues struct{ same, border graph.Value }

func (r Reading) open() (o openValues, err error) {
	if o.same, err = r.same(); err != nil {
		return o, err
	}
	o.border, err = r.border()
	return o, err
}

// Causes of a Error, for errors.Is.
var (
	ErrUnsupported = errors.New("unsupported") // an operator or attribute without a counterpart
	ErrNoSeam      = errors.New("nothing was joined there")
	ErrTyping      = errors.New("shapes do not fit")
	ErrInvalid     = errors.New("senseless rule")
)

// Error says why a rule of TASO's format has no law.
type Error struct {
	Rule int           // index in the collection
	Side tasopb.Side   // of the operator, or NoSide
	Op   int           // index of the operator on its side, -1 if it is not about one
	Type tasopb.OpType // of that operator
	Err  error         // wraps one of ErrUnsupported, ErrNoSeam, ErrTyping, ErrInvalid
}

// Error is such as "rule 3: src operator 1 (SPLIT): nothing was joined there".
func (e *Error) Error() string {
	if e.Op < 0 {
		return fmt.Sprintf("rule %d: %v", e.Rule, e.Err)
	}
	return fmt.Sprintf("rule %d: %s operator %d (%s): %v", e.Rule, e.Side, e.Op, e.Type, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Translation is the law of one rule of TASO's format, or why there is none.
type Translation struct {
	Law *law.Law
	// Grouped: convolutions have any number of groups in Law, as the reading says so or as
	// the rule has shapes only then.
	Grouped bool
	Err     error // a *Error
}

// From translates a collection into laws, one for each rule and in its
// order. The laws are named "rule_" and the rule's index, are not canonical
// ([New] makes rules of them), and are not said to be true.
//
// Each variable gets the most general shape with which both sides have types
// and agree: a rank from the operators around it (convolution 4, matrices 2,
// NUMDIM of concat and transpose, scalars 0; where nothing tells, the axes that
// concat and split name and an axis run)
// and a size variable for each axis, equal only where they must be. Kernels
// have the sizes that the operators name. Constants get the shapes that their
// use asks for. A split cuts at the last concatenation along its axis, as
// TASO's generator follows it through the operators, written as an explicit
// position. OUTSHUFFLE says how results lie in memory and is left out.
func From(c *tasopb.RuleCollection, reading Reading) []Translation {
	out := make([]Translation, len(c.Rules))
	for i := range c.Rules {
		out[i] = fromRule(&c.Rules[i], i, reading)
	}
	return out
}

// maxTies bounds the equalities between sizes that are tried where shapes do
// not determine them.
const maxTies = 200

// maxWrittenOut bounds the operators of a side with shared ones counted each
// time they are used: so large is the side's text.
const maxWrittenOut = 10_000

func writtenOut(ops []tasopb.Operator) int {
	sizes := make([]int, len(ops))
	total := 0
	for i := range ops {
		sizes[i] = 1
		for _, x := range ops[i].Inputs {
			if x.OpID >= 0 {
				sizes[i] = min(sizes[i]+sizes[x.OpID], maxWrittenOut+1)
			}
		}
		total = max(total, sizes[i])
	}
	return total
}

// readable is what a rule may be to have a law: more than TASO's files may
// hold, since equations of other notations come in the same form. What the law
// can be used for follows from its variables, see Directions.
var readable = tasopb.Allow{BareSides: true, FreeVariables: true, Repeated: true, Parallel: true}

func fromRule(r *tasopb.Rule, index int, reading Reading) Translation {
	bare := func(err error) Translation {
		return Translation{Err: &Error{Rule: index, Side: tasopb.NoSide, Op: -1, Err: err}}
	}
	open, err := reading.open()
	if err != nil {
		return bare(fmt.Errorf("%w: %w", ErrInvalid, err))
	}
	if ps := r.Problems(readable); len(ps) > 0 {
		return bare(fmt.Errorf("%w: %w", ErrInvalid, ps))
	}
	if n := max(writtenOut(r.SrcOps), writtenOut(r.DstOps)); n > maxWrittenOut {
		return bare(fmt.Errorf("%w: more than %d operators written out as a tree", ErrUnsupported, maxWrittenOut))
	}
	ranks, err := inferRanks(r)
	if err != nil {
		return bare(fmt.Errorf("%w: %w", ErrTyping, err))
	}
	l, err := fromRuleAs(r, index, reading, open, ranks)
	if errors.Is(err, ErrTyping) && !reading.Grouped {
		// Some rules make sense with groups only.
		reading.Grouped = true
		if g, err := fromRuleAs(r, index, reading, open, ranks); err == nil {
			return Translation{Law: g, Grouped: true}
		}
	}
	if err != nil {
		var te *Error
		if errors.As(err, &te) {
			return Translation{Err: te}
		}
		return bare(err)
	}
	return Translation{Law: l, Grouped: reading.Grouped}
}

// SideOf is the law that says of one side of a rule that it is itself, with
// the most general shapes that the side alone permits: other than in [From],
// sizes are equal only where they must be. Equations between sizes that have no
// most general solution, such as a+b = c+d, are conditions of the law, and
// without them its sides have no types.
func SideOf(r *tasopb.Rule, side tasopb.Side, reading Reading) (*law.Law, error) {
	ops := r.SrcOps
	if side == tasopb.Dst {
		ops = r.DstOps
	}
	alone := &tasopb.Rule{SrcOps: ops, DstOps: ops}
	for _, m := range r.Mapped {
		op, ts := m.SrcOpID, m.SrcTsID
		if side == tasopb.Dst {
			op, ts = m.DstOpID, m.DstTsID
		}
		alone.Mapped = append(alone.Mapped, tasopb.MapOutput{SrcOpID: op, DstOpID: op, SrcTsID: ts, DstTsID: ts})
	}
	open, err := reading.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	ranks, err := inferRanks(alone)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTyping, err)
	}
	t := newTranslator(alone, 0, reading, open, ranks)
	t.facts, t.loose = graph.ExactSolver(), true
	l, _, err := t.translate(nil)
	return l, err
}

// Open is the law of a rule whose shapes have no most general solution, not
// even with some sizes equated, which is why [From] has none: sizes such as
// those of two windows with strides may agree for many images without being one
// formula. Sizes are equal only where they must be; that those agree which could
// not be solved is not demanded, and where they differ, the sides are undefined
// or of different shapes. The law has no types. The error wraps ErrTyping if
// there are no shapes at all.
func Open(r *tasopb.Rule, reading Reading) (*law.Law, error) {
	open, err := reading.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	ranks, err := inferRanks(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrTyping, err)
	}
	t := newTranslator(r, 0, reading, open, ranks)
	t.facts, t.loose = graph.ExactSolver(), true
	l, _, err := t.translate(nil)
	if err != nil {
		return nil, err
	}
	if len(l.Where) == 0 {
		return nil, fmt.Errorf("%w: no sizes are left open", ErrTyping)
	}
	l.Where = t.severalParts()
	return l, nil
}

func newTranslator(r *tasopb.Rule, index int, reading Reading, open openValues, ranks *ranks) *translator {
	return &translator{rule: r, index: index, reading: reading, open: open, ranks: ranks, facts: graph.LazySolver(),
		vars: map[int32]graph.Shape{}, order: map[string]int{}, groups: map[string]bool{}, degrees: map[int64]string{}}
}

// fromRuleAs translates a rule, trying equalities of sizes where shapes do not
// determine them.
func fromRuleAs(r *tasopb.Rule, index int, reading Reading, open openValues, ranks *ranks) (*law.Law, error) {
	budget := maxTies
	var try func(ties [][2]graph.Dim) (*law.Law, error)
	try = func(ties [][2]graph.Dim) (*law.Law, error) {
		budget--
		t := newTranslator(r, index, reading, open, ranks)
		l, open, err := t.translate(ties)
		if err != nil || open == nil {
			return l, err
		}
		// Sizes such as a+b = c+d have no most general solution: pairs of
		// sizes are equated, the earliest first.
		var first error
		for _, tie := range t.candidates(*open) {
			if budget <= 0 {
				break
			}
			l, err := try(append(ties[:len(ties):len(ties)], tie))
			if err == nil {
				return l, nil
			}
			if first == nil {
				first = err
			}
		}
		if first == nil {
			first = fmt.Errorf("%w: sizes %s and %s cannot be made to agree", ErrTyping, open[0], open[1])
		}
		return nil, first
	}
	return try(nil)
}

// translator builds the law of one rule under given equalities of sizes.
type translator struct {
	rule    *tasopb.Rule
	index   int
	reading Reading
	open    openValues
	ranks   *ranks
	facts   *graph.Unifier
	vars    map[int32]graph.Shape // of variables, by id
	ids     []int32               // variables by first use
	order   map[string]int        // size variables by creation
	groups  map[string]bool       // those that count groups
	degrees map[int64]string      // variables for degrees of parallelism
	loose   bool                  // what cannot be solved becomes a condition
	point   *Point                // where the rule is written out, see At; nil: at all shapes
}

func (t *translator) fresh() graph.Dim {
	name := fmt.Sprintf("n%d", len(t.order)+1)
	t.order[name] = len(t.order)
	return graph.Var(name)
}

// freshShape is a shape of a rank; of a rank that is not known, the axes that
// operators name and a run for the others.
func (t *translator) freshShape(r *rank) graph.Shape {
	n, named, run := r.known()
	if n < 0 {
		n = named
	}
	s := make(graph.Shape, n, n+1)
	for i := range s {
		s[i] = graph.Axis(t.fresh())
	}
	if run != "" {
		s = append(s, graph.AxisRun(run))
	}
	return s
}

// tensor is a tensor while its side is being built.
type tensor struct {
	term  *law.Term
	shape graph.Shape
	seams []*seam
	// pool: a kernel made of Cpool, with one channel.
	pool bool
	// void: it has no shape at the point where the rule is written out.
	void bool
}

// translate builds and types both sides. open is an equation between sizes
// that remains unsolved.
func (t *translator) translate(ties [][2]graph.Dim) (l *law.Law, open *[2]graph.Dim, err error) {
	var sides [2][][]tensor
	for i, side := range []tasopb.Side{tasopb.Src, tasopb.Dst} {
		if sides[i], err = t.side(side); err != nil {
			return nil, nil, err
		}
	}
	l = &law.Law{Kind: law.Rule, Name: fmt.Sprintf("rule_%d", t.index)}
	for _, m := range t.rule.Mapped {
		x, y := t.output(sides[0], m.SrcOpID, m.SrcTsID), t.output(sides[1], m.DstOpID, m.DstTsID)
		if err := t.facts.EqShape(x.shape, y.shape); err != nil {
			return nil, nil, fmt.Errorf("%w: without broadcasting the sides never have one shape: %s and %s: %w", ErrTyping, x.term, y.term, err)
		}
		l.LHS, l.RHS = append(l.LHS, x.term), append(l.RHS, y.term)
	}
	for _, tie := range ties {
		if err := t.facts.Eq(tie[0], tie[1]); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrTyping, err)
		}
	}
	open, err = t.settle()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrTyping, err)
	}
	if open != nil && !t.loose {
		return nil, open, nil
	}
	if err := t.facts.Settle(); err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrTyping, err)
	}
	sol := t.facts.Solution()
	for _, e := range t.facts.Pending() {
		p := law.Pred{Left: e[0], Rel: "==", Right: e[1]}
		if !slices.ContainsFunc(l.Where, func(q law.Pred) bool { return q.String() == p.String() }) {
			l.Where = append(l.Where, p)
		}
	}
	if !t.loose {
		if err := t.freeDegrees(sol); err != nil {
			return nil, nil, err
		}
	}
	var nodes law.Nodes // equal subterms become one
	for i := range l.LHS {
		l.LHS[i] = l.LHS[i].Subst(nil, nil, sol).Rewrite(nodes.Unique)
		l.RHS[i] = l.RHS[i].Subst(nil, nil, sol).Rewrite(nodes.Unique)
	}
	for _, v := range []graph.Value{t.open.same, t.open.border} {
		if name, sort, ok := v.Var(); ok && usesSort(l, sort) {
			l.Given = append(l.Given, law.Declaration{Name: name, Sort: sort})
		}
	}
	for _, id := range t.ids {
		l.Given = append(l.Given, law.Declaration{Name: varName(id), Shape: t.facts.NormShape(t.vars[id])})
	}
	if _, err := l.Types(); err != nil && len(l.Where) == 0 {
		return nil, nil, fmt.Errorf("%w: %w", ErrTyping, err)
	}
	if !t.loose {
		l.Where = t.severalParts()
	}
	return l, nil, nil
}

// usesSort reports whether an attribute variable of the sort occurs.
func usesSort(l *law.Law, sort string) bool {
	found := false
	l.EachTerm(func(u *law.Term) {
		for _, v := range u.Attrs {
			_, s, ok := v.Var()
			found = found || ok && s == sort
		}
	})
	return found
}

func varName(id int32) string { return fmt.Sprintf("X%d", -int64(id)) }

// side builds the tensors of the operators of one side.
func (t *translator) side(side tasopb.Side) ([][]tensor, error) {
	ops := t.rule.SrcOps
	if side == tasopb.Dst {
		ops = t.rule.DstOps
	}
	out := make([][]tensor, len(ops))
	for i := range ops {
		in := make([]tensor, len(ops[i].Inputs))
		for k, x := range ops[i].Inputs {
			if x.OpID < 0 {
				in[k] = t.variable(x.OpID)
				continue
			}
			in[k] = out[x.OpID][x.TsID]
			if isConstant(ops[x.OpID].Type) {
				// A constant is a new one wherever it is used: its sizes
				// follow from the use.
				c, err := t.apply(&ops[x.OpID], nil, t.ranks.of(side, x))
				if err != nil {
					return nil, t.fail(side, int(x.OpID), &ops[x.OpID], err)
				}
				in[k] = c[0]
			}
		}
		var err error
		if out[i], err = t.apply(&ops[i], in, t.ranks.of(side, tasopb.Tensor{OpID: int32(i)})); err != nil {
			return nil, t.fail(side, i, &ops[i], err)
		}
	}
	return out, nil
}

func (t *translator) fail(side tasopb.Side, i int, o *tasopb.Operator, err error) error {
	return &Error{Rule: t.index, Side: side, Op: i, Type: o.Type, Err: err}
}

func isConstant(ty tasopb.OpType) bool {
	switch ty {
	case tasopb.OpConstantImm, tasopb.OpConstantIconv, tasopb.OpConstantOne, tasopb.OpConstantPool:
		return true
	}
	return false
}

// output is a tensor of a side, or a variable.
func (t *translator) output(side [][]tensor, op, ts int32) tensor {
	if op < 0 {
		return t.variable(op)
	}
	return side[op][ts]
}

func (t *translator) variable(id int32) tensor {
	s, ok := t.vars[id]
	if !ok && t.point != nil {
		s, ok = graph.Sizes(t.point.Shapes[varName(id)]...), true
		t.vars[id] = s
		t.ids = append(t.ids, id)
	}
	if !ok {
		s = t.freshShape(t.ranks.of(tasopb.Src, tasopb.Tensor{OpID: id}))
		t.vars[id] = s
		t.ids = append(t.ids, id)
	}
	seams := make([]*seam, len(s))
	return tensor{term: law.V(varName(id)), shape: s, seams: seams}
}
