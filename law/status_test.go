package law_test

import (
	"fmt"

	"github.com/taso-go/taso/law"
)

func ExampleParseStatus() {
	for _, text := range []string{"proved", "unknown", "refuted", "", "Proved"} {
		fmt.Println(law.ParseStatus(text))
	}
	fmt.Println(law.Status(9))
	// Output:
	// proved <nil>
	// unknown <nil>
	// refuted <nil>
	// unknown status "": want proved, unknown or refuted
	// unknown status "Proved": want proved, unknown or refuted
	// status(9)
}
