package bench

import (
	"fmt"
	"strings"
)

// tensatModels are the models of Tensat's table 1, as conditions on rows name them.
const tensatModels = "`resnext50`|`nasneta`|`nasrnn`|`bert`|`inceptionv3`|`squeezenet`|`vgg19`"

// figures writes our figure for an item of the index, by id, from the record of its first
// benchmark.
var figures = map[string]func(r *reading) string{
	"taso-generation": func(r *reading) string {
		const run = "run=ours, 4"
		return fmt.Sprintf("%s graphs, %s rules proved, %s independent, %s s", r.show(0, "graphs", run), r.show(0, "rules proved", run),
			r.show(0, "kept (not derivable)", run), r.show(0, "total, with proofs, s", run))
	},
	"taso-enumerator": func(r *reading) string {
		const run = "run=ours, 3, exhaustive"
		return fmt.Sprintf("%s graphs, %s rules proved, %s CPU s, %s GB", r.show(0, "graphs", run), r.show(0, "rules proved", run),
			r.show(0, "CPU of enumeration and fingerprints, s", run), r.show(0, "peak memory, proofs included, GB", run))
	},
	"taso-equalities": func(r *reading) string {
		const of = "TASO's 619"
		return fmt.Sprintf("%s in our set, %s derivable, %s refuted", r.show(0, of, "equalities=in our set, or an instance of a rule in it"),
			r.show(0, of, "equalities=derivable from our set by the e-graph"), r.show(0, of, "equalities=false, refuted with a counterexample"))
	},
	"taso-verification": func(r *reading) string {
		const by, quantified = "prover=(b) e-graph", "prover=(a) quantified axioms, E-matching, guarded by shapes"
		return fmt.Sprintf("e-graph %s of %s in %s CPU s; quantified axioms %s in %s CPU s", r.show(0, "proved", by), r.show(0, "goals", by),
			r.show(0, "CPU of one worker, s", by), r.show(0, "proved", quantified), r.show(0, "CPU of one worker, s", quantified))
	},
	"taso-rules":     func(r *reading) string { return verdicts(r, "file=TASO `graph_subst.pb`") },
	"taso-equations": func(r *reading) string { return verdicts(r, "file=TASO's verifier's equations") },
	"tensat-rules":   func(r *reading) string { return verdicts(r, "file=Tensat `converted.txt`") },
	"unity-rules":    func(r *reading) string { return verdicts(r, "file=Unity `graph_subst_3_v2.json`") },

	"metaflow-rewrites": func(r *reading) string {
		reached := 0
		more := r.values(0, "cost over the model's, %")
		for _, x := range more {
			if x < 0.005 {
				reached++
			}
		}
		return fmt.Sprintf("%d of %d forms optimized to the cost of their model", reached, len(more))
	},
	// Search auto over the models of Tensat's table 1.
	"tensat-table-1": func(r *reading) string {
		return fmt.Sprintf("%s %% in %s s", r.span(0, "speedup, %", "model="+tensatModels, "search=auto"), r.span(0, "search, s", "model="+tensatModels, "search=auto"))
	},
	"tensat-extraction": func(r *reading) string {
		const model, after = "model=`nasneta`", "cost after, ms"
		return fmt.Sprintf("%s ms; greedy %s ms, exact %s ms", r.show(0, "cost before, ms", model, "search=auto"),
			r.show(0, after, model, "search=saturate, greedy"), r.show(0, after, model, "search=saturate, exact"))
	},
	"tensat-table-3": func(r *reading) string {
		return fmt.Sprintf("NasNet-A %s s, Inception-v3 %s s in all", r.show(0, "time, s", "model=`nasneta`"), r.show(0, "time, s", "model=`inceptionv3`"))
	},
	"tensat-egraphs": func(r *reading) string {
		return fmt.Sprintf("gap to the bound %s %%, at most %s s", r.largest(0, "gap, %", "method=auto"), r.largest(0, "time, s", "method=auto"))
	},

	"unity-speedup": func(r *reading) string {
		const over = "auto over best of data and expert, ×"
		return fmt.Sprintf("%s × on 192 devices; no baseline for %d of %d models", r.span(0, over, "devices=192"),
			len(r.rows(0, []string{"devices=192"}))-len(r.values(0, over, "devices=192")), len(r.rows(0, []string{"devices=192"})))
	},
	"unity-joint": func(r *reading) string {
		return fmt.Sprintf("up to %s ×", r.largest(1, "joint over sequential, ×"))
	},
	"unity-search": func(r *reading) string {
		return fmt.Sprintf("auto %s s, unity %s s", r.span(1, "auto, s"), r.span(1, "unity, s"))
	},
	"unity-generation": func(r *reading) string {
		const all = "preset, 4 operators=all; rules about meshes once"
		return fmt.Sprintf("%s candidates, %s proved, %s about meshes, %s CPU s", r.show(0, "candidates", all), r.show(0, "proved", all),
			r.show(0, "about meshes", all), r.show(0, "CPU, s", all))
	},
	"flexflow-speedup": func(r *reading) string {
		return fmt.Sprintf("soap %s × data parallel, auto up to %s ×", r.span(0, "soap, × data"), r.largest(0, "auto, × data"))
	},
	"flexflow-inception": func(r *reading) string {
		return fmt.Sprintf("soap %s × on 4 V100", r.show(0, "soap, × data", "model=`inceptionv3-full`", "devices=4"))
	},
	"flexflow-delta": func(r *reading) string {
		return fmt.Sprintf("%s × faster, equal after %s of %s edits", r.span(0, "speedup"), whole(r.sum(0, "equal")), whole(r.sum(0, "edits")))
	},
	"alpa-gpt": func(r *reading) string {
		return family(r, "`gpt-350m`|`gpt-760m`|`gpt-1.3b`|`gpt-2.6b`|`gpt-6.7b`|`gpt-15b`|`gpt-39b`")
	},
	"alpa-moe": func(r *reading) string {
		return family(r, "`moe-380m`|`moe-690m`|`moe-1.3b`|`moe-2.4b`|`moe-10b`|`moe-27b`|`moe-70b`")
	},
	"alpa-wrn": func(r *reading) string {
		return family(r, "`wrn-250m`|`wrn-500m`|`wrn-1b`|`wrn-2b`|`wrn-4b`|`wrn-6.8b`|`wrn-13b`")
	},
	"graphpipe-speedup": func(r *reading) string { return fmt.Sprintf("%s ×", r.span(0, "DAG over row, ×")) },
	"topoopt-speedup":   func(r *reading) string { return fmt.Sprintf("%s ×", r.span(0, "over the fat tree, ×")) },

	"own-compare": func(r *reading) string {
		var out []string
		for _, opt := range []string{"on", "off"} {
			faster, slower := 0, 0
			for _, x := range r.values(0, "to, %", "optimizations="+opt) { // the end of the interval
				if x < 0 {
					faster++
				}
			}
			for _, x := range r.values(0, "taso, 95 % interval from, %", "optimizations="+opt) {
				if x > 0 {
					slower++
				}
			}
			out = append(out, fmt.Sprintf("%s: %d of %d faster, %d slower", opt, faster, len(r.rows(0, []string{"optimizations=" + opt})), slower))
		}
		return strings.Join(out, "; ")
	},
	"own-dynamic": func(r *reading) string {
		faster, slower := 0, 0
		for _, x := range r.values(1, "to, %") {
			if x < 0 {
				faster++
			}
		}
		for _, x := range r.values(1, "from, %") {
			if x > 0 {
				slower++
			}
		}
		return fmt.Sprintf("%d of %d files; %d changed, faster at %d of %d sizes, slower at %d",
			len(r.rows(0, []string{"for all sizes=yes"})), len(r.rows(0, nil)), len(r.rows(0, []string{"changed=yes"})), faster, len(r.rows(1, nil)), slower)
	},
	"own-funnel": func(r *reading) string {
		return fmt.Sprintf("%s proved, %s independent, %s refuted, %s unknown", r.show(1, "rules proved"), r.show(1, "kept"),
			r.show(1, "refuted, with a counterexample"), r.show(1, "unknown"))
	},
	"own-growth": func(r *reading) string {
		return fmt.Sprintf("5 operators: %s graphs, %s laws", r.show(0, "graphs", "operators=5"), r.show(0, "laws proved", "operators=5"))
	},
	"own-presets": func(r *reading) string {
		return fmt.Sprintf("3 operators: %s independent rules, in %s CPU s", r.span(0, "kept", "operators=3"), r.span(0, "CPU, s", "operators=3"))
	},
	"own-axioms":       func(r *reading) string { return strings.TrimSuffix(r.rec.Tables[0].Title, ".") },
	"own-certificates": func(r *reading) string { return r.show(0, "bytes of the certificate", "blocks=48") + " bytes" },
	"own-peers-egg": func(r *reading) string {
		return fmt.Sprintf("egg %s × of our time, egg with explanations %s ×, egglog %s ×", r.span(0, "egg / ours"),
			r.span(0, "egg, explanations / ours"), r.span(0, "egglog / ours"))
	},
	"own-moves": func(r *reading) string {
		const model = "model=`bert-large-64`"
		return fmt.Sprintf("%s moves in %s ms", r.show(0, "moves", model), r.show(0, "find all moves, ms", model))
	},
	"own-v100": func(r *reading) string {
		return fmt.Sprintf("%s %% faster in %s s", r.span(0, "speedup, %", "search=auto"), r.span(0, "search, s", "search=auto"))
	},
	"own-rule-sets": func(r *reading) string {
		return fmt.Sprintf("%s %% vs the default", r.show(0, "cost vs default, auto, %", "laws=rules of 3 operators"))
	},
	"own-generated-forms": func(r *reading) string {
		reached := 0
		more := r.values(0, "widened vs hand-written, %")
		for _, x := range more {
			if x < 100*alike {
				reached++
			}
		}
		return fmt.Sprintf("%d of %d forms at the cost that the laws written by hand reach, or below", reached, len(more))
	},
	"own-generated-networks": func(r *reading) string {
		return fmt.Sprintf("%s %% of the cost saved on average, by laws written by hand %s %%", r.show(0, "mean, %", "laws=widened"), r.show(0, "mean, %", "laws=hand-written"))
	},
	"own-optimize-cpu": func(r *reading) string {
		return fmt.Sprintf("time before over after %s ×", between("%.2f", r.ratios(0, "ours before, ms", "ours after, ms")))
	},
	"own-optimize-ort": func(r *reading) string {
		return fmt.Sprintf("time before over after %s ×", between("%.2f", r.ratios(0, "ONNX Runtime, optimizations on, before, ms", "ONNX Runtime, optimizations on, after, ms")))
	},
	"own-peers-onnx": func(r *reading) string {
		const on = "ONNX Runtime, optimizations on, ms"
		model := "model"
		var ratios []float64
		t, i := r.column(0, model)
		if i < 0 {
			return ""
		}
		for _, row := range r.rows(0, []string{"optimized by=taso"}) {
			name := model + "=" + row.Cells[i].show(t.Columns[i].Format)
			before, after := r.values(0, on, name, "optimized by=none"), r.values(0, on, name, "optimized by=taso")
			if len(before) == 1 && len(after) == 1 {
				ratios = append(ratios, before[0]/after[0])
			}
		}
		return fmt.Sprintf("time before over after %s × on %d models", between("%.2f", ratios), len(ratios))
	},
	"own-models": func(r *reading) string {
		equal := 0
		all := r.ratios(0, "parameters, ours", "parameters, published")
		for _, x := range all {
			if x == 1 {
				equal++
			}
		}
		delete(r.used, FromBefore) // what is published is compared with, and not reported
		return fmt.Sprintf("%d of %d", equal, len(all))
	},
	"own-kernels": func(r *reading) string { return fmt.Sprintf("%s %% of the best library", r.span(0, "ours vs best, %")) },
	"own-onnxruntime": func(r *reading) string {
		return fmt.Sprintf("ours over ONNX Runtime %s ×", between("%.2f", r.ratios(0, "ours, ms", "ONNX Runtime, optimizations on, ms")))
	},
	"own-sums": func(r *reading) string {
		return fmt.Sprintf("sum over whole run %s ×", between("%.2f", r.ratios(0, "sum of operators, ms", "end to end, ms")))
	},
	"own-cost-order": func(r *reading) string {
		return fmt.Sprintf("%s %% of pairs that differ by more than 5 %% in the right order", r.show(0, "right, %", "pairs that differ by more than, %=5"))
	},
	"own-gap": func(r *reading) string {
		const auto = "planner=auto, least time"
		return fmt.Sprintf("optimal on %s of %s", r.show(0, "optimal", auto), r.show(0, "plans", auto))
	},
	"own-scale": func(r *reading) string {
		const layers, devices = "layers=1,000", "devices=1,024"
		return fmt.Sprintf("%s s, %s MB", r.show(0, "auto, s", layers, devices), r.show(0, "peak memory, MB", layers, devices))
	},
	"own-jax": func(r *reading) string {
		return fmt.Sprintf("%d plans, %.0f unexplained differences", len(r.rows(0, nil)), r.sum(0, "unexplained differences"))
	},
	"own-gpu":  func(r *reading) string { return fmt.Sprintf("%d tables", len(r.rec.Tables)) },
	"own-code": func(r *reading) string { return r.show(0, "lines", "packages=sum") + " lines" },
	"pet-cases": func(r *reading) string {
		for i, t := range r.rec.Tables {
			if t.Columns[0].Name == "operator" {
				return fmt.Sprintf("%s ×", r.span(i, "speedup"))
			}
		}
		return "not in the log"
	},
}

// whole writes a number as tables show a count.
func whole(x float64) string { return floatCell(x).show("") }

// verdicts sums up the audit of a file.
func verdicts(r *reading, file string) string {
	return fmt.Sprintf("%s true, %s conditional, %s refuted, %s ill-formed, %s not decided", r.show(0, "proved", file), r.show(0, "conditional", file),
		r.show(0, "refuted", file), r.show(0, "ill-formed", file), whole(r.sum(0, "unknown", file)+r.sum(0, "unsupported", file)))
}

// family compares planner alpa with the expert's plan over a family of models, and counts
// those of which only alpa has a plan.
func family(r *reading, models string) string {
	const alpa, expert = "alpa, TFLOP/s per device", "expert, TFLOP/s per device"
	out := fmt.Sprintf("%s × over the expert plan", r.span(0, "alpa over expert, ×", "model="+models))
	only := len(r.values(0, alpa, "model="+models)) - len(r.ratios(0, alpa, expert, "model="+models))
	if only > 0 {
		out += fmt.Sprintf("; %d more fit with alpa only", only)
	}
	return out
}
