package law

// Permute calls f with p in every order, in place, until f returns false, and
// reports whether it never did. Afterwards p is in the order in which it came.
func Permute[T any](p []T, f func() bool) bool {
	if len(p) < 2 {
		return f()
	}
	for i := range p {
		p[0], p[i] = p[i], p[0]
		ok := Permute(p[1:], f)
		p[0], p[i] = p[i], p[0]
		if !ok {
			return false
		}
	}
	return true
}
