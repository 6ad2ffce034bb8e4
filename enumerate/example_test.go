package enumerate_test

import (
	"context"
	"fmt"

	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/law"
)

// Laws about transposes, up to two operators. What random testing supports
// counts as proved here.
func ExampleSession_Level() {
	u, err := enumerate.New([]string{"transpose", "ewadd"})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := enumerate.NewSession(enumerate.Options{Universe: u})
	for n := 1; n <= 2; n++ {
		level, err := s.Level(n, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		for {
			cands, err := level.Next(context.Background())
			if err != nil {
				fmt.Println(err)
				return
			}
			if cands == nil {
				break
			}
			verdicts := make([]enumerate.Verdict, len(cands))
			for i, c := range cands {
				fmt.Print(law.Format(c.Law))
				verdicts[i].Proved = true
			}
			if err := level.Learn(verdicts); err != nil {
				fmt.Println(err)
				return
			}
		}
		st := level.Stats()
		fmt.Printf("level %d: %d terms, %d laws\n", n, st.Terms, st.Distinct)
	}
	// Output:
	// level 1: 6 terms, 0 laws
	// rule candidate
	//   given A : [P..], B : [P..], C : [P..]
	//   then  ewadd(A, ewadd(B, C)) == ewadd(B, ewadd(A, C))
	// rule candidate
	//   given u : perm, A : [P..]
	//   then  transpose[perm=inverse(u)](transpose[perm=u](A)) == A
	// rule candidate
	//   given u : perm, A : [P..], B : [P..]
	//   then  ewadd(transpose[perm=u](A), transpose[perm=u](B)) == transpose[perm=u](ewadd(A, B))
	// level 2: 22 terms, 3 laws
}

// Only proved laws are used to prune: here nothing is proved.
func ExampleNewSession() {
	u, err := enumerate.New([]string{"ewmul", "smul"})
	if err != nil {
		fmt.Println(err)
		return
	}
	level, err := enumerate.NewSession(enumerate.Options{Universe: u, Workers: 1}).Level(1, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		cands, err := level.Next(context.Background())
		if err != nil || cands == nil {
			break
		}
		for _, c := range cands {
			fmt.Println("to prove:", c.Law.LHS[0], "==", c.Law.RHS[0])
		}
		if err := level.Learn(make([]enumerate.Verdict, len(cands))); err != nil {
			fmt.Println(err)
			return
		}
	}
	fmt.Println(level.Stats().Proved, "proved of", level.Stats().Distinct)
	// Output:
	// to prove: ewmul(A, B) == smul(A, B)
	// to prove: smul(A, B) == smul(B, A)
	// 0 proved of 2
}

// What cannot be proved in its most general form may be true in a less general one.
func ExampleCandidate_Narrow() {
	u, err := enumerate.New([]string{"poolavg", "relu", "enlarge", "conv2d"})
	if err != nil {
		fmt.Println(err)
		return
	}
	s := enumerate.NewSession(enumerate.Options{Universe: u, Workers: 1, Seed: 1})
	for n := 1; n <= 2; n++ {
		level, err := s.Level(n, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		for {
			cands, err := level.Next(context.Background())
			if err != nil || cands == nil {
				break
			}
			for _, c := range cands {
				if narrow, ok := c.Narrow(); ok {
					fmt.Print(law.Format(c.Law), "or less general:\n", law.Format(narrow.Law))
					return
				}
			}
			if err := level.Learn(make([]enumerate.Verdict, len(cands))); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	// Output:
	// rule candidate
	//   given f : zero1, A : [a, b, c, d]
	//   then  enlarge[kh=e, kw=g](f(A)) == f(enlarge[kh=e, kw=g](A))
	// or less general:
	// rule candidate
	//   given f : zero1, A : [a, b, c, d]
	//   where c % 2 == 1 and d % 2 == 1 and e % 2 == 1 and g % 2 == 1
	//   then  enlarge[kh=e, kw=g](f(A)) == f(enlarge[kh=e, kw=g](A))
}

// A universe of some operators has the inputs that they can use.
func ExampleNew() {
	u, err := enumerate.New([]string{"smul", "matmul"})
	fmt.Println(u, err)
	_, err = enumerate.New([]string{"dropout"})
	fmt.Println(err != nil)
	// Output:
	// matmul smul; inputs 2 s[], 3 w[3 3], 3 x[2 3] <nil>
	// true
}

// Graphs with any number of outputs, as TASO counts them.
func ExampleCountGraphs() {
	u, err := enumerate.New([]string{"matmul", "ewadd", "relu"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for n := 1; n <= 2; n++ {
		g, err := enumerate.CountGraphs(context.Background(), enumerate.Options{Universe: u}, n)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(g.Ops, g.Graphs)
	}
	// Output:
	// 1 9
	// 2 159
}

// The operators of an encoder layer come with the inputs that suit them.
func ExamplePresets() {
	for _, p := range enumerate.Presets() {
		if p.Name != "bert" {
			continue
		}
		u, err := enumerate.New([]string{p.Name})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(u)
	}
	// Output: matmul ewadd smul concat split transpose softmax gelu linear bias reshape layernorm; inputs 1 s[], 2 n[6], 2 q[2 2 3 3], 2 y[2 3 6], 3 w[6 6]
}
