package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/ort"
	"github.com/taso-go/taso/internal/pipeline/optimize"
	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
	"github.com/taso-go/taso/verify/assume"
)

// verifyFlags are the flags of verify.
type verifyFlags struct {
	model   modelFlags
	opt     verifymodels.Options
	rules   ruleFlags
	backend string
	runtime bool
	json    bool
	prove   bool
	strict  bool
	proof   string
	tries   int
	laws    []*law.Law            // of --rules; nil: those of taso optimize
	proofs  map[string]*law.Proof // that come with laws
	reports [2]*onnx.Report       // of the files
	fixed   [2]error              // why they are read at fixed sizes, if nobody asked for it
}

func newVerify() *cobra.Command {
	k := &verifyFlags{}
	c := &cobra.Command{
		Use:        "verify MODEL_A MODEL_B",
		SuggestFor: []string{"compare", "equal", "diff"},
		Short:      "Check whether two models compute the same outputs",
		Long: `The first line of the report is the verdict:

  equal (proved for all inputs)   same graph and weights, or --prove found a proof
  equal (all N inputs tried)      the inputs have only N possible values
  equal (exact on random residues, error probability < 2^-K)
                                  evaluated modulo 2^61 - 1 on random elements; K is 20 or more
  agree on N samples              every output is within --tolerance, relative to its largest
                                  element, and the samples reached all branches
  differ                          an output or a shared weight differs
  not known: REASON               no difference was found, but something was not reached

The second line lists the assumptions, such as reals: rounding does not count (docs/trust.md).
--strict accepts equal models without assumptions only. Samples are random first, then chosen to
reach branches, jumps and ties that random ones miss. Models with dynamic dimensions are equal for
all sizes by structure or by --prove; otherwise the verdict names the sizes that were compared.
Expect about 1 s per GFLOP; above --max-flops only float32 runs on the CPU are compared.
docs/models.md has the details.

Exit status: 0 equal or agree; 1 differ or not known; 2 bad input, or nothing was compared.
` + dynamicHelp,
		Example: `  taso verify model.onnx optimized.onnx
  taso verify model.onnx optimized.onnx --onnxruntime
  taso verify model.onnx theirs.onnx --prove --proof same.proof
  taso verify squeezenet squeezenet+fused --prove --rules @cnn --rules @default --rules-only
  taso verify resnet50-tiny exported.onnx --tolerance 1e-5 --json
  taso verify vgg19 vgg19.onnx --max-flops 1e11`,
		Args: cobra.ExactArgs(2),
		RunE: k.run,
	}
	k.model.add(c)
	k.model.addDynamic(c)
	f := c.Flags()
	addBackend(c, &k.backend, "", "`backend` for numbers: reference (float64), or float32 on "+forms(runners())+" (default reference up to --max-flops)", runners(), "reference")
	f.Var(newFLOPs(&k.opt.MaxFLOPs), "max-flops", "largest FLOPs of one run for exact and float64 comparison")
	f.IntVar(&k.opt.Runs, "runs", 1, "sets of random inputs")
	f.Float64Var(&k.opt.Tolerance, "tolerance", 1e-4, "largest relative deviation that agrees (float16 and narrower: 16 roundings)")
	f.BoolVar(&k.opt.NoExact, "no-exact", false, "skip the exact comparison and the comparison of weights")
	f.BoolVar(&k.runtime, "onnxruntime", false, "also compare both files in ONNX Runtime (pip install onnxruntime)")
	f.BoolVar(&k.prove, "prove", false, "search for a proof with the rules of taso optimize")
	f.StringVar(&k.proof, "proof", "", "write the proof to `FILE` (needs --prove)")
	f.IntVar(&k.tries, "tries", 100000, "rewrites to try (with --prove)")
	k.rules.add(c, " (with --prove)")
	f.BoolVar(&k.strict, "strict", false, "exit with status 1 unless equal without assumptions (docs/trust.md)")
	f.BoolVar(&k.json, "json", false, "print the report as JSON")
	return c
}

