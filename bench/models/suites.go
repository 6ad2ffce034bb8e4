package models

// Suite is what a paper on parallelization measures.
type Suite struct {
	Paper string
	Runs  []Run
}

// Run is one of its models, with the number of samples in a step.
type Run struct {
	Model string // a name for [Build]
	Batch int
	// Devices: Batch is what this many have together; 0: what each device has, whatever
	// their number.
	Devices int
}

// Suites lists the models and batches of the papers. Where a paper measures one size of a
// model on one number of devices, the larger it is the more devices, Devices says so.
func Suites() []Suite {
	return []Suite{
		{unity, []Run{{"bert-large-512", 4, 0}, {"candle", 256, 0}, {"mlp", 256, 0}, {"dlrm", 1024, 0}, {"xdl", 1024, 0},
			{"resnext50-full", 64, 0}, {"inceptionv3-full", 64, 0}}},
		{alpa, append(append(grown(1024, "gpt-350m", "gpt-760m", "gpt-1.3b", "gpt-2.6b", "gpt-6.7b", "gpt-15b", "gpt-39b"),
			grown(1024, "moe-380m", "moe-690m", "moe-1.3b", "moe-2.4b", "moe-10b", "moe-27b", "moe-70b")...),
			grown(1536, "wrn-250m", "wrn-500m", "wrn-1b", "wrn-2b", "wrn-4b", "wrn-6.8b", "wrn-13b")...)},
		{flexflow, []Run{{"alexnet", 64, 0}, {"inceptionv3-full", 64, 0}, {"resnet101", 64, 0}, {"rnntc", 64, 0}, {"rnnlm", 64, 0}, {"nmt", 64, 0}}},
		{graphpipe, []Run{{"mmt", 64, 0}, {"candle", 256, 0}}},
	}
}

// grown are the sizes of a family, each on twice as many devices as the one before it.
func grown(batch int, names ...string) (all []Run) {
	for i, name := range names {
		all = append(all, Run{name, batch, 1 << i})
	}
	return all
}
