package enumerate

import (
	"bytes"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
)

// universe builds a universe over some operators, with at most count inputs of
// each type, those of small terms only left out.
func universe(t testing.TB, count int, names ...string) *Universe {
	t.Helper()
	u, err := New(names)
	if err != nil {
		t.Fatal(err)
	}
	u.Types = slices.DeleteFunc(u.Types, func(ty InputType) bool { return ty.Most > 0 })
	for i := range u.Types {
		u.Types[i].Count = min(u.Types[i].Count, count)
	}
	return u
}

// randomTerm applies up to maxOps-1 random operators of the universe to inputs and
// earlier tensors of a store and returns the last tensor made.
func randomTerm(t *rapid.T, s *store, ops int) tid {
	pool := append([]tid(nil), s.inputs...)
	cur := rapid.SampledFrom(pool).Draw(t, "input")
	for try, n := 0, 0; try < 8*ops && n < ops; try++ {
		tm := rapid.SampledFrom(s.u.tmpls).Draw(t, "operator")
		var a, b tid
		if tm.arity > 0 {
			a = cur
		}
		if tm.arity > 1 {
			b = rapid.SampledFrom(pool).Draw(t, "operand")
			if rapid.Bool().Draw(t, "exchange") {
				a, b = b, a
			}
		}
		outs := applyAll(s, &tm, a, b)
		if len(outs) == 0 {
			continue
		}
		next := rapid.SampledFrom(outs).Draw(t, "output")
		if s.tensors[next].size == 255 {
			break
		}
		cur = next
		pool = append(pool, outs...)
		n++
	}
	return cur
}

// applyAll applies every instance of a template that fits and lists the
// outputs.
func applyAll(s *store, tm *template, a, b tid) (outs []tid) {
	var sa, sb []int
	var seams seamSet
	if a != 0 {
		sa, seams = s.sizes(a), s.tensors[a].seams
	}
	if b != 0 {
		sb = s.sizes(b)
	}
	for _, in := range tm.insts(sa, sb, seams) {
		x, y := a, b
		if tm.op.Commutative && s.less(y, x) {
			x, y = y, x
		}
		if id := s.apply(in, x, y); id != noApp {
			for _, o := range s.apps[id].outs {
				if o != 0 {
					outs = append(outs, o)
				}
			}
		}
	}
	return outs
}

// rebuild makes a term again, in another store, with its inputs renamed and the
// operands of the commutative applications that swap names exchanged.
func rebuild(from, to *store, t tid, rename []int, swap func(appID) bool) tid {
	made := map[appID]appID{}
	var rec func(t tid) tid
	rec = func(t tid) tid {
		if t == 0 {
			return 0
		}
		x := from.tensors[t]
		if x.app == 0 {
			return to.inputs[rename[x.input-1]]
		}
		if made[x.app] == 0 {
			a := from.apps[x.app]
			p, q := rec(a.args[0]), rec(a.args[1])
			if from.insts[a.inst].op.Commutative && swap(x.app) {
				p, q = q, p
			}
			made[x.app] = to.apply(a.inst, p, q)
		}
		return to.apps[made[x.app]].outs[x.out]
	}
	return rec(t)
}

func drawRenaming(t *rapid.T, s *store) []int {
	var rename []int
	for ti, ty := range s.u.Types {
		own := make([]int, ty.Count)
		for k := range own {
			own[k] = int(s.first[ti]) + k
		}
		rename = append(rename, rapid.Permutation(own).Draw(t, "renaming")...)
	}
	return rename
}

// naiveText is a term as text with the operands of commutative operators
// sorted; inputs are written in the given naming.
func naiveText(s *store, t tid, rename []int) string {
	if t == 0 {
		return ""
	}
	x := s.tensors[t]
	if x.app == 0 {
		return fmt.Sprint("#", rename[x.input-1])
	}
	return naiveApp(s, x.app, rename) + "." + fmt.Sprint(x.out)
}

func naiveApp(s *store, id appID, rename []int) string {
	a := s.apps[id]
	args := []string{naiveText(s, a.args[0], rename), naiveText(s, a.args[1], rename)}
	if s.insts[a.inst].op.Commutative {
		sort.Strings(args)
	}
	return s.insts[a.inst].key + "(" + strings.Join(args, ",") + ")"
}

