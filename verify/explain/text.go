package explain

import (
	"fmt"
	"io"
	"strings"

	"github.com/taso-go/taso/internal/wrap"
	"github.com/taso-go/taso/law"
)

// lineWidth is the most columns of the lines that tell of laws; terms are not broken.
const lineWidth = 100

// Text writes the proof for people: for each output the left side, then each
// step with its law, the law's sentence, and, where only a part of the term
// changes, which part becomes what. A proof from what operators compute has no steps: what both
// sides compute is written, if it is short.
func Text(w io.Writer, goal *law.Law, p *law.Proof, laws map[string]*law.Law) error {
	if p.Meaning != nil {
		var b strings.Builder
		entries(&b, goal)
		_, err := fmt.Fprintf(w, "%s     both sides are the same sums of the same entries, by %d numbers (verify/meaning)\n", b.String(), len(p.Meaning))
		return err
	}
	chains, err := Chain(goal, p, laws)
	if err != nil {
		return err
	}
	vars := goal.VarShapes()
	var b strings.Builder
	for k, steps := range chains {
		if len(chains) > 1 {
			if k > 0 {
				b.WriteByte('\n')
			}
			fmt.Fprintf(&b, "output %d\n", k)
		}
		fmt.Fprintf(&b, "     %s\n", Primitive(goal.LHS[k], vars))
		for _, s := range steps {
			fmt.Fprintf(&b, "  == %s\n", s.Term)
			if s.Depth > 0 {
				fmt.Fprintf(&b, "       where %s becomes %s\n", s.From, s.To)
			}
			by := "by " + s.Law.Kind.String() + " " + s.Law.Name
			if s.Backward {
				by += ", right to left"
			}
			if s.Sentence != "" {
				by += ": " + s.Sentence
			}
			fmt.Fprintf(&b, "       %s\n", wrap.Hanging(by, strings.Repeat(" ", 9), lineWidth))
		}
		if len(steps) == 0 {
			b.WriteString("     is the right side\n")
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("explain %s: %w", goal.Name, err)
	}
	return nil
}
