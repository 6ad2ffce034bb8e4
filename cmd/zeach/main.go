package main

import (
	"context"
	"fmt"
	"time"

	"github.com/taso-go/taso/axioms"
	_ "github.com/taso-go/taso/graph/op"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify/sums"
)

func main() {
	n, ok, base := 0, 0, 0
	t0 := time.Now()
	for _, l := range axioms.Default() {
		if l.Kind == law.Refute {
			continue
		}
		m := law.Each(l)
		if m == l {
			continue
		}
		n++
		if _, err := law.ParseLaw(law.Format(m)); err != nil {
			fmt.Println("PARSE", err)
		}
		a, _ := sums.Certify(context.Background(), l)
		if a != nil {
			base++
		}
		toks, err := sums.Certify(context.Background(), m)
		if toks != nil {
			ok++
			continue
		}
		fmt.Println("NOT", a != nil, m.Name, err)
		if a != nil && ok < 400 {
			p, _ := sums.New(sums.Config{})
			r, _ := p.Prove(context.Background(), m)
			fmt.Printf("   %+v\n", r)
		}
	}
	fmt.Println(ok, "of", n, "base", base, time.Since(t0))
}
