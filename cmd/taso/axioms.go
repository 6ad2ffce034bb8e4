package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/law"
)

func newAxioms() *cobra.Command {
	return group("axioms", "List and check the axioms that proofs start from",
		"  taso axioms list\n  taso axioms check\n  taso axioms found my.rules", newAxiomsList(), newAxiomsCheck(), newAxiomsFound())
}

func newAxiomsList() *cobra.Command {
	var asJSON, text bool
	c := &cobra.Command{
		Use:   "list [NAME]",
		Short: "List the axioms, lemmas and refuted equations, or print one",
		Long: `Axioms are properties of operators, such as associativity. Each is proved for all shapes from
operator semantics (taso check). Lemmas are proved from the axioms. Refuted equations are false,
each with a counterexample.`,
		Example: `  taso axioms list
  taso axioms list matmul_assoc
  taso axioms list --text > all.axioms
  taso axioms list --json | jq -r '.[].name'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			laws := axioms.Default()
			w := c.OutOrStdout()
			if len(args) == 1 {
				l, err := findAxiom(laws, args[0])
				if err != nil {
					return err
				}
				laws, text = []*law.Law{l}, !asJSON
			} else if text {
				_, err := io.WriteString(w, axioms.Text())
				return err
			}
			switch {
			case asJSON:
				return writeJSON(w, axiomRecords(laws))
			case text:
				_, err := io.WriteString(w, law.FormatAll(laws))
				return err
			}
			return printAxioms(w, laws)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print as JSON")
	c.Flags().BoolVar(&text, "text", false, "print the source text")
	exclusive(c, "json", "text")
	return c
}

func findAxiom(laws []*law.Law, name string) (*law.Law, error) {
	var names []string
	for _, l := range laws {
		if l.Name == name {
			return l, nil
		}
		names = append(names, l.Name)
	}
	hint := suggest.DidYouMean(name, names)
	if hint == "" {
		hint = "; taso axioms list shows all"
	}
	return nil, fmt.Errorf("there is no law %q%s", name, hint)
}

// sentence is a law's comment on one line.
func sentence(l *law.Law) string { return strings.Join(strings.Fields(l.Doc), " ") }

func printAxioms(w io.Writer, laws []*law.Law) error {
	var rows [][]string
	kinds := map[law.Kind]int{}
	for _, l := range laws {
		kinds[l.Kind]++
		rows = append(rows, []string{l.Name, l.Kind.String(), sentence(l)})
	}
	fmt.Fprintf(w, "%s, %s, %d refuted\nSHA-256 %s\n\n", plural(kinds[law.Axiom], "axiom"),
		plural(kinds[law.Lemma], "lemma"), kinds[law.Refute], axioms.SHA256())
	return writeTable(w, []column{{"name", false}, {"kind", false}, {"sentence", false}}, rows)
}

// axiomRecord is a law in the JSON form of the list.
type axiomRecord struct {
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Section  string   `json:"section"`
	Sentence string   `json:"sentence"`
	Tags     []string `json:"tags,omitempty"`
	Cite     []string `json:"cite,omitempty"`
	Text     string   `json:"text"`
	Place    string   `json:"place"`
}

func axiomRecords(laws []*law.Law) []axiomRecord {
	out := make([]axiomRecord, 0, len(laws))
	for _, l := range laws {
		out = append(out, axiomRecord{l.Name, l.Kind.String(), l.Section, sentence(l), l.Tags, l.Cite, law.Format(l), l.Pos.String()})
	}
	return out
}
