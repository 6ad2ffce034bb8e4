package adversary_test

import (
	"fmt"

	"github.com/taso-go/taso/internal/adversary"
	"github.com/taso-go/taso/law"
)

func ExampleLaws() {
	a, b := adversary.Laws(1, 20), adversary.Laws(1, 20)
	same, typed := true, 0
	for i, l := range a {
		same = same && law.Format(l) == law.Format(b[i])
		if _, err := l.Types(); err == nil {
			typed++
		}
	}
	fmt.Println(len(a), same, typed >= 18)
	// Output: 20 true true
}
