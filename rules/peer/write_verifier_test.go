package peer

import "github.com/taso-go/taso/rules/tasopb"

// WriteVerifier writes a rule in the notation of TASO's verifier, an equation
// an output, for tests. The error is as of [WriteTensat].
func WriteVerifier(r *tasopb.Rule) ([]string, error) { return write(notationVerifier, r) }
