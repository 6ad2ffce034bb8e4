package law

import (
	"fmt"
)

// Status is what is known of a law.
type Status uint8

const (
	// Unknown: neither proved nor refuted. It is the zero Status, so that a
	// verdict nobody filled in is never a proof; it never means wrong either.
	Unknown Status = iota
	// Proved: the law follows from laws that are held for true.
	Proved
	// Refuted: a counterexample exists.
	Refuted
)

// The words of the statuses.
const (
	UnknownWord = "unknown"
	ProvedWord  = "proved"
	RefutedWord = "refuted"
)

var statusNames = [...]string{UnknownWord, ProvedWord, RefutedWord}

// String is "unknown", "proved" or "refuted".
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// ParseStatus reads what String writes.
func ParseStatus(text string) (Status, error) {
	for i, name := range statusNames {
		if name == text {
			return Status(i), nil
		}
	}
	return Unknown, fmt.Errorf("status %q: want proved, unknown or refuted", text)
}
