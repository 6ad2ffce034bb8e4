package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/theory"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/verify/assume"
	"github.com/taso-go/taso/verify/check"
)

// checkFlags are the flags of check.
type checkFlags struct {
	define              defineFlag
	any, z3, noZ3, json bool
	noRun, strict       bool
	machine             string
	model               modelFlags
}

func newCheck() *cobra.Command {
	k := &checkFlags{}
	c := &cobra.Command{
		Use:   "check [CERTFILE [MODEL RESULT] | PLAN.json [MODEL]]",
		Short: "Check certificates of rules, optimized models and training plans",
		Long: `What is checked depends on the arguments:

  (none)                   the proofs of taso's own axioms, lemmas and rules
  FILE.cert or FILE.rules  every certificate of a rule set; each rule must have one
  @NAME                    the same of a rule set that ships with taso ("taso rules list")
  PROOF MODEL RESULT       a proof of taso optimize or taso verify --prove: that RESULT computes
                           what MODEL does (without the models: only that the equation follows)
  PLAN.json [MODEL]        a plan of taso parallelize: that the devices compute the training step
                           of MODEL, that shardings, step time and memory are as the plan says;
                           then it is run on virtual devices. Claims that cannot be derived, such
                           as lower bounds, are listed as the plan's.

The checker replays each step of a proof; it does not use the code that found it. Z3 decides the
same equations a second time. What must be right for a certificate to be right is listed in
docs/trust.md. Each axiom of a file must be one of this program, or be proved by it
(--any-axioms accepts others). "-" reads standard input. A proof about dynamic dimensions is checked
for all sizes in its ranges; the models then need no sizes.

The report lists assumptions such as reals: rounding does not count. The exit status is 1 if an
entry is rejected, and with --strict if there is an assumption.
` + modelHelp,
		Example: `  taso check
  taso check my.rules
  taso check @bert
  taso check faster.proof model.onnx faster.onnx
  taso check plan.json
  taso check --no-z3 --json - < my.cert`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 3 || len(args) == 2 && !isPlan(args[0]) {
				return fmt.Errorf("%s", plural(len(args), "argument"))
			}
			return nil
		},
		RunE: k.run,
	}
	k.model.add(c)
	f := c.Flags()
	k.define.add(c, "`FILE`: definitions of operators, which models need; reject files that define them otherwise")
	f.BoolVar(&k.any, "any-axioms", false, "accept axioms that this program neither has nor proves")
	f.BoolVar(&k.z3, "z3", true, "also check with Z3")
	f.BoolVar(&k.noZ3, "no-z3", false, "do not use Z3")
	f.BoolVar(&k.noRun, "no-run", false, "do not run the plan on virtual devices")
	f.StringVar(&k.machine, "machine", "", "cluster of the plan, by `name` or file (default the one it names)")
	f.BoolVar(&k.strict, "strict", false, "exit with status 1 if a proof needs an assumption (docs/trust.md)")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	exclusive(c, "z3", "no-z3")
	return c
}

func (k *checkFlags) run(c *cobra.Command, args []string) error {
	defined, err := k.define.load()
	if err != nil {
		return err
	}
	if k.strict && (len(args) == 0 || isPlan(args[0]) && len(args) < 3) {
		return errors.New("--strict needs a certificate or a proof")
	}
	if len(args) == 0 {
		return k.own(c)
	}
	path := args[0]
	if isPlan(path) && len(args) < 3 {
		return k.plan(c, path, args[1:])
	}
	if len(args) == 3 {
		return k.networks(c, path, args[1], args[2], defined)
	}
	if path != stdin && ruleFormat(path) == formatText {
		// Loading makes sure that no rule is without its certificate.
		if _, err := loadRules(path, false); err != nil {
			return err
		}
		path = rules.CertPath(path)
	}
	in, name, err := open(c, path)
	if err != nil {
		return err
	}
	defer in.Close()
	networks := false // it is a proof about models
	foreign := false  // an axiom is not one of this program
	opts := check.Options{Axioms: axioms.Text(), Z3: k.z3 && !k.noZ3, ID: func(l *law.Law) string {
		if l.Name == search.EquationName {
			networks = true
			return l.Name
		}
		return law.ID(l)
	}}
	// The text of the axioms may be of another version: each is looked up by its name and
	// statement, so that comments and axioms that came later do not matter.
	opts.Axiom = func(l *law.Law) error {
		err := optimize.Believed(c.Context(), l)
		switch {
		case err == nil || c.Context().Err() != nil:
			return err
		case k.any:
			foreign = true
			return nil
		}
		return fmt.Errorf("%w; --any-axioms accepts it", err)
	}
	if c.ErrOrStderr() == io.Writer(os.Stderr) {
		bar := progress.New(os.Stderr, progress.Options{})
		defer bar.Close()
		stage := bar.Stage("check", progress.Unknown)
		opts.Each = func(string, *check.Result) { stage.Add(1) }
		defer stage.Done()
	}
	used := assume.Set{}
	opts.Accepted = func(l *law.Law, _ *law.Proof, _ *check.Result) { used.Union(assume.OfLaw(l)) }
	file, err := check.File(c.Context(), in, name, opts)
	if err != nil {
		return err
	}
	rep := &checkReport{file, !foreign, used.List()}
	networks = networks || slices.ContainsFunc(rep.Rejected, func(r check.Rejection) bool { return r.ID == search.EquationName })
	if k.json {
		err = writeJSON(c.OutOrStdout(), rep)
	} else {
		err = rep.print(c.OutOrStdout(), opts.Z3, networks && len(rep.Rejected) == 0)
	}
	if err == nil && len(rep.Rejected) > 0 {
		err = finding(fmt.Sprintf("%s: %d of %d entries rejected", rep.File, len(rep.Rejected), len(rep.Rejected)+rep.Rules+rep.Lemmas))
	}
	if err == nil && k.strict {
		err = strict(rep.Assumptions)
	}
	return err
}

