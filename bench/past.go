package bench

// Archived records: figures of old commits, and of other programs, that no benchmark makes
// again. Their command is the one that made them.
func init() {
	for _, b := range []Benchmark{
		{Name: "certificates", What: "size of the certificate for residual networks"},
		{Name: "code-before", What: "lines of Go before and after a refactoring"},
		{Name: "compare-optimizers", What: "models in ONNX Runtime by taso and four other optimizers"},
		{Name: "dynamic-sizes", What: "models with dynamic dimensions, optimized for all sizes, in ONNX Runtime"},
		{Name: "false-laws", What: "false laws once called proved, and their verdicts since"},
		{Name: "four-operators", What: "rules of 4 operators: counts and times at several commits"},
		{Name: "kernels", What: "CPU kernels vs gonum, OpenBLAS and oneDNN"},
		{Name: "new-operator", What: "files that a new operator touches"},
		{Name: "taso-equalities", What: "the 619 equalities of TASO's enumerator in our rule set"},
		{Name: "times-before", What: "CPU seconds of commands before and after a refactoring"},
	} {
		Register(&b)
	}
}