func (k *verifyFlags) run(c *cobra.Command, args []string) (err error) {
	switch {
	case !(k.opt.Tolerance >= 0):
		return fmt.Errorf("--tolerance %g: must be at least 0", k.opt.Tolerance)
	case !c.Flags().Changed("tolerance"):
		k.opt.Tolerance = 0 // that of the types
	case k.opt.Tolerance == 0: // to the option it means the default
		k.opt.Tolerance = math.SmallestNonzeroFloat64
	}
	if k.opt.Runs < 1 {
		return fmt.Errorf("--runs %d: must be at least 1", k.opt.Runs)
	}
	if k.runtime { // before the work
		if _, err := ort.Find(c.Context()); err != nil {
			return ortMissing(err)
		}
	}
	if err := k.rules.check(); err != nil {
		return err
	}
	if len(k.rules.files) > 0 {
		if !k.prove {
			return errors.New("--rules needs --prove")
		}
		// The rules first: a rule file may define operators that the models have.
		if k.laws, k.proofs, err = k.rules.laws(false); err != nil {
			return err
		}
	}
	if err := k.models(args); err != nil {
		return err
	}
	if k.proof != "" && !k.prove {
		return errors.New("--proof needs --prove")
	}
	if err := checkOutputs(append(k.model.inputs, k.rules.files...), output{"--proof", k.proof}); err != nil {
		return err
	}
	tooMuch := max(k.opt.A.FLOPs(), k.opt.B.FLOPs()) > k.opt.MaxFLOPs
	if k.backend == "" && tooMuch {
		k.backend = "cpu"
	}
	switch k.backend {
	case "":
	case "reference":
		if tooMuch {
			return fmt.Errorf("--backend reference: a run of the models has %.3g FLOP, more than --max-flops %.3g",
				float64(max(k.opt.A.FLOPs(), k.opt.B.FLOPs())), float64(k.opt.MaxFLOPs))
		}
	default:
		if _, err := find(runners(), k.backend, "reference"); err != nil {
			return err
		}
		b, err := openRunner(k.backend)
		if err != nil {
			return err
		}
		defer b.Close()
		k.opt.Backend = b
	}
	k.opt.Expect = func(least, most time.Duration) {
		if note := patience(least, most); note != "" {
			fmt.Fprintf(c.ErrOrStderr(), "%s: %s\n", c.CommandPath(), note)
		}
	}
	k.opt.Seed = k.model.seed
	k.opt.Progress = newProgress(c)
	rep, err := verifymodels.Run(c.Context(), k.opt)
	k.opt.Progress.Close()
	if mismatch := (*verifymodels.Mismatch)(nil); errors.As(err, &mismatch) {
		return k.mismatch(c.OutOrStdout(), mismatch)
	}
	if err != nil {
		return err
	}
	if rep, err = k.atOtherBatch(c, args, rep); err != nil {
		return err
	}
	k.nameSizes(rep)
	// What fails now must not take the finished report with it.
	var peer *runtimeReport
	var failed []error
	if k.runtime {
		if peer, err = k.inRuntime(c.Context(), [2]string(args)); err != nil {
			failed = append(failed, err)
		}
	}
	var proved *optimize.Proved
	if k.prove {
		if proved, err = k.tryProof(c); err != nil {
			failed = append(failed, err)
		}
		if proved != nil && proved.Equal {
			rep.Prove(proved.Checked.Assumptions, k.opt.A.Graph.Sizing().Vars())
		}
	}
	out := c.OutOrStdout()
	if k.json {
		err = writeJSON(out, struct {
			*verifymodels.Report
			Runtime *runtimeReport   `json:"runtime,omitempty"`
			Proved  *optimize.Proved `json:"proved,omitempty"`
			Failed  []string         `json:"failed,omitempty"` // of what was asked for beside
		}{rep, peer, proved, texts(failed)})
	} else if _, err = io.WriteString(out, rep.String()); peer != nil {
		fmt.Fprintln(out)
		peer.print(out)
	}
	if proved != nil && !k.json {
		fmt.Fprintln(out)
		if proved.Equal {
			fmt.Fprintf(out, "proof: %s of %s, accepted by the checker\n", plural(proved.Checked.Steps, "law instance"), plural(proved.Checked.Axioms+proved.Checked.Lemmas, "law"))
		} else {
			fmt.Fprintf(out, "no proof found: %s\n", proved.Why)
		}
	}
	return errors.Join(append(failed, err, k.verdict(rep, peer))...)
}

// models reads both models, for the same dynamic sizes: those for which both can be read.
func (k *verifyFlags) models(args []string) (err error) {
	read := func(i int, m **model.Model) {
		if err != nil {
			return
		}
		if *m, k.reports[i], err = k.model.read(args[i]); k.model.allSizes {
			k.fixed[i] = k.model.fixed
		}
	}
	read(0, &k.opt.A)
	k.model.keepRanges(k.reports[0])
	read(1, &k.opt.B)
	if err != nil || k.opt.A.Graph.Sizing().Equal(k.opt.B.Graph.Sizing()) {
		return err
	}
	k.model.files, k.model.sized, k.model.unused, k.model.inputs = 0, 0, nil, nil // they are read once more
	if k.opt.A.Graph.Sizing() == nil || k.opt.B.Graph.Sizing() == nil {           // one needs fixed sizes
		k.model.allSizes = false
		read(0, &k.opt.A)
		read(1, &k.opt.B)
		return err
	}
	k.model.keepRanges(k.reports[1])
	read(0, &k.opt.A)
	read(1, &k.opt.B)
	return err
}