// checkReport is what a certificate was found to show, and what that takes for granted.
type checkReport struct {
	*check.Report
	KnownAxioms bool          `json:"known_axioms"` // all axioms of the file are this program's, or proved here
	Assumptions []assume.Name `json:"assumptions"`
}

// print prints a report. networks says that the file proves an equation of two models that
// were not given.
func (rep *checkReport) print(w io.Writer, z3, networks bool) error {
	by := "the checker"
	if z3 && rep.Instances > 0 { // Z3 decides what follows from instances of laws
		by = "the checker and Z3"
	}
	switch n := len(rep.Rejected); {
	case n > 0:
		fmt.Fprintf(w, "%s: %d of %s rejected by %s\n", rep.File, n, entries(n+rep.Rules+rep.Lemmas), by)
	case networks:
		fmt.Fprintf(w, "%s: an equation of two models, accepted by %s\n", rep.File, by)
	default:
		what := plural(rep.Rules, "rule")
		if rep.Lemmas > 0 {
			what += " and " + plural(rep.Lemmas, "lemma")
		}
		fmt.Fprintf(w, "%s: %s accepted by %s\n", rep.File, what, by)
	}
	fmt.Fprint(w, verifymodels.AssumptionLine(rep.Assumptions))
	for _, r := range rep.Rejected {
		fmt.Fprintf(w, "rejected: %s\n", r)
	}
	if networks {
		fmt.Fprintf(w, "Which models these are is checked with them: taso check %s MODEL RESULT\n", rep.File)
	}
	if !rep.KnownAxioms {
		fmt.Fprintln(w, "Some axioms of the file are not those of this program: what is accepted is only as true as they are.")
	}
	fmt.Fprintln(w)
	cols := []column{{"axioms", true}, {"lemmas", true}, {"rules", true}, {"one-way rules", true}, {"law instances", true}, {"rejected", true}}
	row := []string{count(rep.Axioms), count(rep.Lemmas), count(rep.Rules), count(rep.OneWay), count(rep.Instances), count(len(rep.Rejected))}
	if rep.Meaning > 0 {
		cols, row = append(cols, column{"by semantics", true}), append(row, count(rep.Meaning))
	}
	return writeTable(w, cols, [][]string{row})
}

// entries is "1 entry", "2 entries".
func entries(n int) string {
	if n == 1 {
		return "1 entry"
	}
	return count(n) + " entries"
}

// own checks the proofs that come with the program.
func (k *checkFlags) own(c *cobra.Command) error {
	z3 := k.z3 && !k.noZ3
	r, err := theory.CheckLaws(c.Context(), z3)
	if err != nil {
		return err
	}
	rejected := slices.Concat(r.Rejected, r.Builtin.Rejected)
	if k.json {
		err = writeJSON(c.OutOrStdout(), r)
	} else {
		w := c.OutOrStdout()
		if r.Accepted() {
			fmt.Fprintln(w, "all laws of this program have proofs, and the proofs are accepted")
		} else {
			fmt.Fprintf(w, "%s of this program without a proof, %d proofs rejected\n", plural(r.Unproved, "law"), len(rejected))
		}
		for _, x := range rejected {
			fmt.Fprintf(w, "rejected: %s\n", x)
		}
		by := "the checker"
		if z3 {
			by = "the checker and Z3"
		}
		b := r.Builtin
		fmt.Fprintln(w)
		err = writeTable(w, []column{{"laws", false}, {"proofs from", false}, {"accepted", true}, {"accepted by", false}},
			[][]string{
				{"axioms", "operator semantics", count(r.Axioms), "the checker"},
				{"lemmas", "operator semantics", count(r.Lemmas), "the checker"},
				{"lemmas", "axioms", count(b.Lemmas), by},
				{"laws about models", "axioms and lemmas", count(b.Rules - b.Meaning), by},
				{"laws about models", "operator semantics", count(b.Meaning), "the checker"},
			})
		if err == nil {
			fmt.Fprintf(w, "\ntime: %s s\n", seconds(r.Seconds))
		}
	}
	if err == nil && !r.Accepted() {
		err = finding(fmt.Sprintf("of the laws of this program, %d have no proof and %d are rejected", r.Unproved, len(rejected)))
	}
	return err
}

