//go:build example

package taso_test

func init() {
	operatorTests["./graph/interp"] = "TestBoundsCover"
	operatorTests["./internal/adversary/eval"] = "TestRegistry"
	operatorChecks["./backends/backendtest"] = "TestEveryOperator"
}
