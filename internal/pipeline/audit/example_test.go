package audit_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/taso-go/taso/internal/pipeline/audit"
	"github.com/taso-go/taso/rules/peer"
)

func ExampleRun() {
	const text = `
(matmul 0 (matmul 0 ?input_1 ?input_4) ?input_5)=>(matmul 0 ?input_1 (matmul 0 ?input_4 ?input_5))
(concat 0 2 (concat 1 2 ?input_1 ?input_3) (concat 1 2 ?input_2 ?input_4))=>(concat 1 2 (concat 0 2 ?input_1 ?input_2) (concat 0 2 ?input_3 ?input_4))
(matmul 0 ?input_1 ?input_2)=>(matmul 0 ?input_2 ?input_1)
`
	f, err := peer.Read("rules.txt", []byte(text), "")
	if err != nil {
		log.Fatal(err)
	}
	strict, err := audit.FindSemantics("strict")
	if err != nil {
		log.Fatal(err)
	}
	reps, err := audit.Run(context.Background(), []*peer.File{f}, audit.Options{Semantics: []audit.Semantics{strict}})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range reps[0].Rules {
		fmt.Println(strings.TrimSpace(fmt.Sprint(r.Index, " ", r.Verdict, " ", r.Condition)))
	}
	// Output:
	// 0 proved
	// 1 conditional X1[1] = X2[1], X3[1] = X4[1]
	// 2 refuted
}
