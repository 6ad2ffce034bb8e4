package extract

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taso-go/taso/internal/atomicfile"
)

// ErrNoSolver is the error of the method MIP where no solver is found.
var ErrNoSolver = errors.New("no solver of integer programs (cbc or highs) is on the path")

// solver is a program that solves integer programs in the LP format.
type solver struct {
	path string
	args func(model, solution string, left time.Duration) []string
}

// Solver is the path of the solver that the method MIP uses, or [ErrNoSolver].
func Solver() (path string, err error) {
	s, err := outsideSolver("")
	if err != nil {
		return "", err
	}
	return s.path, nil
}

// outsideSolver finds a solver: the program named, or the first of cbc and highs on
// the path. A name that contains "highs" is taken for HiGHS, any other for Cbc.
func outsideSolver(name string) (*solver, error) {
	names := []string{"cbc", "highs"}
	if name != "" {
		names = []string{name}
	}
	for _, n := range names {
		path, err := exec.LookPath(n)
		if err != nil {
			continue
		}
		if strings.Contains(filepath.Base(n), "highs") {
			return &solver{path, func(model, solution string, left time.Duration) []string {
				args := []string{"--model_file", model, "--solution_file", solution}
				if left > 0 {
					args = append(args, "--time_limit", seconds(left))
				}
				return args
			}}, nil
		}
		return &solver{path, func(model, solution string, left time.Duration) []string {
			args := []string{model}
			if left > 0 {
				args = append(args, "-sec", seconds(left))
			}
			return append(args, "-solve", "-solution", solution)
		}}, nil
	}
	if name != "" {
		return nil, fmt.Errorf("%w: nor is %s", ErrNoSolver, name)
	}
	return nil, ErrNoSolver
}

func seconds(d time.Duration) string {
	return strconv.FormatFloat(max(d.Seconds(), 0.1), 'f', 1, 64)
}

// mip has a solver look for a better choice of the piece. What it finds is read back
// as a choice and counted here; its word is not taken for a bound, as it computes
// with tolerances. An error is a solver that does not run or answers nonsense, not
// one that finds nothing in time.
func (p *piece) mip(ctx context.Context, s *solver) error {
	dir, done, err := atomicfile.Folder("", "extract")
	if err != nil {
		return err
	}
	defer done()
	model, solution := filepath.Join(dir, "model.lp"), filepath.Join(dir, "solution")
	if err := os.WriteFile(model, p.program(), 0o666); err != nil {
		return err
	}
	var left time.Duration
	if end, ok := ctx.Deadline(); ok {
		// It is told to end a little before it would be stopped.
		if left = time.Until(end) * 9 / 10; left <= 0 {
			return nil
		}
	}
	cmd := exec.CommandContext(ctx, s.path, s.args(model, solution, left)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w: %s", s.path, err, lastLine(out))
	}
	text, err := os.ReadFile(solution)
	if err != nil {
		return fmt.Errorf("%s wrote no solution: %s", s.path, lastLine(out))
	}
	picks := p.chosen(text)
	choice, cost, ok := p.counted(picks)
	if ok {
		p.adopt(choice, cost, MIP)
	}
	return nil
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// program is the piece as an integer program in the LP format: a variable x for each
// way; a root has one, a class is made if another uses it. Where cycles are
// possible, classes have an order t, and what is used comes before what uses it.
func (p *piece) program() []byte {
	var b bytes.Buffer
	c := p.core
	var dear int64 = 1
	sizes := map[int32]int{}
	for k, ws := range c.ways {
		for i := range ws {
			dear = max(dear, ws[i].cost)
		}
		sizes[p.scc[k]]++
	}
	x := func(k, i int) string { return fmt.Sprintf("x%d", p.first[k]+int32(i)) }
	b.WriteString("Minimize\n obj:")
	for k, ws := range c.ways {
		for i := range ws {
			fmt.Fprintf(&b, " + %.12g %s\n", float64(ws[i].cost)/float64(dear)*1e4, x(k, i))
		}
	}
	b.WriteString("Subject To\n")
	row := 0
	start := func() {
		fmt.Fprintf(&b, " c%d:", row)
		row++
	}
	sum := func(sign string, k int, with func(kids []int32) bool) {
		for i := range c.ways[k] {
			if with(c.ways[k][i].kids) {
				fmt.Fprintf(&b, " %s %s\n", sign, x(k, i))
			}
		}
	}
	any := func([]int32) bool { return true }
	for _, r := range c.roots {
		start()
		sum("+", int(r), any)
		b.WriteString(" = 1\n")
	}
	for k, js := range c.kidsOf() {
		for _, j := range js {
			start()
			sum("+", k, func(kids []int32) bool { return has(kids, j) })
			sum("-", int(j), any)
			b.WriteString(" <= 0\n")
		}
		for i := range c.ways[k] {
			for _, j := range c.ways[k][i].kids {
				if p.scc[k] >= 0 && p.scc[k] == p.scc[j] {
					n := sizes[p.scc[k]]
					start()
					fmt.Fprintf(&b, " t%d - t%d + %d %s <= %d\n", j, k, n, x(k, i), n-1)
				}
			}
		}
	}
	b.WriteString("Bounds\n")
	for k := range c.ways {
		if p.scc[k] >= 0 {
			fmt.Fprintf(&b, " 0 <= t%d <= %d\n", k, sizes[p.scc[k]]-1)
		}
	}
	b.WriteString("Binaries\n")
	for n := range p.class {
		fmt.Fprintf(&b, " x%d\n", n)
	}
	b.WriteString("End\n")
	return b.Bytes()
}

// chosen reads the ways that a solver's solution chooses. Cbc writes a number, a
// name, a value and more in a line, HiGHS a name and a value; what is neither is
// passed over, and so are the rows of HiGHS, which have other names.
func (p *piece) chosen(text []byte) []NodeID {
	var out []NodeID
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		for i := 0; i+1 < len(f) && i < 2; i++ {
			name, ok := strings.CutPrefix(f[i], "x")
			if !ok {
				continue
			}
			n, err := strconv.Atoi(name)
			value, err2 := strconv.ParseFloat(f[i+1], 64)
			if err == nil && err2 == nil && n >= 0 && n < len(p.class) && value > 0.5 {
				out = append(out, NodeID(n))
			}
		}
	}
	return out
}

// counted makes a choice of ways and counts its cost; it reports whether it is one.
func (p *piece) counted(picks []NodeID) ([]int32, int64, bool) {
	made := make([]int32, len(p.core.ways))
	for k := range made {
		made[k] = -1
	}
	for _, n := range picks {
		if k := p.class[n]; made[k] < 0 {
			made[k] = int32(n) - p.first[k]
		}
	}
	// Only what is chosen counts: whatever is needed and is not shows as a class that
	// cannot be made.
	c := &core{ways: make([][]way, len(p.core.ways)), roots: p.core.roots}
	for k, i := range made {
		if i >= 0 {
			c.ways[k] = []way{p.core.ways[k][i]}
		}
	}
	if !c.founded() {
		return nil, 0, false
	}
	c.reached()
	var cost int64
	for _, ws := range c.ways {
		for i := range ws {
			cost += ws[i].cost
		}
	}
	for k, i := range made {
		if i < 0 {
			made[k] = p.choice[k]
		}
	}
	return made, cost, true
}
