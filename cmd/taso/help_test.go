package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// eachCommand calls f for every command but those of the command-line library.
func eachCommand(c *cobra.Command, f func(*cobra.Command)) {
	if c.Name() == "completion" || c.Name() == "help" {
		return
	}
	f(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, f)
	}
}

// A help text says first what the command does, has examples, and fits the screen.
func TestHelp(t *testing.T) {
	commands := 0
	eachCommand(newRoot(), func(c *cobra.Command) {
		commands++
		path := c.CommandPath()
		var out, diag bytes.Buffer
		args := append(strings.Fields(path)[1:], "--help")
		if status := run(args, nil, &out, &diag); status != exitOK || diag.Len() > 0 {
			t.Errorf("%s --help: status %d: %s", path, status, diag.String())
		}
		if first, _, _ := strings.Cut(out.String(), "\n"); c.HasParent() && first != c.Short+"." {
			t.Errorf("%s --help begins with %q, want %q", path, first, c.Short+".")
		}
		if r, _ := utf8.DecodeRuneInString(c.Short); !unicode.IsUpper(r) || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s: %q: want a capital letter first, and no dot at the end", path, c.Short)
		}
		if c.Example == "" {
			t.Errorf("%s has no example", path)
		}
		if c.GroupID == "" && c.HasParent() && !c.Parent().HasParent() {
			t.Errorf("%s is under no heading of taso --help", path)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if n := utf8.RuneCountInString(line); n > screenWidth {
				t.Errorf("%s --help: %d columns: %s", path, n, line)
			}
			if strings.Contains(line, "`") || strings.Contains(line, "%!") {
				t.Errorf("%s --help: %s", path, line)
			}
		}
	})
	if commands < 35 {
		t.Errorf("%d commands", commands)
	}
}

// The examples in help texts are calls of commands that exist, with flags that exist.
func TestHelpExamples(t *testing.T) {
	var lines []string
	eachCommand(newRoot(), func(c *cobra.Command) {
		n := 0
		for _, line := range strings.Split(c.Example, "\n") {
			if _, call, ok := strings.Cut(line, "taso "); ok {
				lines = append(lines, call)
				n++
			}
		}
		if n == 0 {
			t.Errorf("%s: no example is a call of taso", c.CommandPath())
		}
	})
	for _, line := range lines {
		call := line
		for _, end := range []string{"#", "|", ">", "<"} {
			call, _, _ = strings.Cut(call, " "+end)
		}
		c, rest, err := newRoot().Find(strings.Fields(strings.ReplaceAll(call, "'", "")))
		if err == nil {
			err = c.ParseFlags(rest)
		}
		if err == nil && c.Args != nil {
			err = c.Args(c, c.Flags().Args())
		}
		if err != nil {
			t.Errorf("taso %s: %v", line, err)
		}
	}
}

// Errors about the command line say what would be right.
func TestUsageErrors(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"verify a b --tolerence 1", "taso verify: unknown flag --tolerence; did you mean --tolerance?"},
		{"verify a b --tolerence=1", "taso verify: unknown flag --tolerence; did you mean --tolerance?"},
		{"optimize a -out b", "taso optimize: unknown flag -out; did you mean --out?"},
		{"optimize a --quite", "taso optimize: unknown flag --quite; taso optimize --help lists the flags"},
		{"verify a b --runs many", "taso verify: --runs many: want a whole number"},
		{"verify a b --tolerance small", "taso verify: --tolerance small: want a number"},
		{"optimize a --budget 1", "taso optimize: --budget 1: want a duration such as 90s, 5m or 1h30m"},
		{"optimize a --memory much", `taso optimize: --memory: "much" is not a size such as 8G or 512M`},
		{"optimize a --out", "taso optimize: --out has no value; want --out FILE.onnx"},
		{"optimize a --json --steps", "taso optimize: --json and --steps: give only one of them"},
		{"optimize", "taso optimize: no argument given; usage: taso optimize MODEL [flags]"},
		{"optimize a b", "taso optimize: 2 arguments given; usage: taso optimize MODEL [flags]"},
		{"optimise a", `taso: unknown command "optimise" for "taso"; did you mean optimize?`},
		{"rules konvert", `taso rules: unknown command "konvert" for "taso rules"; did you mean convert?`},
		{"inspect model.onnx", `taso: unknown command "inspect" for "taso"; did you mean import?`},
		{"nothing", `taso: unknown command "nothing" for "taso"; taso --help lists the commands`},
		{"run resnet5", "taso run: resnet5: neither a file nor a built-in model; did you mean resnet50?"},
		{"models brt", `taso models: build model "brt": there is no such model; did you mean bert?`},
		{"run bert-tiny --backend gpu", "taso run: --backend gpu: unknown backend; did you mean cuda?"},
		{"run bert-tiny --backend cuad", "taso run: --backend cuad: unknown backend; did you mean cuda?"},
		{"run bert-tiny --backend tpu", "taso run: --backend tpu: unknown backend; did you mean cpu?"},
		{"optimize bert-tiny --backend onnxruntim", "taso optimize: --backend onnxruntim: unknown backend; did you mean onnxruntime?"},
		{"optimize bert-tiny --backend cpu --only matmul_asoc", "taso optimize: there is no law matmul_asoc; did you mean matmul_assoc?"},
		{"grad mlp-tiny --loss crossentopy", `taso grad: --loss: unknown loss "crossentopy"; did you mean crossentropy?`},
		{"grad mlp-tiny --optimizer adma", `taso grad: --optimizer: unknown optimizer "adma"; did you mean adam?`},
		{"gen-rules --ops matmull", `taso gen-rules: --ops: unknown operator or preset "matmull"; did you mean matmul?`},
		{"machine show sumit", `taso machine show: unknown cluster "sumit"; did you mean summit?`},
		{"parallelize mlp-tiny --machine summit --planner megatorn", "taso parallelize: --planner megatorn: unknown name; did you mean megatron?"},
	} {
		var out, diag bytes.Buffer
		if status := run(strings.Fields(c.args), nil, &out, &diag); status != exitError || diag.String() != c.want+"\n" || out.Len() > 0 {
			t.Errorf("taso %s: status %d\ngot  %swant %s", c.args, status, diag.String(), c.want)
		}
	}
}
