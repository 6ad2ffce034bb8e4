package genrules

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/taso"
	"github.com/taso-go/taso/rules/tasopb"
	"github.com/taso-go/taso/verify"
	"github.com/taso-go/taso/verify/refute"
)

// tasoFile reads a file of others, or skips.
func tasoFile(t testing.TB, name string) *tasopb.RuleCollection {
	t.Helper()
	c, err := tasopb.Unmarshal(golden.Data(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// equality is one of TASO's: the laws of which one must hold, and how it came.
type equality struct {
	at    int // in the file
	forms []*law.Law
	how   string // "" while it is open
}

// comparison asks which equalities follow from a set.
type comparison struct {
	t    *testing.T
	set  *rules.Set
	laws []*law.Law // the kept rules of one output, and that operators commute
	all  []*equality
	// follows says of laws, by their identity, whether they follow from the set: many
	// equalities differ in nothing but names. Comparisons with one set share it.
	follows map[string]bool
}

// The ways in which an equality may be settled.
const (
	inSet   = "in the set, or an instance of a rule in it"
	derived = "derived from the set"
	refuted = "false"
)

// newComparison asks about the equalities of a file over some operators, or over all. It reads
// both SAME paddings as one variable, as both are meant.
func newComparison(t *testing.T, c *tasopb.RuleCollection, set *rules.Set, follows map[string]bool, ops []string) *comparison {
	t.Helper()
	k := &comparison{t: t, set: set, follows: follows}
	for _, l := range axioms.ByKind(law.Axiom) {
		if commutes(l) {
			k.laws = append(k.laws, l)
		}
	}
	var rest []*law.Law
	for _, r := range set.Rules {
		switch {
		case r.Status != rules.Proved || len(r.Law.LHS) != 1:
		case r.Derivable:
			rest = append(rest, r.Law)
		default:
			k.laws = append(k.laws, r.Law)
		}
	}
	k.laws = append(k.laws, rest...)
	for i, r := range taso.From(c, taso.Reading{Same: taso.AnySame}) {
		if r.Err != nil {
			t.Fatalf("equality %d: %v", i, r.Err)
		}
		if ops == nil || over(r.Law, ops) {
			k.all = append(k.all, &equality{at: i, forms: []*law.Law{r.Law}})
		}
	}
	return k
}

// commutes reports that a law says no more than that an operator is
// commutative. Such laws are in no set, since sets do not tell terms apart that
// differ in the order of such operands; they are granted.
func commutes(l *law.Law) bool {
	if len(l.LHS) != 1 || len(l.Where) > 0 {
		return false
	}
	a, b := l.LHS[0], l.RHS[0]
	return a.Op != nil && a.Op == b.Op && a.Op.Commutative && len(a.Args) == 2 && a.Args[0].IsVar() && a.Args[1].IsVar() &&
		a.Args[0].Var != a.Args[1].Var && a.Args[0].Var == b.Args[1].Var && a.Args[1].Var == b.Args[0].Var
}

// change replaces the forms of what is open.
func (k *comparison) change(forms func(*law.Law) []*law.Law) {
	for _, e := range k.all {
		if e.how == "" {
			var now []*law.Law
			for _, l := range e.forms {
				now = append(now, forms(l)...)
			}
			e.forms = now
		}
	}
}

// prove settles what has a form that is in the set or follows from it.
func (k *comparison) prove() {
	k.t.Helper()
	var goals []*law.Law
	var ids []string
	for _, e := range k.all {
		for _, l := range e.forms {
			for _, r := range k.set.Rules {
				if e.how == "" && r.Status == rules.Proved && rules.Instance(r.Law, l) {
					e.how = inSet
				}
			}
		}
		for _, l := range e.forms {
			id := law.ID(l)
			if _, asked := k.follows[id]; e.how == "" && !asked {
				k.follows[id] = false
				goals, ids = append(goals, l), append(ids, id)
			}
		}
	}
	vs, err := (&verify.EGraph{Laws: k.laws, Rounds: deriveRounds}).Prove(context.Background(), goals)
	if err != nil {
		k.t.Fatal(err)
	}
	for i, v := range vs {
		k.follows[ids[i]] = v.Status == verify.Proved
	}
	for _, e := range k.all {
		if e.how == "" && slices.ContainsFunc(e.forms, func(l *law.Law) bool { return k.follows[law.ID(l)] }) {
			e.how = derived
		}
	}
}

// refute wants a counterexample to every form of what is open: what holds only
// at special sizes is false as it is meant.
func (k *comparison) refute() {
	k.t.Helper()
	for _, e := range k.all {
		for _, l := range e.forms {
			if e.how != "" {
				break
			}
			w, err := refute.Find(context.Background(), l, refute.Options{Bindings: 1500})
			if err != nil {
				k.t.Fatal(err)
			}
			if w == nil {
				k.t.Errorf("equality %d is neither derived nor refuted\n%s", e.at, law.Format(l))
			}
		}
	}
}

// What TASO's enumerator finds at three operators, and its published rules, some
// of which have four, are rules of our set, follow from it, or are false. The false ones are so for
// TASO's own arithmetic: a sum in the place of the average with a maximum of 0 and 1 (150), a
// kernel of ones in the place of averages (387). One holds at its own sizes only, where the
// image is so narrow that the kernel is one column (386). In make test there are two sets, each
// over some of the operators, and each is asked for equalities over these.
func TestTASOEqualities(t *testing.T) {
	if testing.Short() {
		t.Skip("generates a set of rules")
	}
	type wanted struct {
		count map[string]int
		false []int
	}
	files := []string{"taso_depth3.pb", "taso_graph_subst.pb"}
	tasoFile(t, files[0]) // skips
	sets := []struct {
		name string
		ops  []string // nil for all
		want []wanted // of each file
	}{
		{"algebra", []string{"concat", "cpool", "ewadd", "ewmul", "imatmul", "matmul", "one", "poolmax", "relu", "smul", "split", "transpose"}, []wanted{
			{map[string]int{inSet: 100, derived: 203, refuted: 1}, []int{387}},
			{map[string]int{inSet: 51, derived: 42}, nil},
		}},
		{"images", []string{"conv2d", "enlarge", "ewmul", "iconv", "poolavg", "poolmax", "smul"}, []wanted{
			{map[string]int{inSet: 12, derived: 80, refuted: 1}, []int{150}},
			{map[string]int{inSet: 2, derived: 8}, nil},
		}},
		{"all", nil, []wanted{
			{map[string]int{inSet: 150, derived: 467, refuted: 2}, []int{150, 387}},
			{map[string]int{inSet: 66, derived: 67}, nil},
		}},
	}
	for _, x := range sets[sweep.Size(0, 2):sweep.Size(2, 3)] {
		t.Run(x.name, func(t *testing.T) {
			set := generate(t, Options{MaxOps: 3, Ops: x.ops, Seed: 1}).Set
			follows := map[string]bool{}
			for i, name := range files {
				k := newComparison(t, tasoFile(t, name), set, follows, x.ops)
				k.prove()
				k.change(eachPadding)
				k.prove()
				k.refute()
				for _, size := range []func(int64) graph.Dim{tied, graph.Int} {
					k.change(func(l *law.Law) []*law.Law { return withTASOSizes(l, size) })
					k.prove()
				}
				count := map[string]int{}
				var wrong []int
				for _, e := range k.all {
					if e.how == "" {
						e.how = refuted
						wrong = append(wrong, e.at)
					}
					count[e.how]++
				}
				if !reflect.DeepEqual(count, x.want[i].count) || !reflect.DeepEqual(wrong, x.want[i].false) {
					t.Errorf("%s: %v, false %v, want %v, false %v", name, count, wrong, x.want[i].count, x.want[i].false)
				}
				t.Logf("%s, %d rules in the set: %v", name, set.Len(), count)
			}
		})
	}
}

// over reports whether a law has no operators but some, and no activations.
func over(l *law.Law, names []string) bool {
	all := !strings.Contains(law.Format(l), "act=relu")
	for _, x := range slices.Concat(l.LHS, l.RHS) {
		x.Walk(func(u *law.Term) { all = all && (u.Op == nil || slices.Contains(names, u.Op.Name)) })
	}
	return all
}
