package enumerate

import (
	"fmt"

	"github.com/taso-go/taso/law"
)

func lawCanonical(l *law.Law) *law.Law { return l }
func lawFormat(l *law.Law) string {
	s := l.LHS[0].String() + "==" + l.RHS[0].String()
	for _, g := range l.Given {
		s += fmt.Sprint(g.Name, g.Sort, g.Shape)
	}
	return s + fmt.Sprint(l.Where)
}
