package main

import "github.com/spf13/cobra"

func newRules() *cobra.Command {
	return group("rules", "Show and convert rule sets",
		"  taso rules show my.rules\n  taso rules convert my.rules my.json", newRulesShow(), newRulesConvert(), newRulesCompare())
}