// namings lists all renamings of a store's inputs.
func namings(s *store) (all [][]int) {
	all = [][]int{nil}
	for ti, ty := range s.u.Types {
		var next [][]int
		own := make([]uint8, ty.Count)
		for k := range own {
			own[k] = s.first[ti] + uint8(k)
		}
		law.Permute(own, func() bool {
			for _, head := range all {
				r := slices.Clone(head)
				for _, k := range own {
					r = append(r, int(k))
				}
				next = append(next, r)
			}
			return true
		})
		all = next
	}
	return all
}

// naiveCanonical is the least text over all namings.
func naiveCanonical(s *store, t tid, all [][]int) string {
	best := ""
	for i, r := range all {
		if text := naiveText(s, t, r); i == 0 || text < best {
			best = text
		}
	}
	return best
}

// appsBelow is the set of applications of a term.
func appsBelow(s *store, t tid) map[appID]bool {
	set := map[appID]bool{}
	var rec func(t tid)
	rec = func(t tid) {
		if t == 0 || s.tensors[t].app == 0 || set[s.tensors[t].app] {
			return
		}
		set[s.tensors[t].app] = true
		rec(s.apps[s.tensors[t].app].args[0])
		rec(s.apps[s.tensors[t].app].args[1])
	}
	rec(t)
	return set
}

// A term has one code whatever its inputs are called, whichever operand of a
// sum comes first, and whatever was made before it in the store.
func TestCodeIsCanonical(t *testing.T) {
	u := Default()
	rapid.Check(t, func(t *rapid.T) {
		s := newStore(u, 1)
		x := randomTerm(t, s, 5)
		c := s.encode(x, nil)
		other := newStore(u, 1)
		for k := rapid.IntRange(0, 2).Draw(t, "clutter"); k > 0; k-- {
			randomTerm(t, other, 2)
		}
		y := rebuild(s, other, x, drawRenaming(t, s), func(appID) bool { return rapid.Bool().Draw(t, "swap") })
		if d := other.encode(y, nil); d != c {
			t.Fatalf("code %v of the term, %v of its renaming", c, d)
		}
	})
}

// Terms with one code are the same up to renaming and order of operands, and
// only those.
func TestCodesSeparateTerms(t *testing.T) {
	u := universe(t, 2, "matmul", "ewadd", "transpose", "concat", "split", "smul")
	s := newStore(u, 1)
	all := namings(s)
	byText := map[string]code{}
	byCode := map[code]string{}
	rapid.Check(t, func(t *rapid.T) {
		x := randomTerm(t, s, 3)
		c, text := s.encode(x, nil), naiveCanonical(s, x, all)
		if d, ok := byText[text]; ok && d != c {
			t.Fatalf("%s has codes %v and %v", text, c, d)
		}
		if other, ok := byCode[c]; ok && other != text {
			t.Fatalf("%s and %s have code %v", text, other, c)
		}
		byText[text], byCode[c] = c, text
	})
	if len(byCode) < 10 {
		t.Errorf("only %d different terms were drawn", len(byCode))
	}
}

// Decoding gives back the term, and with the naming that encode reports its
// very value.
func TestDecodeInvertsEncode(t *testing.T) {
	u := Default()
	rapid.Check(t, func(t *rapid.T) {
		s := newStore(u, 1)
		x := randomTerm(t, s, 5)
		var perm [32]uint8
		c := s.encode(x, &perm)
		if y := s.decode(c, &perm); y != x {
			t.Fatalf("decoding with the naming of encode gives tensor %d, want %d", y, x)
		}
		other := newStore(u, 1)
		if y := other.decode(c, &perm); !slices.Equal(other.value(y), s.value(x)) {
			t.Fatalf("code %v has another value in a new store", c)
		}
		if y := other.decode(c, nil); other.encode(y, nil) != c {
			t.Fatalf("code %v is %v after decoding", c, other.encode(y, nil))
		}
		if int(s.tensors[x].size) != c.size() {
			t.Fatalf("size %d, code says %d", s.tensors[x].size, c.size())
		}
	})
}

