package bench

import (
	"slices"
	"strings"
)

// captions maps names of columns, units, titles and names of axes in records made before
// they were renamed to the present ones. The files of the records stay as they are. An
// entry is no longer needed when no record holds its name.
var captions = map[string]string{
	"beside":                                    "other load",
	"in all, proofs included":                   "total, with proofs",
	"CPU in all":                                "CPU, total",
	"of them kept":                              "kept",
	"of them kept (not derivable)":              "kept (not derivable)",
	"of them derivable":                         "derivable",
	"of them about meshes":                      "about meshes",
	"graphs of the last level":                  "graphs, last level",
	"candidates of it":                          "candidates, last level",
	"say the same as another":                   "duplicates",
	"true laws":                                 "distinct laws",
	"generate them":                             "minimal set",
	"that change the network":                   "moves that change the network",
	"all are found in":                          "find all moves",
	"one is made, hashed, costed and undone in": "apply, hash, cost and undo one",
	"one is made, hashed and undone in":         "apply, hash and undo one",
	"99 in 100 within":                          "99th percentile",
	"bytes a node of the bank":                  "bytes per node",
	"faster by":                                 "speedup",
	"bytes of the proof":                        "proof bytes",
	"extracted first":                           "first extraction",
	"bound of it":                               "lower bound",
	"cost beside the model's":                   "cost relative to the model",
	"prices before":                             "cost before",
	"prices after":                              "cost after",
	"different":                                 "distinct parts",
	"dearer by":                                 "cost over the model's",
	"the model, optimized":                      "model, optimized",
	"zeros of its weights":                      "zero weights",
	"instances of the proof from the model to the form": "proof steps, model to form",
	"cost beside the default's, auto":                   "cost vs default, auto",
	"cost beside the default's, one saturation":         "cost vs default, one saturation",
	"models with less":                                  "cheaper models",
	"with more":                                         "more expensive models",
	"CPU of the searches, auto":                         "search CPU, auto",
	"CPU of the saturations":                            "saturation CPU",
	"nodes of the e-graphs":                             "e-nodes",
	"in":                                                "optimizer time",
	"on":                                                "ONNX Runtime, optimizations on",
	"what it is":                                        "rewrite",
	"what differs":                                      "difference",
	"ours over best":                                    "ours vs best",
	"its plan":                                          "plan",
	"its strides":                                       "strides",
	"its mesh":                                          "mesh",
	"its error":                                         "error",
	"auto over the better of data and expert": "auto over best of data and expert",
	"the same, paper":                         "alpa over expert, paper",
	"longest way":                             "longest path",
	"side by side":                            "stages in parallel",
	"algebra first":                           "sequential",
	"both together":                           "joint",
	"together over algebra first":             "joint over sequential",
	"charged":                                 "collectives, plan",
	"XLA's":                                   "collectives, XLA",
	"kB a device":                             "kB per device",
	"named":                                   "explained differences",
	"wrong":                                   "unexplained differences",
	"9 of 10 within":                          "gap, 90th percentile",
	"most":                                    "gap, maximum",
	"step beside that of exhaustive's plan, median": "step over exhaustive's, median",
	"longest":            "step over exhaustive's, maximum",
	"run after an edit":  "delta run",
	"times faster":       "speedup",
	"tasks run again, %": "tasks rerun, %",
	"tasks a second":     "tasks per second",
	"memory a node":      "memory per node",
	"ended":              "status",
	"of its workers":     "worker time",
	"TFLOP/s a device":   "TFLOP/s per device",
	"ms a step":          "ms per step",

	"One device a stage:": "One device per stage:",
	"As many devices a stage, and as many stages, as are best:":     "Best number of stages, and of devices per stage:",
	"Micro-batches, and devices by stage":                           "Micro-batches: devices of each stage",
	"Both together beside algebra first, and how long is searched:": "Joint and sequential optimization, and search time:",
	"Large models, choices beside bounds on them:":                  "Large models, costs and lower bounds:",
	"By operator and kind (a rule may be in several lines):":        "By operator and kind (a rule may count several times):",
	"What is named, in all plans:":                                  "Explained differences, over all plans:",
	"Order, of pairs whose runs differ by more than their spreads:": "Order of pairs that differ by more than their spread:",
	"Cost by the nodes that one e-graph may have":                   "Cost by node limit of an e-graph",
	"Seconds by the nodes that one e-graph may have":                "Time by node limit of an e-graph",
}

