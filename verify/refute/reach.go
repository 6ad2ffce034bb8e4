package refute

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/instance"
)

// Where a law holds at small sizes it may fail at larger ones: from the eighth
// group on, at a stride of 7, of rank 7, or where a size passes a number that the
// law is written with. Sizes are then chosen by what the law says: first those
// that break a condition under which only one side is defined, for which no
// element need be looked at, then some by chance, out of the numbers near those
// in the law.

// farAttrs are values of attributes that are tried where the usual ones do not
// tell the sides apart.
var farAttrs = map[string][]graph.Value{
	graph.SortStride: farStrides(),
	graph.SortPadding: {graph.TupleValue(1, 0, 0, 0), graph.TupleValue(0, 0, 0, 1), graph.TupleValue(2, 2, 2, 2),
		graph.TupleValue(0, 3, 1, 0), graph.TupleValue(4, 4, 4, 4)},
	graph.SortAct:    {graph.NameValue("tanh"), graph.NameValue("sigmoid")},
	graph.SortNumber: {graph.NumberValue(1), graph.NumberValue(-1), graph.NumberValue(2), graph.NumberValue(6), graph.NumberValue(100)},
}

// maxStride is the longest stride that is tried.
const maxStride = 9

// farStrides are the strides to maxStride along one axis or both, and some that
// differ, the usual ones left out.
func farStrides() []graph.Value {
	var out []graph.Value
	for s := int64(2); s <= maxStride; s++ {
		for _, v := range []graph.Value{graph.TupleValue(s, 1), graph.TupleValue(1, s), graph.TupleValue(s, s), graph.TupleValue(s, s/2+1)} {
			if !slices.Contains(attrChoices[graph.SortStride], v) && !slices.Contains(out, v) {
				out = append(out, v)
			}
		}
	}
	return out
}

// longRuns are the sizes of longer axis runs.
var longRuns = [][]int{{1, 1, 1}, {1, 2, 2}, {2, 1, 1, 2}, {1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 2, 1, 1, 2},
	{1, 1, 1, 1, 1, 1}, {2, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}}

const (
	// reachCells is how many elements a tensor may have that is evaluated here,
	// reachLarge how many the tensors given may have at all points together that
	// are above the usual bound.
	reachCells = replayCells
	reachLarge = 1 << 21
	// reachSize bounds the sizes that are chosen, reachAll their product, so that
	// no size that is computed from them leaves 64 bits.
	reachSize = 1 << 20
	reachAll  = 1 << 48
)

// reach looks for a point at which the sides differ beyond the limits.
func (s *search) reach(ctx context.Context) (point, error) {
	if s.opts.Reach < 0 {
		return nil, nil
	}
	// What was too large before is not now.
	s.probe.cells = reachCells
	clear(s.known)
	r := &reacher{search: s, near: s.near(), large: reachLarge}
	if at := make(point, len(s.limit)); r.fails(at) {
		return at, nil
	}
	if at := r.farFunctions(); at != nil {
		return at, nil
	}
	for _, conds := range s.oneSided() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if at := r.broken(conds); at != nil {
			return at, nil
		}
	}
	if !r.open() {
		return nil, nil
	}
	r.widen()
	rng := random(s.seed, 1)
	for n := range s.opts.Reach {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if at, ok := r.draw(rng, n); ok && r.fails(at) {
			return at, nil
		}
	}
	return nil, nil
}

// farPoints bounds the usual points at which less usual functions are tried.
const farPoints = 24

// farFunctions looks for a point at which the sides differ among usual ones, with
// activations and numbers that are less usual.
func (r *reacher) farFunctions() point {
	for i, a := range r.Attrs {
		g, ok := r.Law.Find(a.Name)
		if !ok || g.Sort != graph.SortAct && g.Sort != graph.SortNumber {
			continue
		}
		for _, at := range r.equal {
			for v := r.limit[r.First()+i]; v < len(a.Values); v++ {
				q := slices.Clone(at)
				if q[r.First()+i] = v; r.fails(q) {
					return q
				}
			}
		}
	}
	return nil
}

// reacher chooses points beyond the limits.
type reacher struct {
	*search
	near  []int // numbers near those in the law, and all to maxStride
	large int   // elements that there may still be at large points
}

