package sets_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/rules/sets"

	_ "github.com/taso-go/taso/graph/op"
)

func ExampleList() {
	list, err := sets.List()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(list[0].Name, list[0].CertFormat, list[0].Command)
	// Output: default taso-cert/2 gen-rules --max-ops 3
}

// A shipped set is loaded as a file is, with its certificates.
func ExampleOpen() {
	set, err := rules.Load("@slices", rules.LoadOptions{Open: sets.Open})
	if err != nil {
		fmt.Println(err)
		return
	}
	n := set.Count()
	fmt.Println(n.Proved == set.Len(), n.Unknown, n.Refuted)
	_, err = sets.Open("@slice")
	fmt.Println(err != nil)
	// Output:
	// true 0 0
	// true
}

func ExampleIs() {
	fmt.Println(sets.Is("@bert"), sets.Is("bert.rules"), sets.Is(filepath.Join(os.TempDir(), "@bert")))
	// Output: true false false
}