// cells maps words in cells of older records to present ones.
var cells = map[string]string{
	"as it came":                        "unchanged",
	"nobody":                            "none",
	"XLA has combined several into one": jaxCombined,
	"XLA has removed one of two that send the same":                                    jaxRemoved,
	"a collective that puts an output together, for which a plan is not charged":       jaxAssembles,
	"an output differs by more than 1e-5 by rounding, and not in float64":              jaxRounding,
	"is said as all-reduce: the plan has the result on one device, the program on all": "run as all-reduce" + jaxEverywhere,
	"the default: axioms, lemmas, laws about networks":                                 "default: axioms, lemmas, network laws",
	"laws about networks": "network laws",
}

// phrases rewrites sentences in titles and notes of older records.
var phrases = strings.NewReplacer(
	"Each plan has a certificate from the step as it comes, which the checker of taso check accepted, with its stages, times and memory, before it went into the table.",
	acceptedNote,
	" random small graphs and clusters, of which all plans were looked at:", " random small graphs and clusters, all of whose plans were enumerated:",
	"no finding.", "0 findings.",
	"Every result has a proof that the checker accepts; of auto both models were run as well, and agree. What is extracted first, and the bound of it, are of the parts of the model that were saturated, in the first pass: where they are equal no network costs less that these e-graphs hold.",
	optimizedNote,
	"Prices are sums over the parts; the bound is that of what the e-graphs of the first pass hold, and later passes may go below it.", saturatedNote,
	"forms end at most as dear as their model; ", "forms end at the cost of their model or below; ",
	"of the others hold more zeros in their weights than their model, kernels that were filled up: no law for all weights takes these out again.", zerosNote,
	"models to their forms there is a proof, found by the normal form of both.", "models there is a proof to their form, found by normal forms.",
	"moves for each search of auto. Costs beside each other are geometric means over the models.", "moves per search of `auto`. Cost ratios are geometric means over the models.",
	"What is added to the default are rules that are no instances of its laws.", "A set added to the default leaves out instances of the default's laws.",
	" in turns, one thread each. The model was kept unless a result was faster, or simpler and not slower.", " interleaved runs, one thread each. The original was kept unless a result was faster, or simpler and not slower.",
	"(fewer where a run takes more than a tenth of a second), the files of a model in turns, one thread each. All rewrite the same file. taso: as `taso optimize` does without flags, the proof checked, both models compared.", peersNote,
	"All programs have the same laws in the same directions, made from the axioms, and search all of them in each round before they apply any. Classes and nodes are equal in all programs, and matches of the last e-graph in ours and in egg, else there is no record.", peerLawsNote,
	"Ours keeps shapes and what explanations need; egg without explanations keeps neither. Memory is what our graph holds, and how much the other processes grew, where that is 4 MB at least.", peerStoreNote,
	"Runs are one after another on one machine, whose load they share: ratios within the record are what counts.", peerTurnsNote,
	"Recorded beside other work: without times by the clock, and alone the processor's time may be less.", "Recorded under other load: no wall times, and CPU times may be too high.",
	"alone on two cores, all took 29.4 s and 55.4 of the processor for 2,100 rules.", "on two idle cores, all took 29.4 s and 55.4 CPU s for 2,100 rules.",
	"alone on two cores, ", "on two idle cores, ",
	"each part by itself, with one worker.", "each part alone, with one worker.",
	"An edit gives a random task another time or number of bytes. Equal: the run after it is that of everything, task by task; tests compare 10,000 edits of all kinds. FlexFlow's paper: delta simulation 2.2 to 6.9 times faster.", simulatorNote,
	"Charged: the collectives of the plan's price; XLA's: the parts of collectives in what it compiled, those that put outputs together with them; kB: what a device has before the charged ones.", jaxNote,
	"Without a program: ", "Not exported: ",
	"The table is of e-graphs of 1000 nodes at most.", "The table is of e-graphs of at most 1000 nodes.",
	" 64 samples a device, on the first devices of ", " 64 samples per device, on the first devices of ",
	"Memory is the peak of the process while it plans.", "Memory is the peak of the process while planning.",
	"Another empty cell: no plan fits or none is within the planner's means.", "Other empty cells: no plan fits, or the planner finds none.",
	"An empty cell: no plan fits or none is within the planner's means.", emptyNote,
	"Throughput is that of a simulated step (roofline of the V100, links of Summit, collectives beside computing); the paper's is measured, at up to 192 GPUs, and searched in up to 20 minutes.", unityThroughput,
	"Columns of planners are what auto was told by each; seconds are of planners that were asked alone and knew nothing.", unityColumns,
	"Algebra first: the network that is cheapest on one device by the same laws, then its layout.", unitySequential,
	"Operations are those of products and convolutions of a training step, without what is computed again; Alpa's are measured, and count recomputation.", alpaFLOP,
	"Language models in float16 with Adam, whose state is float16 here; residual networks in float32 with momentum, and statistics of groups of 8 samples, without which there are no micro-batches.", alpaTraining,
	"expert: Megatron-LM's grid of samples, parts of weights and equal stages for GPT; experts dealt out, the other weights copied or in parts, for MoE; samples, and stages of samples, for WRN.", alpaExpert,
	"fsdp gathers weights once in a step, or in each pass where memory wants that, and adds gradients up whole.", alpaFSDP,
	"FlexFlow's paper: up to 3.3 times faster than data parallelism and experts' plans on 4 nodes of 4 P100 and 16 of 4 K80, measured; here V100, modelled.", flexFlowReported,
	" are not asked about training steps of more than 1000 nodes, for which they take minutes.", " are skipped for training steps of more than 1000 nodes, where they take minutes.",
	"Small graphs: two to four operators, or one with its derivative and update, on two or four devices with links of any speed, drawn from seeds. exhaustive goes through all meshes, all places of weights and all ways of all operators with code of its own; graphs with more than 10 million of these are left out. A gap is that of the time in which one thing is done after the other, over the least there is, which is what exhaustive finds. auto is asked twice without exhaustive: for the least such time, and, as it is used, for the shortest step with collectives beside computing, whose makespan is compared with that of exhaustive's plan.", gapSmallNote,
	"Large models: the layout along one axis of all devices is what is extracted of the e-graph of strategies and conversions, in 16 clusters, in the time in which one thing is done after the other, without regard to memory; no choice along the axis, with the residents that were chosen and what lies between clusters, costs less than its bound. alpa's bound is on the stages, submeshes and layouts that it looked at, without regard to memory and to how full the pipeline is: a loose one.", gapLargeNote,
	"Planner pipeline, on Summit. In a row each stage waits for the one before it, whether it reads that or not; as a DAG for those that it reads, and a stage rather begins where a branch does. Longest way: so many stages does a micro-batch go through one after the other; side by side: so many, at most, are as far from the end. Both are simulated, micro-batch by micro-batch (package schedule).", graphPipeNote,
	"The paper's is measured against other planners, at sizes of these models that we do not know.", graphPipePaper,
	"16 servers of one A100 with 4 interfaces of 25 Gbit/s that are joined directly; the fat tree has 31.25 Gbit/s a server without oversubscription: TopoOpt's paper has a switched network of equal bandwidth cost 3.2 times as much, so that of like cost has 3.2 times less (at 16 servers prices differ from that average).", topologyTree,
	"On each network the plan is the best along one axis of `data`, `fsdp`, `megatron` and all layouts. The paper's figure is the most over its models, simulated at 128 servers.", topologyPlans,
	"Strides: the links of each server lead to those so many numbers further. `resnet50-taso` has no batch norms.", topologyLinks,
	"a pipeline, whose stages have devices of their own", "a pipeline with separate devices per stage",
)