// fails is search.fails for points whose tensors are not too many that are large.
func (r *reacher) fails(at point) bool {
	if !r.modest(at) {
		return false
	}
	if _, ok := r.instance(at); !ok {
		sizes, ok := r.Shapes(at)
		if !ok {
			return false
		}
		cells := 0
		for _, sh := range sizes {
			if instance.TooLarge(sh, reachCells) {
				cells = reachLarge
				break
			}
			cells += graph.NumElements(sh)
		}
		// Of what is too large shapes are told still.
		if cells <= r.large {
			r.large -= cells
		} else {
			r.probe.cells = r.opts.Cells
			defer func() { r.probe.cells = reachCells }()
		}
	}
	return r.search.fails(at)
}

// maxImage bounds strides, and sizes that only images have, that are drawn for
// the sake of a number in the law.
const maxImage = 64

// widen adds strides out of the numbers near those in the law.
func (r *reacher) widen() {
	for i := range r.Attrs {
		b := &r.Attrs[i]
		if g, ok := r.Law.Find(b.Name); !ok || g.Sort != graph.SortStride {
			continue
		}
		for _, n := range r.near {
			if n > maxStride && n <= maxImage {
				b.Values = slices.Concat(b.Values, []graph.Value{graph.TupleValue(int64(n), 1), graph.TupleValue(int64(n), int64(n))})
			}
		}
	}
}

// modest says whether the product of all sizes is small enough.
func (s *space) modest(at point) bool {
	all := 1
	for i := range s.Sizes {
		if at[i] >= reachSize {
			return false
		}
		if all *= at[i] + 1; all > reachAll {
			return false
		}
	}
	return true
}

// open says whether larger numbers may matter: there are strides, axis runs,
// sizes in attributes or conditions, or numbers in the law that are not tried
// anyway.
func (r *reacher) open() bool {
	if len(r.Runs) > 0 || len(r.loose) > 0 || len(r.Where) > 0 || len(r.near) > maxStride {
		return true
	}
	for _, b := range r.Law.Given {
		if farAttrs[b.Sort] != nil || b.Sort == graph.SortSame {
			return true
		}
	}
	return slices.Contains(r.inAttrs(), true)
}

// inAttrs marks the size variables that an attribute or a condition mentions.
func (s *space) inAttrs() []bool {
	out := make([]bool, len(s.Sizes))
	mark := func(a graph.Atom) {
		if i := slices.Index(s.Sizes, a.Name); a.Kind == graph.AtomVar && i >= 0 {
			out[i] = true
		}
	}
	s.eachDim(func(d graph.Dim) { d.Walk(mark) })
	return out
}

// eachDim calls f for the sizes in attributes and conditions.
func (s *space) eachDim(f func(graph.Dim)) {
	for _, t := range slices.Concat(s.Law.LHS, s.Law.RHS) {
		t.Walk(func(u *law.Term) {
			for _, v := range u.Attrs {
				if d, ok := v.Dim(); ok {
					f(d)
				} else if sh, ok := v.Shape(); ok {
					for _, it := range sh {
						if it.AxisRun == "" {
							f(it.Dim)
						}
					}
				}
			}
		})
	}
	for _, w := range s.Law.Where {
		f(w.Left)
		f(w.Right)
		if w.Mod != nil {
			f(*w.Mod)
		}
	}
}

// near lists the sizes to maxStride, and those next to a number that the law is
// written with, in order.
func (s *space) near() []int {
	var out []int
	put := func(n int64) {
		if n >= 1 && n <= reachSize && !slices.Contains(out, int(n)) {
			out = append(out, int(n))
		}
	}
	for n := range int64(maxStride) {
		put(n + 1)
	}
	number := func(d graph.Dim) {
		terms, c := d.Terms()
		put(max(c, -c))
		put(max(c, -c) - 1)
		put(max(c, -c) + 1)
		for _, t := range terms {
			put(max(t.Coef, -t.Coef))
		}
	}
	s.eachDim(number)
	for _, g := range s.Law.Given {
		for _, it := range g.Shape {
			if it.AxisRun == "" {
				number(it.Dim)
			}
		}
	}
	slices.Sort(out)
	return out
}