// The set of applications below a tensor is that of a plain walk.
func TestSizeCountsSharedOnce(t *testing.T) {
	u := universe(t, 3, "matmul", "ewadd", "ewmul", "relu", "concat", "split")
	rapid.Check(t, func(t *rapid.T) {
		s := newStore(u, 1)
		randomTerm(t, s, 6)
		for x := 1; x < len(s.tensors); x++ {
			set := appsBelow(s, tid(x))
			tt := &s.tensors[x]
			if tt.size == 255 {
				if len(set) <= maxOps {
					t.Fatalf("%d applications are too many", len(set))
				}
				continue
			}
			if int(tt.size) != len(set) {
				t.Fatalf("size %d, want %d", tt.size, len(set))
			}
			for i, id := range tt.nodes[:tt.size] {
				if !set[id] || i > 0 && tt.nodes[i-1] >= id {
					t.Fatalf("applications %v, want %v in order", tt.nodes[:tt.size], set)
				}
			}
		}
	})
}

// naiveSeams lists where a tensor was joined along an axis, by the meaning of
// each operator.
func naiveSeams(s *store, t tid, axis int) map[int]bool {
	out := map[int]bool{}
	x := s.tensors[t]
	if x.app == 0 {
		return out
	}
	a := s.apps[x.app]
	in := s.insts[a.inst]
	from := func(t tid, axis, shift int) {
		for p := range naiveSeams(s, t, axis) {
			out[p+shift] = true
		}
	}
	switch in.op.Name {
	case "relu", "smul", "poolmax", "poolavg", "enlarge":
		from(a.args[0], axis, 0)
	case "ewadd", "ewmul":
		from(a.args[0], axis, 0)
		from(a.args[1], axis, 0)
	case "transpose":
		from(a.args[0], 1-axis, 0)
	case "matmul":
		from([]tid{a.args[0], a.args[1]}[axis], axis, 0)
	case "conv2d":
		// Axis 0 is the images', axis 1 the output channels, the kernel's axis 0.
		from([]tid{a.args[0], a.args[1]}[axis], 0, 0)
	case "concat":
		if int(in.nums[0]) != axis {
			from(a.args[0], axis, 0)
			from(a.args[1], axis, 0)
			break
		}
		n := s.sizes(a.args[0])[axis]
		from(a.args[0], axis, 0)
		out[n] = true
		from(a.args[1], axis, n)
	case "split":
		at := int(in.nums[1])
		for p := range naiveSeams(s, a.args[0], axis) {
			switch {
			case int(in.nums[0]) != axis:
				out[p] = true
			case x.out == 0 && p < at:
				out[p] = true
			case x.out == 1 && p > at:
				out[p-at] = true
			}
		}
	}
	return out
}

func TestSeams(t *testing.T) {
	u := universe(t, 3)
	rapid.Check(t, func(t *rapid.T) {
		s := newStore(u, 1)
		randomTerm(t, s, 5)
		for x := 1; x < len(s.tensors); x++ {
			for axis := range 2 {
				want := naiveSeams(s, tid(x), axis)
				got := s.tensors[x].seams[axis]
				for p := range want {
					if got&(1<<p) == 0 {
						t.Fatalf("%s: no seam at %d of axis %d", naiveText(s, tid(x), namings1(s)), p, axis)
					}
				}
				if bits.OnesCount32(got) != len(want) {
					t.Fatalf("%s: seams %b of axis %d, want %v", naiveText(s, tid(x), namings1(s)), got, axis, want)
				}
			}
		}
	})
}

func namings1(s *store) []int {
	r := make([]int, len(s.inputs))
	for i := range r {
		r[i] = i
	}
	return r
}

// Applications are hash-consed: nothing is made twice. One that is looked at and dropped
// leaves the store as it was, also where there is one like it.
func TestTop(t *testing.T) {
	s := newStore(Default(), 1)
	x, y := s.inputs[0], s.inputs[1]
	inst := func(name string) uint16 {
		for i := range s.insts {
			if s.insts[i].op.Name == name {
				return uint16(i)
			}
		}
		t.Fatalf("no %s", name)
		return 0
	}
	sum := s.apply(inst("ewadd"), x, y)
	if s.apply(inst("ewadd"), x, y) != sum {
		t.Error("an application was made twice")
	}
	tensors, apps := len(s.tensors), len(s.apps)
	for _, top := range []appID{s.top(inst("relu"), s.apps[sum].outs[0], 0), s.top(inst("ewadd"), x, y)} {
		if top == sum || top == noApp {
			t.Fatalf("application %d", top)
		}
	}
	s.drop(appID(apps))
	if len(s.tensors) != tensors || len(s.apps) != apps {
		t.Errorf("%d tensors and %d applications are left, want %d and %d", len(s.tensors), len(s.apps), tensors, apps)
	}
	if s.apply(inst("ewadd"), x, y) != sum {
		t.Error("the application that was there is not found")
	}
	if id := s.apply(inst("relu"), s.apps[sum].outs[0], 0); id != appID(apps) {
		t.Errorf("application %d, want %d: one that was dropped is found", id, apps)
	}
}

