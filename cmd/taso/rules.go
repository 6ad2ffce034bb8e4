package main

import "github.com/spf13/cobra"

func newRules() *cobra.Command {
	return group("rules", "List, show, convert and compare rule sets",
		`  taso rules list
  taso rules show my.rules
  taso rules convert my.rules my.json
  taso rules compare before.rules after.rules
  taso rules widen my.rules wide.rules`, newRulesList(), newRulesShow(), newRulesConvert(), newRulesCompare(), newRulesWiden())
}
