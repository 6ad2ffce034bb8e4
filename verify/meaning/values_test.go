package meaning_test

import (
	"slices"
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/meaning"
	"github.com/taso-go/taso/verify/sums"
)

// byValues are laws whose proofs compare values, each beside one that does not hold.
var byValues = [][2]string{
	{"[ordered] given A : [P..], B : [P..], C : [P..] then ewmax(A, ewmin(B, C)) == ewmin(ewmax(A, B), ewmax(A, C))",
		"[ordered] given A : [P..], B : [P..], C : [P..] then ewmax(A, ewmin(B, C)) == ewmin(ewmax(A, B), ewmin(A, C))"},
	{"[ordered] given A : [P..], B : [P..] then ewmax(A, B) == ewadd(B, relu(ewsub(A, B)))",
		"[ordered] given A : [P..], B : [P..] then ewmax(A, B) == ewadd(A, relu(ewsub(A, B)))"},
	{"[ordered] given A : [P..], B : [P..] then abs(ewmul(A, B)) == ewmul(abs(A), abs(B))",
		"[ordered] given A : [P..], B : [P..] then abs(ewmul(A, B)) == ewmul(A, abs(B))"},
	{"[ordered] given A : [P..], B : [P..], C : [P..] then ewmax(ewmul(A, relu(C)), ewmul(B, relu(C))) == ewmul(ewmax(A, B), relu(C))",
		"[ordered] given A : [P..], B : [P..], C : [P..] then ewmax(ewmul(A, C), ewmul(B, C)) == ewmul(ewmax(A, B), C)"},
	{"[ordered] given A : [P..], B : [P..] then ewmax(ewadd(A, A), ewmax(ewadd(B, B), ewadd(A, B))) == ewmax(ewadd(A, A), ewadd(B, B))",
		"[ordered] given A : [P..], B : [P..] then ewmax(ewadd(A, A), ewmax(B, ewadd(A, B))) == ewmax(ewadd(A, A), ewadd(B, B))"},
	{"[ordered] given A : [P..], B : [P..] then relu(ewmul(A, exp(B))) == ewmul(relu(A), exp(B))",
		"[ordered] given A : [P..], B : [P..] then relu(ewmul(A, tanh(B))) == ewmul(relu(A), tanh(B))"},
	{"[ordered] given A : [a, b], B : [b, c], C : [b, c] then matmul(A, ewmax(B, C)) == ewadd(matmul(A, C), matmul(A, relu(ewsub(B, C))))",
		"[ordered] given A : [a, b], B : [b, c], C : [b, c] then matmul(A, ewmax(B, C)) == ewadd(matmul(A, B), matmul(A, relu(ewsub(B, C))))"},
	{"[ordered] given A : [a, b], B : [b, c], C : [b, c] then ewmax(matmul(A, B), matmul(A, C)) == ewadd(matmul(A, C), relu(matmul(A, ewsub(B, C))))",
		"[ordered] given A : [a, b], B : [b, c], C : [b, c] then ewmax(matmul(A, B), matmul(A, C)) == matmul(A, ewmax(B, C))"},
	{"[real] given A : [P..], B : [P..], C : [P..] then ewdiv(A, ewdiv(B, C)) == ewdiv(ewmul(A, C), B)",
		"[real] given A : [P..], B : [P..], C : [P..] then ewdiv(A, ewdiv(B, C)) == ewdiv(ewmul(A, B), C)"},
	{"[real] given A : [P..], B : [P..] then reciprocal(ewadd(reciprocal(A), reciprocal(B))) => ewdiv(ewmul(A, B), ewadd(A, B))",
		"[real] given A : [P..], B : [P..] then reciprocal(ewadd(reciprocal(A), reciprocal(B))) => ewdiv(ewadd(A, B), ewmul(A, B))"},
	{"[ordered, real] given A : [P..], B : [P..] then abs(ewdiv(A, B)) == ewdiv(abs(A), abs(B))",
		"[ordered, real] given A : [P..], B : [P..] then abs(ewdiv(A, B)) == ewdiv(A, abs(B))"},
	{"[ordered, real] given A : [P..], B : [P..] then relu(reciprocal(abs(ewsub(A, B)))) == reciprocal(abs(ewsub(B, A)))",
		"[ordered, real] given A : [P..], B : [P..] then relu(reciprocal(ewsub(A, B))) == reciprocal(abs(ewsub(B, A)))"},
}

// A proof by values in which one number is changed, to any of some, is rejected or is another
// proof of the law, by other arithmetic too; it is none of the law that does not hold.
func TestCorruptedValues(t *testing.T) {
	changed, accepted := 0, 0
	for _, texts := range byValues {
		var l [2]*law.Law
		for i, text := range texts {
			var err error
			if l[i], err = law.ParseLaw("rule a " + text); err != nil {
				t.Fatal(err)
			}
		}
		p, err := sums.Certify(t.Context(), l[0])
		if err != nil || p == nil {
			t.Errorf("no proof of %s: %v", texts[0], err)
			continue
		}
		if _, err := meaning.Answers(l[0], p); err != nil {
			t.Errorf("%s: %v", texts[0], err)
		}
		for i := range p {
			for _, n := range []int64{p[i] + 1, p[i] - 1, -p[i], 2 * p[i], 0, 1, 2, 3, 7, -1, -2, -3, -4, -5, -6, 1 << 40, -1 << 63} {
				bad := slices.Clone(p)
				if bad[i] = n; n == p[i] {
					continue
				}
				changed++
				if _, err := meaning.Check(l[1], bad); err == nil {
					t.Errorf("%v is accepted of a law that does not hold:\n%s", bad, texts[1])
				}
				if _, err := meaning.Check(l[0], bad); err != nil {
					continue
				}
				accepted++
				if _, err := meaning.Answers(l[0], bad); err != nil {
					t.Errorf("%v is accepted, and no proof: %v\n%s", bad, err, texts[0])
				}
			}
			for _, bad := range [][]int64{slices.Delete(slices.Clone(p), i, i+1), slices.Insert(slices.Clone(p), i, 0), p[:i]} {
				changed++
				for _, m := range l {
					if _, err := meaning.Check(m, bad); err == nil {
						t.Errorf("%v is accepted of %s", bad, law.Format(m))
					}
				}
			}
		}
	}
	t.Logf("%d proofs changed, %d of them are proofs", changed, accepted)
	if changed < 5000 || accepted > changed/20 {
		t.Errorf("%d changed, %d accepted", changed, accepted)
	}
}

// Without the tag ordered, relu is any function; without the tag real, a term may have no value.
func TestValuesByTag(t *testing.T) {
	for _, texts := range byValues {
		l, err := law.ParseLaw("rule a " + texts[0])
		if err != nil {
			t.Fatal(err)
		}
		p, err := sums.Certify(t.Context(), l)
		if err != nil || p == nil {
			t.Fatal(err)
		}
		for i := range l.Tags {
			m := *l
			m.Tags = slices.Delete(slices.Clone(l.Tags), i, i+1)
			if _, err := meaning.Check(&m, p); err == nil {
				t.Errorf("proved without the tag %s: %s", l.Tags[i], texts[0])
			}
			if p, err := sums.Certify(t.Context(), &m); p != nil || err != nil {
				t.Errorf("proved without the tag %s: %s", l.Tags[i], texts[0])
			}
		}
	}
}
