package bench

// Notes of tables. Sentences that several records share, and those that replace sentences
// of older records in [LoadAll].
const (
	acceptedNote = "Every plan was certified against the sequential training step, and `taso check` accepted it with its stages, times and memory."
	emptyNote    = "Empty cell: no plan fits, or the planner finds none."

	optimizedNote = "Every result has a proof that the checker accepts. For `auto`, model and result were also run and agree. First extraction and lower bound are of the saturated parts in the first pass: where they are equal, the extraction is optimal."
	curvesNote    = "The last point of a curve is the cost of the kept result as a whole; the points before are the sums that the search compares. It can be higher: the whole may cost more than the sum, and where times were measured, a result that costs more or the original model may be kept."
	saturatedNote = "Costs are sums over the parts. The lower bound holds for the e-graphs of the first pass; later passes may go below it."
	zerosNote     = "of the others have more zeros in their weights than their model, from enlarged kernels: no rule for all weights removes those."
	peersNote     = "(fewer where a run takes more than 0.1 s), interleaved over the files of a model, one thread each. All programs rewrite the same file. taso: `taso optimize` without flags, proof checked, outputs compared."

	peerLawsNote  = "All programs have the same rewrite rules in the same directions and search all of them before applying any. There is a record only if classes and nodes are equal in all programs, and the last matches in ours and in egg."
	peerStoreNote = "Ours stores shapes and explanations; egg without explanations stores neither. Memory is the size of our graph, and the growth of the other processes where it is at least 4 MB."
	peerTurnsNote = "All programs ran in turns on one shared machine: compare ratios, not seconds."

	simulatorNote = "An edit changes the time or the bytes of a random task. Equal: the delta run gives the same times as a full run, task by task; tests compare 10,000 edits of all kinds. FlexFlow reports delta simulation 2.2 to 6.9 times faster than full simulation."
	jaxNote       = "Collectives, plan: those in the plan's cost. Collectives, XLA: those in the compiled program, including the ones that assemble outputs. kB: what a device holds before the plan's collectives."

	unityThroughput = "Throughput is modelled: a simulated step (V100 roofline, Summit links, collectives overlapped with computation). The paper's is measured on up to 192 GPUs, with searches of up to 20 minutes."
	unityColumns    = "Planner columns are the plans that `auto` compared; search times are of planners run alone."
	unitySequential = "Sequential: the cheapest graph on one device first, then its layout."

	alpaFLOP     = "FLOP are those of products and convolutions of a training step without recomputation; Alpa's are measured and include recomputation."
	alpaTraining = "GPT and MoE: float16, Adam with float16 state. WRN: float32, momentum, batch statistics over groups of 8 samples."
	alpaExpert   = "expert: for GPT, Megatron-LM's grid of data, tensor and equal pipeline stages; for MoE, expert parallelism with the other weights replicated or sharded; for WRN, data parallelism, or pipeline stages of it."
	alpaFSDP     = "fsdp gathers weights once per step, or once per pass where memory requires it."

	flexFlowReported = "FlexFlow reports up to 3.3 × over data parallel and expert plans, measured on 4 nodes of 4 P100 and 16 nodes of 4 K80; ours is modelled, on V100."

	gapSmallNote = "Small graphs: two to four operators, or one operator with derivative and update, on two or four devices with random link speeds. Planner exhaustive enumerates all meshes, weight placements and operator strategies with separate code; graphs with more than 10 million plans are left out. A gap is in the time without overlap, over the minimum that exhaustive finds. auto runs twice without exhaustive: for least time without overlap, and as usual for the shortest simulated step, which is compared with the step of exhaustive's plan."
	gapLargeNote = "Large models: the layout along one axis is extracted from the e-graph of strategies and conversions in 16 clusters, for time without overlap and unlimited memory; no layout along the axis with the same boundaries between clusters costs less than its bound. alpa's bound covers the stages, submeshes and layouts that it considered, ignores memory and pipeline bubbles, and is loose."

	graphPipeNote  = "Planner pipeline on Summit. In a row, each stage waits for the one before it, whether or not it reads from it; as a DAG, for the stages it reads from. Longest path: stages that a micro-batch passes one after the other. Stages in parallel: the most at equal distance from the end. Both are simulated micro-batch by micro-batch."
	graphPipePaper = "The paper's factor is measured against other planners, at model sizes that we do not know."

	topologyTree  = "16 servers with one A100 and 4 directly connected interfaces of 25 Gbit/s each. The fat tree of like cost has 31.25 Gbit/s per server: the cost factor of 3.2 and the 128 servers are quoted from memory and not checked against the paper."
	topologyPlans = "On each network the plan is the best along one axis of `data`, `fsdp`, `megatron` and all layouts. The paper's factor is its largest over models, simulated on 128 servers."
	topologyLinks = "Strides: server i links to servers i + stride. `resnet50-taso` has no batch norms."
)
