// Package audit says of each rule of a file whether it is true, of a true one
// what it needs, of a false one why, and of the whole set what is superfluous.
package audit
