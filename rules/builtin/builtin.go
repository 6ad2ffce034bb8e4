package builtin

//go:generate go test ../../internal/pipeline/theory -count=1 -run TestStored$ -update

import (
	_ "embed" // of the laws
	"slices"

	"github.com/taso-go/taso/law"
)

// NetworksFile is the name of the text of Networks, for places in it.
const NetworksFile = "networks.rules"

//go:embed networks.rules
var networks []byte

// Networks are the laws by which networks are merged, split, enlarged and folded. Each
// call gives laws of its own. The error is that of a text that cannot be read, which
// would be a mistake in the program.
func Networks() ([]*law.Law, error) { return law.Parse(NetworksFile, networks) }

//go:embed exchanges.rules
var exchanges []byte

// Exchanges are the laws by which the operands of commutative operators are exchanged,
// of which no axiom says so. Each call gives laws of its own; the error is as that of
// Networks.
func Exchanges() ([]*law.Law, error) { return law.Parse("exchanges.rules", exchanges) }

//go:embed heads.rules
var heads []byte

// Heads are the laws by which products are merged whose columns are parted in heads,
// such as queries, keys and values. Each call gives laws of its own; the error is as
// that of Networks.
func Heads() ([]*law.Law, error) { return law.Parse("heads.rules", heads) }

//go:embed parts.rules
var parts []byte

// Parts are the laws that take parts of a weight, and that put together what is added to
// parts of a tensor. Each call gives laws of its own; the error is as that of Networks.
func Parts() ([]*law.Law, error) { return law.Parse("parts.rules", parts) }

//go:embed language.rules
var language []byte

// Language are the laws by which language models are rewritten. Each call gives laws of
// its own; the error is as that of Networks.
func Language() ([]*law.Law, error) { return law.Parse("language.rules", language) }

//go:embed simplify.rules
var simplify []byte

// Simplify are the laws that remove operators that change nothing, and one of two where one
// is enough. Each call gives laws of its own; the error is as that of Networks.
func Simplify() ([]*law.Law, error) { return law.Parse("simplify.rules", simplify) }

// All are the laws of this package, in a fixed order. Each call gives laws of its own;
// the error is as that of Networks.
func All() ([]*law.Law, error) {
	var all []*law.Law
	for _, part := range []func() ([]*law.Law, error){Networks, Heads, Parts, Language, Simplify, Exchanges} {
		laws, err := part()
		if err != nil {
			return nil, err
		}
		all = append(all, laws...)
	}
	return all, nil
}

//go:embed laws.cert
var certificates []byte

// Certificates is a certificate file (law.CertFormat): its lemmas are those of package
// axioms, its rules are laws of this package. It is the caller's own copy.
func Certificates() []byte { return slices.Clone(certificates) }
