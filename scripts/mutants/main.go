package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/cespare/xxhash/v2"
)

// A Verdict is one line of the output.
type Verdict struct {
	Mutant
	Result  string  `json:"result"`         // killed, survived, not compiled, gone
	By      string  `json:"by,omitempty"`   // the package whose tests killed it
	Test    string  `json:"test,omitempty"` // the first test that failed
	Seconds float64 `json:"seconds"`
}

func main() {
	seed := flag.Uint64("seed", 20261127, "seed of the order in which mutants are drawn")
	count := flag.Int("count", 200, "stop after this many killed mutants")
	again := flag.String("again", "", "test the killed mutants of this file, instead of drawing some")
	out := flag.String("out", "", "file to append the results to (required)")
	limit := flag.Duration("limit", 6*time.Minute, "time limit of the tests of one package")
	budget := flag.Duration("budget", 6*time.Minute, "start no further package for a mutant after this time")
	flag.Parse()
	if flag.NArg() > 0 || *out == "" {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(*seed, *count, *again, *out, *limit, *budget); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
}

func run(seed uint64, count int, again, out string, limit, budget time.Duration) error {
	m, err := readModule()
	if err != nil {
		return err
	}
	done, err := read(out)
	if err != nil {
		return err
	}
	var list []Mutant
	first := map[string]string{} // name of a mutant -> package that killed it before
	if again != "" {
		before, err := read(again)
		if err != nil {
			return err
		}
		for _, v := range before {
			if v.Result == "killed" {
				list = append(list, v.Mutant)
				first[v.name()] = v.By
			}
		}
		count = len(list)
	} else {
		if list, err = m.draw(); err != nil {
			return err
		}
		order := func(m Mutant) uint64 { return xxhash.Sum64String(fmt.Sprint(seed, " ", m.name())) }
		slices.SortFunc(list, func(a, b Mutant) int {
			return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.name(), b.name()))
		})
	}
	known := map[string]Verdict{}
	for _, v := range done {
		known[v.name()] = v
	}
	file, err := os.OpenFile(out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	counts := map[string]int{}
	for _, mutant := range list {
		v, ok := known[mutant.name()]
		if !ok {
			if v, err = m.judge(mutant, first[mutant.name()], limit, budget); err != nil {
				return err
			}
			line, err := json.Marshal(v)
			if err != nil {
				return err
			}
			if _, err := file.Write(append(line, '\n')); err != nil {
				return err
			}
			fmt.Printf("%s:%d: %s: %s %s %s (%.0f s)\n", v.File, v.Line, v.Kind, v.Result, v.By, v.Test, v.Seconds)
		}
		if counts[v.Result]++; counts["killed"] == count {
			break
		}
	}
	fmt.Printf("killed %d, survived %d, not compiled %d, gone %d\n", counts["killed"], counts["survived"], counts["not compiled"], counts["gone"])
	return nil
}

// read returns the verdicts of a file, none if there is no such file.
func read(name string) ([]Verdict, error) {
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var all []Verdict
	s := bufio.NewScanner(file)
	for line := 1; s.Scan(); line++ {
		var v Verdict
		if err := json.Unmarshal(s.Bytes(), &v); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, line, err)
		}
		all = append(all, v)
	}
	return all, s.Err()
}
