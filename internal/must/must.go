// Package must lets code that builds something in many small steps read like what
// it builds: a step that fails leaves the builder by a panic of one type, which
// [Try] or [Catch], at its boundary, turns into an error again. No such panic may
// leave a package, but by methods that say so (graph.Calc); any other panic goes through.
package must

import "fmt"

// failure is the panic of a step that failed.
type failure struct{ err error }

// Do leaves with an error, if there is one.
func Do(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Get is x, or leaves with the error.
func Get[T any](x T, err error) T {
	Do(err)
	return x
}

// Failf leaves with an error as [fmt.Errorf] makes it.
func Failf(format string, args ...any) { Do(fmt.Errorf(format, args...)) }

// Catch, deferred, makes an error of what left the function by [Do].
func Catch(err *error) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.err
	default:
		panic(r)
	}
}

// Try runs steps and returns the error of the one that failed.
func Try(steps func()) (err error) {
	defer Catch(&err)
	steps()
	return nil
}
