package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// memory is the limit of address space of the go command and of the tests: a mutant may allocate
// without end.
const memory = 16 << 30

// judge runs the tests of a mutant until one fails.
func (m *module) judge(mutant Mutant, first string, limit, budget time.Duration) (Verdict, error) {
	start := time.Now()
	verdict := func(result, by, test string) (Verdict, error) {
		return Verdict{mutant, result, by, test, time.Since(start).Round(time.Second / 10).Seconds()}, nil
	}
	changed, there, err := source(mutant)
	if err != nil {
		return Verdict{}, err
	}
	if !there {
		return verdict("gone", "", "")
	}
	folder, err := os.MkdirTemp("", "mutant-")
	if err != nil {
		return Verdict{}, err
	}
	defer os.RemoveAll(folder)
	replacement := filepath.Join(folder, filepath.Base(mutant.File))
	if err := os.WriteFile(replacement, changed, 0o644); err != nil {
		return Verdict{}, err
	}
	overlay := filepath.Join(folder, "overlay.json")
	text, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(m.root, filepath.FromSlash(mutant.File)): replacement}})
	if err != nil {
		return Verdict{}, err
	}
	if err := os.WriteFile(overlay, text, 0o644); err != nil {
		return Verdict{}, err
	}
	for _, p := range m.tests(mutant, first) {
		if time.Since(start) > budget {
			break
		}
		out, passed := test(p, overlay, limit)
		switch {
		case passed:
		case strings.Contains(out, "[build failed]") || strings.Contains(out, "[setup failed]"):
			return verdict("not compiled", "", "")
		case strings.Contains(out, "panic: test timed out"):
			if _, passes := test(p, "", limit); !passes {
				return Verdict{}, fmt.Errorf("the tests of %s do not pass without a mutant within %v", p, limit)
			}
			return verdict("killed", p, "time limit")
		default:
			name := ""
			if f := failed.FindStringSubmatch(out); f != nil {
				name = f[1] + f[2]
			}
			return verdict("killed", p, name)
		}
	}
	return verdict("survived", "", "")
}

// failed finds the test that failed, or the panic that ended all tests.
var failed = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)|^(?:panic|fatal error): (.*)`)

// test runs the tests of a package and returns the output and whether all passed.
func test(pkg, overlay string, limit time.Duration) (string, bool) {
	args := []string{"test", "-failfast", "-vet=off", "-timeout", limit.String()}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	cmd := exec.Command("go", append(args, pkg)...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func init() {
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: memory, Max: memory}); err != nil {
		fmt.Fprintln(os.Stderr, "mutants: no memory limit:", err)
	}
}
