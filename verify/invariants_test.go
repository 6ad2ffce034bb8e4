package verify

import "github.com/taso-go/taso/internal/invariants"

func init() { invariants.Checked = true }
