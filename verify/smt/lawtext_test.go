package smt

import (
	"testing"

	"github.com/taso-go/taso/internal/lawtext"
	"github.com/taso-go/taso/law"
)

// read reads a file of laws that the tests of package verify use.
func read(t testing.TB, name string) []*law.Law {
	t.Helper()
	return lawtext.File(t, "../testdata/"+name+".txt")
}
