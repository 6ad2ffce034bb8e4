package bench

// Records of the past: figures of old commits, and of other programs, that no
// command of this one makes again. Their command is what made them.
func init() {
	for _, b := range []Benchmark{
		{Name: "certificates", What: "bytes of the certificate that two networks of residual blocks are equal"},
		{Name: "code-before", What: "lines of Go by package, before and after the code was put in order"},
		{Name: "false-laws", What: "false laws that were called proved once, and what is said of them since"},
		{Name: "four-operators", What: "all rules of 4 operators at several commits: time, and how many"},
		{Name: "kernels", What: "products and convolutions of the CPU backend beside gonum, OpenBLAS and oneDNN"},
		{Name: "new-operator", What: "files that a new operator touches"},
		{Name: "taso-equalities", What: "the 619 equalities of TASO's enumerator at 3 operators, and its published rules, in our set"},
		{Name: "times-before", What: "CPU seconds of commands, before and after the code was put in order"},
	} {
		Register(&b)
	}
}