// nameSizes enters the fixed sizes of dynamic dimensions into a report, and why they are fixed. A
// batch that is 1 because nobody gave one is named in Batches instead.
func (k *verifyFlags) nameSizes(rep *verifymodels.Report) {
	var open []onnx.OpenSize
	for _, r := range k.reports {
		if r != nil {
			open = append(open, r.Open...)
		}
	}
	rep.Only = optimize.SizesText(slices.DeleteFunc(open, func(o onnx.OpenSize) bool { return o.Assumed }))
	var parts []string
	for _, why := range k.fixed {
		if why != nil {
			parts = append(parts, why.Error())
		}
	}
	rep.SizesFixed = strings.Join(parts, "; ")
	rep.State()
}

// texts are what errors say.
func texts(errs []error) (list []string) {
	for _, err := range errs {
		list = append(list, err.Error())
	}
	return list
}

// tryProof looks for a proof, and writes it if one is found.
func (k *verifyFlags) tryProof(c *cobra.Command) (*optimize.Proved, error) {
	m, err := cost.FindMachine("zen5")
	if err != nil {
		return nil, err
	}
	bar := newProgress(c)
	defer bar.Close()
	p, err := optimize.Prove(c.Context(), k.opt.A, k.opt.B, optimize.Options{Cost: m, Laws: k.laws, Proofs: k.proofs, Tries: k.tries, Progress: bar})
	if err != nil || !p.Equal || k.proof == "" {
		return p, err
	}
	return p, atomicfile.WriteFile(k.proof, func(w io.Writer) error {
		_, err := w.Write(p.Proof)
		return err
	})
}

// patient is the time from which a command says how long it takes.
const patient = 30 * time.Second

// patience says that a comparison may take long, and what makes it shorter; "" if
// it takes less than half a minute. A terminal shows how far it is as well.
func patience(least, most time.Duration) string {
	if most < patient {
		return ""
	}
	text := "this may take up to " + roughly(most)
	if least >= patient {
		text = "this takes " + roughly(least) + " to " + roughly(most)
	}
	return text + "; --no-exact and --backend cpu shorten it"
}

// roughly is a time in the unit that fits it.
func roughly(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 100*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.0f h", d.Hours())
}

// mismatch reports models whose inputs or outputs do not correspond.
func (k *verifyFlags) mismatch(w io.Writer, m *verifymodels.Mismatch) error {
	statement := "differ: " + m.Error()
	var err error
	if k.json {
		err = writeJSON(w, struct {
			Agree       bool                    `json:"agree"`
			Verdict     verifymodels.Conclusion `json:"verdict"`
			Statement   string                  `json:"statement"`
			Assumptions []assume.Name           `json:"assumptions"`
		}{false, verifymodels.ModelsDiffer, statement, []assume.Name{}})
	} else {
		_, err = fmt.Fprintln(w, statement)
	}
	return errors.Join(err, finding("the models do not agree: "+m.Error()))
}

// verdict is nil for models that agree wherever they were compared.
func (k *verifyFlags) verdict(rep *verifymodels.Report, peer *runtimeReport) error {
	switch {
	case rep.Verdict == verifymodels.ModelsDiffer, peer != nil && !peer.Agree:
		return finding("the models do not agree")
	case rep.Verdict == verifymodels.NotKnown:
		return finding("the models are not known to agree: " + cmp.Or(strings.Join(rep.Unreached, "; "), rep.Exact.Why))
	case rep.Verdict == verifymodels.NotCompared && peer == nil:
		return errors.New("nothing was compared: " + cmp.Or(rep.Numbers.Why, rep.Exact.Why))
	case k.strict && rep.Verdict != verifymodels.ModelsEqual:
		return finding("--strict: the models are not shown to be equal")
	}
	if k.strict {
		return strict(rep.Assumptions)
	}
	return nil
}

// strict is the finding that a result needs assumptions; nil if it needs none.
func strict(list []assume.Name) error {
	if len(list) == 0 {
		return nil
	}
	return finding("--strict: the result holds " + strings.TrimSpace(verifymodels.AssumptionLine(list)))
}
