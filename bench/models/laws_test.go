package models

import (
	"testing"

	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
)

// FormLaws are the laws that forms may be made by.
func FormLaws(t *testing.T) []*law.Law {
	t.Helper()
	laws, err := builtin.Networks()
	if err != nil {
		t.Fatal(err)
	}
	simplify, err := builtin.Simplify()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range simplify {
		if l.Name == "fold_batchnorm" {
			laws = append(laws, l)
		}
	}
	return laws
}
