package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/rules/sets"
)

func newRulesList() *cobra.Command {
	json := false
	c := &cobra.Command{
		Use:   "list",
		Short: "List the rule sets that ship with taso",
		Long: `Each set was written by the command in the last column, and each of its rules has a certificate.
Wherever a command reads a file of rules, @NAME stands for a set. "taso rules convert @NAME FILE"
writes a set and its certificates to files. A set with other rules has another version.`,
		Example: `  taso rules list
  taso rules show @bert
  taso check @bert
  taso optimize model.onnx --rules @bert
  taso rules convert @bert bert.rules`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := sets.List()
			if err != nil {
				return err
			}
			if json {
				return writeJSON(c.OutOrStdout(), list)
			}
			var rows [][]string
			for _, s := range list {
				rows = append(rows, []string{sets.Prefix + s.Name, strconv.Itoa(s.Version), count(s.Rules), "taso " + s.Command})
			}
			return writeTable(c.OutOrStdout(), []column{{"name", false}, {"version", true}, {"rules", true}, {"command", false}}, rows)
		},
	}
	c.Flags().BoolVar(&json, "json", false, "print as JSON, with the hashes of the files and the version of the certificates")
	return c
}
