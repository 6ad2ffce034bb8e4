package peer

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/taso-go/taso/internal/must"
)

// HeadBytes is how much of a file's beginning tells its format.
const HeadBytes = 64 << 10

var errEmpty = errors.New("the file is empty")

// extensions tell the format where the content does not.
var extensions = map[string]Format{".pb": TASO, ".rules": Text, ".axioms": Text, ".json": FlexFlow}

var (
	lawStart  = regexp.MustCompile(`^(#|(section|axiom|lemma|rule|refute)\s)`)
	callStart = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\s*(\(|==)`)
)

// Detect tells the format from the beginning of a file, at most [HeadBytes] of
// it, and where that leaves it open from the extension of its name. Where
// s-expressions come in pairs that take the two halves of one split, the format
// is tensat-multi. The error is an [*Error].
func Detect(name string, head []byte) (Format, error) {
	fail := func(format string, args ...any) (Format, error) {
		return "", &Error{File: name, Err: fmt.Errorf(format, args...)}
	}
	cut := len(head) >= HeadBytes
	head = head[:min(len(head), HeadBytes)]
	byName, known := extensions[strings.ToLower(filepath.Ext(name))]
	head = withoutMark(head)
	text := bytes.TrimSpace(head)
	if len(text) == 0 {
		return "", &Error{File: name, Err: errEmpty}
	}
	if at := notText(head, cut); at >= 0 {
		// The only field of a rule collection is number 1, a message.
		if head[0] == 0x0a || byName == TASO {
			return TASO, nil
		}
		return "", fileError(name, head, &placed{placeOf(head, at), fmt.Errorf("byte 0x%02x: neither text nor a protocol buffer of TASO", head[at])})
	}
	switch {
	case text[0] == '{':
		switch {
		case bytes.Contains(head, []byte(jsonMark)):
			return JSON, nil
		case bytes.Contains(head, []byte(`"rule"`)), bytes.Contains(head, []byte(`"srcOp"`)),
			bytes.Contains(head, []byte(`"_t"`)), known:
			return FlexFlow, nil
		}
		return fail("JSON with neither \"rule\" (FlexFlow) nor %q (taso)", jsonMark)
	case text[0] == '(', text[0] == '?' && bytes.Contains(text, []byte("=>")):
		return detectTensat(string(head), cut), nil
	case lawStart.Match(text):
		return Text, nil
	case callStart.Match(text) && bytes.Contains(text, []byte("==")):
		return Verifier, nil
	case known:
		return byName, nil
	}
	return fail("no known format; it begins with %q", oneLine(string(text[:min(len(text), 24)])))
}

// notText is the place of the first byte that no text has, or -1. A head that
// was cut may end inside a character.
func notText(head []byte, cut bool) int {
	for at := 0; at < len(head); {
		r, n := utf8.DecodeRune(head[at:])
		switch {
		case r == utf8.RuneError && n == 1:
			if cut && !utf8.FullRune(head[at:]) {
				return -1
			}
			return at
		case r < ' ' && !strings.ContainsRune("\t\n\r\f", r), r == 0x7f:
			return at
		}
		at += n
	}
	return -1
}

// detectTensat tells pairs from single rules: the complete rules of the head
// must come in pairs from the first on, and one of them share a split.
func detectTensat(head string, cut bool) Format {
	var rules []pair
	p := newParser(notationTensat, head)
	if err := must.Try(func() {
		for p.more() {
			rules = append(rules, p.rule())
		}
	}); err != nil {
		cut = true // reading tells what is wrong; here the rest counts as unseen
	}
	if len(rules)%2 == 1 && !cut {
		return Tensat
	}
	found := false
	for i := 0; i+1 < len(rules); i++ {
		if halves(rules[i], rules[i+1]) {
			if i%2 == 1 {
				return Tensat
			}
			found = true
		}
	}
	if found {
		return TensatMulti
	}
	return Tensat
}
