package main

import "github.com/spf13/cobra"

func newRules() *cobra.Command {
	return group("rules", "Show, convert and compare rule sets",
		`  taso rules show my.rules
  taso rules convert my.rules my.json
  taso rules compare before.rules after.rules`, newRulesShow(), newRulesConvert(), newRulesCompare())
}