// reworded returns a record with present captions, and with the plot that its benchmark draws
// by now. The record itself stays.
func reworded(r *Record) *Record {
	caption := func(s string) string {
		if now, ok := captions[s]; ok {
			return now
		}
		return phrases.Replace(s)
	}
	out := *r
	out.Tables = slices.Clone(r.Tables)
	for i, t := range r.Tables {
		u := *t
		u.Title, u.Columns, u.Rows = caption(t.Title), slices.Clone(t.Columns), slices.Clone(t.Rows)
		for j := range u.Columns {
			if before, ok := strings.CutSuffix(t.Columns[max(j, 1)-1].Name, ", before"); ok && t.Columns[j].Name == "after" {
				u.Columns[j].Name = before + ", after"
				continue
			}
			u.Columns[j].Name, u.Columns[j].Unit = caption(u.Columns[j].Name), caption(u.Columns[j].Unit)
		}
		for j, row := range u.Rows {
			u.Rows[j].Cells = slices.Clone(row.Cells)
			for k, c := range row.Cells {
				if now, ok := cells[c.text]; ok {
					u.Rows[j].Cells[k].text = now
				} else if rest, ok := strings.CutPrefix(c.text, "the default, "); ok {
					u.Rows[j].Cells[k].text = "default, " + rest
				}
			}
		}
		out.Tables[i] = &u
	}
	out.Plots = slices.Clone(r.Plots)
	for i, p := range r.Plots {
		q := *p
		q.Title, q.X.Name, q.Y.Name = caption(p.Title), caption(p.X.Name), caption(p.Y.Name)
		out.Plots[i] = &q
	}
	if r.Name == "plans-alpa" && len(r.Plots) == 0 && len(r.Tables) > 0 {
		if p := alpaPlot(out.Tables[0]); p != nil { // the record is older than the plot
			out.Plots = []*Plot{p}
		}
	}
	out.Notes = slices.Clone(r.Notes)
	for i, n := range r.Notes {
		out.Notes[i] = phrases.Replace(n)
	}
	return &out
}
