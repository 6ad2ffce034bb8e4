package selftest

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText writes the report for people: the verdict first, then what failed.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.Backend)
	if r.Cases > 0 {
		fmt.Fprintf(&b, "suite: %d of %d cases agree with the interpreter within %g", r.Passed, r.Cases, r.Tolerance)
		fmt.Fprintf(&b, ", %d failed, %d unsupported, %.1f s\n", len(r.Failed), len(r.Unsupported), float64(r.SuiteTime))
	}
	for _, f := range r.Failed {
		fmt.Fprintf(&b, "\nfailed: %s\n%s\n", f.Case, f.Why)
	}
	for _, f := range r.Unsupported {
		fmt.Fprintf(&b, "unsupported: %s: %s\n", f.Case, f.Why)
	}
	if len(r.Models) > 0 {
		fmt.Fprintln(&b)
		t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "MODEL\tVERDICT\tDEVIATION\tTOLERANCE\tREFERENCE")
		for _, m := range r.Models {
			verdict := "agrees"
			switch {
			case m.Error != "":
				fmt.Fprintf(t, "%s\tnot run\t-\t-\t%s\n", m.Name, m.Error)
				continue
			case !m.Agrees:
				verdict = "DIFFERS"
			}
			fmt.Fprintf(t, "%s\t%s\t%.1e\t%.0e\t%s\n", m.Name, verdict, m.Deviation, m.Tolerance, m.Reference)
		}
		t.Flush()
	}
	_, err := io.WriteString(w, b.String())
	return err
}