// draw picks a point beyond the limits, the n-th. Few variables are large, and
// strides and images are often of about one size.
func (r *reacher) draw(rng *rand.Rand, n int) (point, bool) {
	at := make(point, len(r.limit))
	attr := r.inAttrs()
	image, _ := slices.BinarySearch(r.near, maxImage+1)
	size := r.near[rng.IntN(image)]
	for i := range at {
		switch {
		case i < len(r.Sizes) && attr[i]:
			at[i] = r.near[rng.IntN(len(r.near))] - 1
			if rng.IntN(2) == 0 {
				at[i] = rng.IntN(3)
			}
		case i < len(r.Sizes):
			at[i] = rng.IntN(2)
			if rng.IntN(2) == 0 {
				at[i] = max(size-2+rng.IntN(3), 0)
			}
		case i < r.First():
			at[i] = rng.IntN(len(r.Lens))
		default:
			vs := r.Attrs[i-r.First()].Values
			at[i] = rng.IntN(len(vs))
			if rng.IntN(2) == 0 {
				continue
			}
			if k := slices.IndexFunc(vs, func(v graph.Value) bool { return isStride(v, int64(size)) }); k >= 0 {
				at[i] = k
			}
		}
	}
	sv := solver{space: r.space, conds: r.Where, near: r.near, left: 40}
	if at = sv.from(at, solveDepth); at == nil {
		return nil, false
	}
	cells := 0
	sizes, ok := r.Shapes(at)
	for _, sh := range sizes {
		if instance.TooLarge(sh, drawCells*4) {
			return at, n%8 == 0 // few of these
		}
		cells += graph.NumElements(sh)
	}
	return at, ok && (cells <= drawCells*4 || n%8 == 0)
}

// isStride says whether v is a stride of n along an axis.
func isStride(v graph.Value, n int64) bool {
	xs, ok := v.Tuple()
	return ok && len(xs) == 2 && slices.Contains(xs, n)
}

// oneSided lists, for each condition under which one side is defined that is
// not among those of the other, the conditions under which only the other may
// be: those of the law, of the other side, and that the first does not hold.
func (s *search) oneSided() [][]instance.Condition {
	ty, err := s.Law.Types()
	if err != nil {
		return nil
	}
	var out [][]instance.Condition
	ways := [][2][]graph.Need{{ty.LeftNeeds, ty.RightNeeds}}
	if !s.Law.OneWay {
		ways = append(ways, [2][]graph.Need{ty.RightNeeds, ty.LeftNeeds})
	}
	for _, way := range ways {
		base := slices.Clone(s.Where)
		for _, n := range way[0] {
			base = append(base, s.Need(n, true))
		}
		for _, n := range way[1] {
			if !slices.Contains(way[0], n) {
				out = append(out, append(slices.Clone(base), s.Need(n, false)))
			}
		}
	}
	return out
}

// reachStarts bounds the assignments of attributes for which conditions are
// solved.
const reachStarts = 8

// broken looks for a point at which the sides differ and the conditions hold.
func (r *reacher) broken(conds []instance.Condition) point {
	sv := solver{space: r.space, conds: conds, near: r.near}
	n := len(r.Sizes) + len(r.Runs)
	for i, attrs := range r.plainAttrs() {
		if i == reachStarts {
			break
		}
		for _, size := range []int{0, 1, 3} {
			at := make(point, len(r.limit))
			for j := range r.Sizes {
				at[j] = size
			}
			copy(at[n:], attrs)
			sv.left = 60
			if at = sv.from(at, solveDepth); at != nil && r.fails(at) {
				return at
			}
		}
	}
	return nil
}

// content is a number for what a law says, whatever its variables are called.
func (s *space) content() uint64 {
	b := graph.Substitution{Dims: map[string]graph.Dim{}, Runs: map[string]graph.Shape{}, Attrs: map[string]graph.Value{}}
	for i, n := range s.Sizes {
		b.Dims[n] = graph.Var(fmt.Sprint("n", i))
	}
	for i, n := range s.Runs {
		b.Runs[n] = graph.Shape{graph.AxisRun(fmt.Sprint("P", i))}
	}
	tensors := map[string]*law.Term{}
	fns := map[string]string{}
	for i, g := range s.Law.Given {
		switch {
		case g.Sort == "":
			tensors[g.Name] = &law.Term{Var: fmt.Sprint("x", i)}
		case law.IsFuncSort(g.Sort):
			fns[g.Name] = fmt.Sprint("f", i)
		default:
			b.Attrs[g.Name] = graph.VarValue(fmt.Sprint("a", i), g.Sort)
		}
	}
	h := fnv.New64a()
	for _, t := range slices.Concat(s.Law.LHS, s.Law.RHS) {
		fmt.Fprintln(h, t.Subst(tensors, fns, &b))
	}
	return h.Sum64()
}
