package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/taso-go/taso/backends/cuda/fake"
	"github.com/taso-go/taso/internal/pipeline/genrules"
)

var update = flag.Bool("update", false, "rewrite the expected outputs in testdata/script")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"taso": func() {
		if os.Getenv("TASO_TEST_ANY_MEMORY") != "" {
			leastMemory = func(genrules.Options) int64 { return 0 }
		}
		main()
	}})
}

// TestScripts runs testdata/script/*.txtar, each in a folder of its own, with
// the program as the command taso and the checkout as $ROOT. Besides the usual
// commands there are
//
//	status N cmd...  run cmd, which must exit with N
//	waitfor FILE     wait until FILE exists
//	truncate FILE N  cut FILE to N bytes
//	terminate NAME   send SIGTERM to the command that runs in the background
//	gpu [LIBRARY...] have commands find fake CUDA libraries, but those, and a device
func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Setup: func(e *testscript.Env) error {
			e.Setenv("ROOT", root)
			return nil
		},
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status":    status,
			"waitfor":   waitFor,
			"truncate":  truncate,
			"terminate": terminate,
			"gpu":       gpu,
		},
	})
}

func status(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func waitFor(ts *testscript.TestScript, _ bool, args []string) {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
	}
	ts.Fatalf("%s does not appear", args[0])
}

func truncate(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.Truncate(ts.MkAbs(args[0]), n))
}

func terminate(ts *testscript.TestScript, _ bool, args []string) {
	// The script's own kill has no such signal. Of several the last is meant.
	cmds := ts.BackgroundCmds()
	if len(args) != 1 || len(cmds) == 0 {
		ts.Fatalf("nothing to end")
	}
	ts.Check(cmds[len(cmds)-1].Process.Signal(syscall.SIGTERM))
}

func gpu(ts *testscript.TestScript, _ bool, args []string) {
	env, err := fake.Environment(fake.Options{Without: args, Unchecked: true})
	ts.Check(err)
	for _, e := range env {
		name, value, _ := strings.Cut(e, "=")
		ts.Setenv(name, value)
	}
}
