package rules

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/taso-go/taso/law"
)

func lawCanonical(l *law.Law) *law.Law { return l }

func lawID(l *law.Law) string {
	m := *l
	m.Name, m.Doc, m.Tags, m.Cite, m.Section = "x", "", nil, nil, ""
	h := sha256.Sum256([]byte(law.Format(&m)))
	return "r_" + hex.EncodeToString(h[:5])
}
