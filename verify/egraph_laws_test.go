package verify

import _ "embed"

// Laws as lawtext.Read reads them; the tests of the other engines use them too.
var (
	// testAxioms are enough for the goals of these tests.
	//go:embed testdata/axioms.txt
	testAxioms string
	// trueGoals follow from testAxioms.
	//go:embed testdata/true.txt
	trueGoals string
	// falseGoals are false, or do not follow: to prove one is a fault.
	//go:embed testdata/false.txt
	falseGoals string
)