// networks checks the proof of a result. Operators that a text defines must be among the defined
// ones: a proof does not say what the models mean.
func (k *checkFlags) networks(c *cobra.Command, path, from, to string, defined []string) (fault error) {
	k.model.others = 1 // the certificate
	proof := func() (io.ReadCloser, string, error) { return open(c, path) }
	if path == stdin { // it is read twice
		in, name, err := open(c, path)
		if err != nil {
			return err
		}
		defer in.Close()
		raw, err := io.ReadAll(in)
		if err != nil {
			return err
		}
		proof = func() (io.ReadCloser, string, error) { return io.NopCloser(bytes.NewReader(raw)), name, nil }
	}
	sizes, err := sizesOf(proof)
	if err != nil {
		return err
	}
	if sizes != nil {
		k.model.allSizes, k.model.rangeOf = true, sizes
	}
	a, rep, err := k.model.read(from)
	if err != nil {
		return err
	}
	k.model.keepRanges(rep)
	b, other, err := k.model.read(to)
	if err != nil {
		return err
	}
	for _, m := range []struct {
		path string
		g    *graph.Graph
	}{{from, a.Graph}, {to, b.Graph}} {
		if op := definedIn(m.g, defined); op != nil {
			return fmt.Errorf("%s: only %s defines operator %s of the model: %s; --define FILE must define it", m.path, path, op.Name, op.Definition)
		}
	}
	in, name, err := proof()
	if err != nil {
		return err
	}
	defer in.Close()
	checked, err := optimize.CheckProof(c.Context(), in, name, a, b, k.z3 && !k.noZ3)
	if rejected := (*optimize.Rejected)(nil); errors.As(err, &rejected) {
		return finding(err.Error())
	}
	if err != nil {
		return err
	}
	if k.strict {
		defer func() {
			if fault == nil {
				fault = strict(checked.Assumptions)
			}
		}()
	}
	if k.json {
		return writeJSON(c.OutOrStdout(), struct {
			*optimize.Checked
			Sizes string `json:"sizes,omitempty"` // for which dynamic sizes it holds
		}{checked, strings.TrimSpace(forSizes(a.Graph.Sizing(), rep, other))})
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%s proves that %s and %s compute the same%s.\n%s\n", name, from, to, forSizes(a.Graph.Sizing(), rep, other), verifymodels.AssumptionLine(checked.Assumptions))
	return writeTable(w, []column{{"inputs", true}, {"outputs", true}, {"axioms", true}, {"lemmas", true}, {"law instances", true}, {"same weights", true}, {"computed weights", true}, {"nodes without laws", true}},
		[][]string{{count(checked.Inputs), count(checked.Outputs), count(checked.Axioms), count(checked.Lemmas), count(checked.Steps), count(checked.Weights), count(checked.Computed), count(checked.Cut)}})
}

// definedIn is an operator of a graph that a text defines and that is not in known; nil if there is
// none.
func definedIn(g *graph.Graph, known []string) *graph.Op {
	for n := range g.Nodes() {
		if op := g.Op(n); op != nil && op.Definition != nil && !slices.Contains(known, op.Name) {
			return op
		}
	}
	return nil
}

// forSizes says for which dynamic sizes something holds.
func forSizes(s *graph.Sizing, reports ...*onnx.Report) string {
	var parts []string
	if s != nil {
		parts = append(parts, "for all sizes, "+s.String())
	}
	var open []onnx.OpenSize
	for _, rep := range reports {
		if rep != nil {
			open = append(open, rep.Open...)
		}
	}
	if len(open) > 0 {
		parts = append(parts, "only for "+optimize.SizesText(open))
	}
	if len(parts) == 0 {
		return ""
	}
	return " " + strings.Join(parts, ", and ")
}

// sizesOf are the dynamic sizes that the equation of a proof is about, by name; nil if all its
// sizes are numbers.
func sizesOf(proof func() (io.ReadCloser, string, error)) (map[string]graph.SizeVar, error) {
	in, name, err := proof()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return optimize.SizesOf(in, name)
}
