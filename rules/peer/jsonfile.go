package peer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// eachRule reads a JSON object with a list of rules under a key and adds what
// read makes of each, given its text and the place where it begins. The values
// of the keys in others are decoded, all the rest is skipped. found says
// whether the list was there.
func eachRule(f *File, data []byte, key string, others map[string]any, read func(json.RawMessage, pos) Rule) (found bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	w := &walker{data: data, line: 1}
	inRule := false
	check := func(err error) {
		if err == nil {
			return
		}
		offset := dec.InputOffset()
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			offset = syntaxOffset(data, offset)
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			err, offset = errors.New("the file ends within the JSON document"), int64(len(data))
		}
		where := ""
		if inRule {
			where = fmt.Sprintf(", in rule %d", len(f.Rules))
		}
		failAt(placeOf(data, int(offset)), "JSON: %w%s", err, where)
	}
	token := func() json.Token {
		t, err := dec.Token()
		check(err)
		return t
	}
	expect := func(want json.Delim) {
		if t := token(); t != want {
			check(fmt.Errorf("expected %s, found %s", want, tokenText(t)))
		}
	}
	expect('{')
	for dec.More() {
		name, _ := token().(string)
		switch {
		case name == key && found:
			check(fmt.Errorf("%q stands twice", key))
		case name == key:
			found = true
			expect('[')
			for dec.More() {
				p := w.skip(int(dec.InputOffset()))
				var raw json.RawMessage
				inRule = true
				check(dec.Decode(&raw))
				inRule = false
				f.add(read(raw, p))
			}
			expect(']')
		case others[name] != nil:
			if err := dec.Decode(others[name]); err != nil {
				check(fmt.Errorf("%s: %w", name, err))
			}
		default:
			var skip json.RawMessage
			check(dec.Decode(&skip))
		}
	}
	expect('}')
	if _, err := dec.Token(); err != io.EOF {
		check(errors.New("more after the document"))
	}
	return found
}

// syntaxOffset is where a decoder that stands at an offset, behind a separator if
// there was one, meets its error. What a json.SyntaxError says of that counts
// the values decoded before and not their surroundings; a decoder that begins
// here counts right.
func syntaxOffset(data []byte, offset int64) int64 {
	var raw json.RawMessage
	var syntax *json.SyntaxError
	if err := json.NewDecoder(bytes.NewReader(data[offset:])).Decode(&raw); errors.As(err, &syntax) {
		return offset + syntax.Offset - 1
	}
	return offset
}

// typeError says in the words of JSON why a rule could not be decoded.
func typeError(err error) error {
	var e *json.UnmarshalTypeError
	switch {
	case !errors.As(err, &e):
		return err
	case e.Field == "":
		return fmt.Errorf("a rule that is no object but %s", e.Value)
	}
	return fmt.Errorf("%s: %s where %s is wanted", e.Field, e.Value, e.Type)
}

func tokenText(t json.Token) string {
	switch t := t.(type) {
	case json.Delim:
		return fmt.Sprintf("%q", t.String())
	case string:
		return "a string"
	case nil:
		return "null"
	}
	return fmt.Sprintf("%v", t)
}

// walker turns growing offsets into places.
type walker struct {
	data      []byte
	at        int
	line      int
	lineStart int
}

// skip is the place of the first byte from an offset on that is neither white
// space nor a comma.
func (w *walker) skip(offset int) pos {
	for ; w.at < len(w.data); w.at++ {
		c := w.data[w.at]
		if c == '\n' {
			w.line, w.lineStart = w.line+1, w.at+1
		}
		if w.at >= offset && c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != ',' {
			break
		}
	}
	return pos{w.line, w.at - w.lineStart + 1}
}
