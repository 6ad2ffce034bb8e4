package tasopb

// The operators that FlexFlow adds to TASO's (Unger et al., Unity, OSDI 2022). The
// protocol buffer has no numbers for them: these are this package's, such types are
// problems unless [Allow.Parallel] is set, and no file of TASO's holds them.
const (
	OpPartition OpType = firstParallel + iota // a dimension in more parts
	OpCombine                                 // a dimension in fewer parts
	OpReplicate                               // copies of a tensor side by side in a dimension
	OpReduce                                  // the sum of the parts of a dimension
	endParallel
)

// Their parameters, both mandatory.
const (
	ParamParallelDim    ParamKey = firstParallel + iota // the dimension, outermost first
	ParamParallelDegree                                 // the number of parts
	endParallelParams
)

// firstParallel is above all that the enumerations of TASO may come to hold.
const firstParallel = 1 << 16

var parallelTable = [endParallel - firstParallel]opInfo{
	{"PARTITION", "partition", 1, 1, parallelKeys},
	{"COMBINE", "combine", 1, 1, parallelKeys},
	{"REPLICATE", "replicate", 1, 1, parallelKeys},
	{"REDUCE", "reduce", 1, 1, parallelKeys},
}

var parallelKeys = []ParamKey{ParamParallelDim, ParamParallelDegree}

var parallelParamNames = [endParallelParams - firstParallel]string{"PARALLEL_DIM", "PARALLEL_DEGREE"}

// Parallel reports whether the operator is one of FlexFlow's four.
func (t OpType) Parallel() bool { return t >= firstParallel && t < endParallel }

// parallel reports whether the parameter is one of theirs.
func (k ParamKey) parallel() bool { return k >= firstParallel && k < endParallelParams }

// info is what is known of an operator type, which must be known.
func (t OpType) info() *opInfo {
	if t.Parallel() {
		return &parallelTable[t-firstParallel]
	}
	return &opTable[t]
}
