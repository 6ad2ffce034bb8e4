package widen

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/check"
)

func set(t testing.TB, texts ...string) *rules.Set {
	t.Helper()
	s := &rules.Set{}
	for _, text := range texts {
		r, err := rules.Parse("rule x " + text)
		if err != nil {
			t.Fatal(err)
		}
		r.Status, r.Level = rules.Proved, 2
		s.Add(r)
	}
	return s
}

// Each step states a rule as generally as the axiom that says the same, and no further.
func TestRules(t *testing.T) {
	for _, c := range []struct{ name, from, want string }{
		{"permutation", "given A : [a, b], B : [a, b] then transpose(ewadd(A, B)) == ewadd(transpose(A), transpose(B))",
			"given q : perm, A : [S..], B : [S..] then transpose[perm=q](ewadd(A, B)) == ewadd(transpose[perm=q](A), transpose[perm=q](B))"},
		{"inverse", "given A : [a, b] then transpose(transpose(A)) == A",
			"given q : perm, A : [S..] then transpose[perm=inverse(q)](transpose[perm=q](A)) == A"},
		{"axes", "given A : [a, b, c], B : [] then smul(reshape[shape=[a*b, c]](A), B) == reshape[shape=[a*b, c]](smul(A, B))",
			"given A : [P.., a, b, Q..], B : [] then smul(reshape[shape=[P.., a*b, Q..]](A), B) == reshape[shape=[P.., a*b, Q..]](smul(A, B))"},
		{"bounds", "given A : [a, b], B : [a, b] then slice[axis=0, lo=0, hi=c](ewadd(A, B)) == ewadd(slice[axis=0, lo=0, hi=c](A), slice[axis=0, lo=0, hi=c](B))",
			"given A : [P.., n, S..], B : [P.., n, S..] then slice[axis=#P, lo=i-1, hi=j](ewadd(A, B)) == ewadd(slice[axis=#P, lo=i-1, hi=j](A), slice[axis=#P, lo=i-1, hi=j](B))"},
		{"size of a slice", "given A : [1, b] where c <= d then slice[axis=0, lo=0, hi=c](broadcast[shape=[d, b]](A)) == broadcast[shape=[c, b]](A)",
			"given A : [1, b] where j <= d then slice[axis=0, lo=i-1, hi=j](broadcast[shape=[d, b]](A)) == broadcast[shape=[j-i+1, b]](A)"},
		{"groups", "given A : [a, b, c, d], W : [e, b, h, k], B : [] then conv2d[pad=valid](smul(A, B), W) == smul(conv2d[pad=valid](A, W), B)",
			"given A : [a, g*b, c, d], W : [e, b, h, k], B : [] then conv2d[pad=valid, groups=g](smul(A, B), W) == smul(conv2d[pad=valid, groups=g](A, W), B)"},
		{"collectives", "given A : [g, m, g*n] then alltoall[split=1, concat=0](A) == partition[axis=1, on=g](combine[axis=0](A))",
			"given A : [g, P.., m, Q.., g*n, S..] then alltoall[split=#P+#Q+1, concat=#P](A) == partition[axis=#P+#Q+1, on=g](combine[axis=#P](A))"},
		{"attributes", "given A : [a, b, c, d], W : [e, b, h, k], B : [] then conv2d[pad=valid](smul(A, B), W) == smul(conv2d[pad=valid](A, W), B)",
			"given s : stride, r : stride, p : padding, A : [a, b, c, d], W : [e, b, h, k], B : [] then conv2d[stride=s, pad=p, dilation=r](smul(A, B), W) == smul(conv2d[stride=s, pad=p, dilation=r](A, W), B)"},
		{"slice of a slice", "given A : [a, b] then slice[axis=0, lo=0, hi=c](slice[axis=0, lo=1, hi=c+1](A)) == slice[axis=0, lo=1, hi=c+1](A)",
			"given A : [P.., n, S..] where i+l <= j+1 and j <= n then slice[axis=#P, lo=k-1, hi=l](slice[axis=#P, lo=i-1, hi=j](A)) == slice[axis=#P, lo=i+k-2, hi=i+l-1](A)"},
		{"height and width", "given s : stride, p : padding then poolmax[kh=e, kw=e, stride=s, pad=p](one[shape=[a, b, c, d]]()) => one[shape=[a, b, window(c, e, s, p, 0), window(d, e, s, p, 1)]]()",
			"given s : stride, p : padding then poolmax[kh=e, kw=f, stride=s, pad=p](one[shape=[a, b, c, d]]()) => one[shape=[a, b, window(c, e, s, p, 0), window(d, f, s, p, 1)]]()"},
		{"sum of sizes", "given A : [1, b] then concat[axis=0](broadcast[shape=[a, b]](A), broadcast[shape=[a, b]](A)) == broadcast[shape=[2*a, b]](A)",
			"given A : [P.., 1, S..] then concat[axis=#P](broadcast[shape=[P.., a, S..]](A), broadcast[shape=[P.., b, S..]](A)) == broadcast[shape=[P.., a+b, S..]](A)"},
		{"product of sizes", "then cpool[c=c, kh=3, kw=3]() == fill[shape=[c, 1, 3, 3], den=9]()",
			"then cpool[c=c, kh=h, kw=w]() == fill[shape=[c, 1, h, w], den=h*w]()"},
		{"several groups", "given A : [a, b, c, d], B : [a, b, c, d], V : [e, b, h, k], W : [e, b, h, k] then conv2d[pad=valid, groups=2](concat[axis=1](A, B), concat[axis=0](V, W)) == concat[axis=1](conv2d[pad=valid](A, V), conv2d[pad=valid](B, W))",
			"given A : [a, g*b, c, d], B : [a, i*b, c, d], V : [g*e, b, h, k], W : [i*e, b, h, k] then conv2d[pad=valid, groups=g+i](concat[axis=1](A, B), concat[axis=0](V, W)) == concat[axis=1](conv2d[pad=valid, groups=g](A, V), conv2d[pad=valid, groups=i](B, W))"},
		{"dilation in sizes", "given s : stride, p : padding, A : [a, b, c, d], B : [1, b, e, g] then broadcast[shape=[a, h, window(c, e, s, p, 0), window(d, g, s, p, 1)]](conv2d[stride=s, pad=p](A, B)) == conv2d[stride=s, pad=p](A, broadcast[shape=[h, b, e, g]](B))",
			"given s : stride, r : stride, p : padding, A : [a, b, c, d], B : [1, b, e, g] then broadcast[shape=[a, h, window(c, e*step(r, 0)-step(r, 0)+1, s, p, 0), window(d, g*step(r, 1)-step(r, 1)+1, s, p, 1)]](conv2d[stride=s, pad=p, dilation=r](A, B)) == conv2d[stride=s, pad=p, dilation=r](A, broadcast[shape=[h, b, e, g]](B))"},
		{"odd sizes", "given p : same, A : [a, b, c, d] where e % 2 == 1 and g % 2 == 1 then conv2d[pad=p](A, iconv[c=b, kh=e, kw=g]()) == A",
			"given p : same, r : stride, A : [a, b, c, d] then conv2d[pad=p, dilation=r](A, iconv[c=b, kh=2*e-1, kw=2*g-1]()) == A"},
		{"even sizes", "given p : same, A : [a, b, c, d] where e % 2 == 1 and g % 2 == 1 then conv2d[pad=p](A, iconv[c=b, kh=e, kw=g]()) == A",
			"given A : [a, b, c, d] then conv2d[pad=same_lower](A, iconv[c=b, kh=e, kw=g]()) == A"},
		{"settings of some operators", "given A : [a, b, c, d], V : [e, b, 1, 1], W : [g, e, h, k] then conv2d[pad=valid](conv2d[pad=valid](A, V), W) == conv2d[pad=valid](A, conv2d[pad=valid](W, transpose[perm=(1, 0, 2, 3)](V)))",
			"given s : stride, r : stride, A : [a, b, c, d], V : [e, b, 1, 1], W : [g, e, h, k] then conv2d[stride=s, pad=valid, dilation=r](conv2d[pad=valid](A, V), W) == conv2d[stride=s, pad=valid, dilation=r](A, conv2d[pad=valid](W, transpose[perm=(1, 0, 2, 3)](V)))"},
	} {
		out, rep, err := Rules(context.Background(), set(t, c.from), Options{Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		want := set(t, c.want).Rules[0]
		if rep.Widened != 1 && rep.Written < 2 {
			t.Errorf("%s: not stated more generally", c.name)
		}
		found := false
		for _, r := range out.Rules {
			found = found || rules.Instance(r.Law, want.Law)
			if r.Proof == nil {
				continue
			}
			if _, err := check.Rule(r.Law, r.Proof, nil); err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
		if !found {
			t.Errorf("%s: %s is no instance of\n%s", c.name, law.Body(want.Law), law.Body(out.Rules[len(out.Rules)-1].Law))
		}
	}
}

// Sizes that are odd may also differ by an even number.
func TestDifferences(t *testing.T) {
	odd := set(t, "given A : [a, b, m, n] where h % 2 == 1 and k % 2 == 1 and i % 2 == 1 and j % 2 == 1 and m <= h and n <= k and h <= i and k <= j then enlarge[kh=i, kw=j](enlarge[kh=h, kw=k](A)) == enlarge[kh=i, kw=j](A)")
	want := set(t, "given A : [a, b, m, n] where i-h % 2 == 0 and j-k % 2 == 0 and m <= h and n <= k and h <= i and k <= j then enlarge[kh=i, kw=j](enlarge[kh=h, kw=k](A)) == enlarge[kh=i, kw=j](A)").Rules[0]
	out, _, err := Rules(context.Background(), odd, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range out.Rules {
		found = found || rules.Instance(r.Law, want.Law)
		if r.Proof == nil { // the rule of the test itself
			continue
		}
		if _, err := check.Rule(r.Law, r.Proof, nil); err != nil {
			t.Errorf("%s: %v", law.Body(r.Law), err)
		}
	}
	if !found {
		t.Errorf("no rule among %d is %s", len(out.Rules), law.Body(want.Law))
	}
}

// A rule that holds for one rank, one permutation and one padding only stays as it is.
func TestKept(t *testing.T) {
	s := set(t, "given A : [a, b, c, d], W : [e, b, 1, 1] then relu(conv2d[pad=valid](A, W)) == conv2d[pad=valid, act=relu](A, W)")
	out, _, err := Rules(context.Background(), s, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Rules {
		for _, d := range r.Law.Given {
			if d.Sort == "act" {
				t.Errorf("the activation became a variable: %s", law.Body(r.Law))
			}
		}
	}
}

// No rule says that something equals itself.
func TestTrivial(t *testing.T) {
	out, _, err := Rules(context.Background(), set(t,
		"given A : [a, b], B : [a, b] then transpose(ewadd(A, B)) == ewadd(transpose(A), transpose(B))"), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Rules {
		if law.Equal(r.Law.LHS[0], r.Law.RHS[0]) {
			t.Errorf("%s says nothing", law.Body(r.Law))
		}
	}
}

// What holds for no sizes holds on no random instance, and is no form of a rule.
func TestNoSizes(t *testing.T) {
	for _, c := range []struct {
		text         string
		holds, fails bool
	}{
		{"given A : [a, b] where a+1 <= a then neg(neg(A)) == A", false, false},
		{"given A : [a, b] where a % 2 == 1 and a % 2 == 0 then neg(neg(A)) == A", false, false},
		{"given A : [a, b] where a % 2 == 1 then neg(neg(A)) == A", true, false},
		{"given A : [a, b] where 3 <= a then neg(A) == A", false, true},
	} {
		l := set(t, c.text).Rules[0].Law
		if holds, fails := tested(l); holds != c.holds || fails != c.fails {
			t.Errorf("%s: holds %v, fails %v", c.text, holds, fails)
		}
	}
}

// A condition that a number is the most that a size may be makes no rule more general.
func TestLimits(t *testing.T) {
	out, _, err := Rules(context.Background(), set(t, "given A : [a, b, 1, 1] then enlarge[kh=5, kw=5](enlarge[kh=3, kw=3](A)) == enlarge[kh=5, kw=5](A)"), Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range out.Rules {
		for _, p := range r.Law.Where {
			if limits(p) {
				t.Errorf("%s in %s", p, law.Body(r.Law))
			}
		}
	}
}

// The set does not depend on the number of workers.
func TestWorkers(t *testing.T) {
	var first string
	for _, workers := range []int{1, 3} {
		out, _, err := Rules(context.Background(), set(t,
			"given A : [a, b] then transpose(transpose(A)) == A",
			"then enlarge[kh=4, kw=4](iconv[c=a, kh=2, kw=2]()) == iconv[c=a, kh=4, kw=4]()",
			"given A : [a, b], B : [a, b] then transpose(ewadd(A, B)) == ewadd(transpose(A), transpose(B))"), Options{Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := rules.WriteText(&b, out); err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = b.String()
		} else if b.String() != first {
			t.Errorf("%d workers:\n%s\nwant\n%s", workers, b.String(), first)
		}
	}
}

func ExampleRules() {
	r, err := rules.Parse("rule x given A : [a, b], B : [] then transpose(smul(A, B)) == smul(transpose(A), B)")
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Status = rules.Proved
	out, _, err := Rules(context.Background(), &rules.Set{Rules: []*rules.Rule{r}}, Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(law.Body(out.Rules[0].Law))
	// Output:
	// rule x
	//   given u : perm, A : [P..], B : []
	//   then  smul(transpose[perm=u](A), B) == transpose[perm=u](smul(A, B))
}
