package z3

import (
	_ "github.com/mitchellh/go-z3"
)
