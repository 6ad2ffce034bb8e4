package main

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestReadmeCommands: README.md lists every command, and no others.
func TestReadmeCommands(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n## Commands\n")
	table, _, _ = strings.Cut(table, "\n## ")
	listed := map[string]bool{}
	for _, m := range regexp.MustCompile("(?m)^\\| `taso ([a-z-]+)").FindAllStringSubmatch(table, -1) {
		listed[m[1]] = true
	}
	for _, c := range newRoot().Commands() {
		if name := c.Name(); !listed[name] && name != "help" && name != "completion" {
			t.Errorf("README.md does not list taso %s", name)
		}
		delete(listed, c.Name())
	}
	for name := range listed {
		t.Errorf("README.md lists taso %s, and there is no such command", name)
	}
}