// Applications are found whatever their tensors' numbers are.
func TestAppTable(t *testing.T) {
	tab := appTable{near: map[uint64]appID{}}
	keys := []appKey{{1, 2, 3}, {1, 3, 2}, {2, 2, 3}, {1, 1<<nearBits - 1, 0}, {1, 1 << nearBits, 0}, {1, 0, 1 << nearBits},
		{1 << 15, 1, 1}, {1<<15 - 1, 1<<nearBits + 1, 7}}
	for i, k := range keys {
		tab.put(k, appID(i+1))
	}
	for i, k := range keys {
		if id, ok := tab.get(k); !ok || id != appID(i+1) {
			t.Errorf("%v: application %d, %v, want %d", k, id, ok, i+1)
		}
	}
}

// Fingerprinting a term that the store holds already, and somebody else may
// refer to, keeps it.
func TestRootHashKeepsWhatWasThere(t *testing.T) {
	s := newStore(Default(), 1)
	sum := s.codeOf(t, "ewadd", s.inputs[0], s.inputs[1])
	x := s.decode(sum, nil)
	product := s.codeOf(t, "ewmul", s.inputs[0], s.inputs[1])
	s.rootHash(sum, nil, nil)
	if y := s.decode(product, nil); y == x {
		t.Fatalf("tensor %d was a sum and is a product now", x)
	}
}

// codeOf is the code of an operator applied to tensors, made in another store.
func (s *store) codeOf(t testing.TB, name string, a, b tid) code {
	t.Helper()
	other := newStore(s.u, s.seed)
	for i := range other.insts {
		if other.insts[i].op.Name == name {
			if id := other.apply(uint16(i), a, b); id != noApp {
				return other.encode(other.apps[id].outs[0], nil)
			}
		}
	}
	t.Fatalf("%s does not fit", name)
	return code{}
}

// Codes are ordered as their bytes are.
func TestCompareCodes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 10000 {
		var c, d code
		for i := range c {
			c[i] = byte(r.Uint32())
		}
		d = c
		for range r.IntN(3) {
			d[r.IntN(len(d))] = byte(r.Uint32())
		}
		if got, want := c.compare(d), bytes.Compare(c[:], d[:]); got != want {
			t.Fatalf("%x, %x: %d, want %d", c, d, got, want)
		}
	}
}

// Laws make splits that the universe has not, also along axes without seams.
func TestSplitBeyondSeams(t *testing.T) {
	u, err := New([]string{"bert"})
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(u, 1)
	q := s.inputs[u.first(t, "q")]
	in, ok := s.instFor(instKey{op: op.Split, attrs: [maxAttrs]uint32{s.number(seamAxes), s.number(1)}}, 2)
	if !ok {
		t.Fatal("no such instance")
	}
	id := s.apply(in, q, 0)
	if id == noApp {
		t.Fatal("a split of the last axis does not fit")
	}
	if got := s.sizes(s.apps[id].outs[1]); !slices.Equal(got, []int{2, 2, 3, 2}) {
		t.Errorf("sizes %v", got)
	}
}

// first is the number of the first input of a type.
func (u *Universe) first(t *testing.T, name string) int {
	n := 0
	for _, ty := range u.Types {
		if ty.Name == name {
			return n
		}
		n += ty.Count
	}
	t.Fatalf("no input %s", name)
	return 0
}

// Shapes with sizes of more than a byte are told apart.
func TestLargeSizes(t *testing.T) {
	s := newStore(universe(t, 1, "transpose"), 1)
	ids := map[uint16][]int{}
	for _, sizes := range [][]int{{255}, {256}, {300}, {300, 2}, {2, 300}, {44, 2, 2}, {1 << 20}, {255, 255}, {}} {
		id := s.shape(sizes)
		if old, ok := ids[id]; ok {
			t.Errorf("%v and %v are one shape", old, sizes)
		}
		ids[id] = sizes
		if again := s.shape(sizes); again != id || !slices.Equal(s.shapes[id], sizes) {
			t.Errorf("%v is shape %d and then %d, %v", sizes, id, again, s.shapes[id])
		}
	}
}
