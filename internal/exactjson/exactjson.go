// Package exactjson refuses JSON that two readers could take for two things: encoding/json
// takes the last of two keys that are the same, keys in other cases, arrays that are too
// long or too short, and null for anything.
package exactjson

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
)

// Unmarshal reads one JSON value into what v points to, and nothing behind it. Objects have no
// key twice and, of a struct, none that is not the name of a field to the letter; arrays
// are as long as Go's; numbers of maps' keys are as they are written; null is nothing but
// a slice, a pointer or a map. Errors say at which byte.
func Unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch err := d.Decode(v); {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case errors.As(err, &syntax):
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	case errors.As(err, &kind):
		return fmt.Errorf("byte %d: %s cannot be a %s", kind.Offset, kind.Field, kind.Value)
	case err != nil:
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("byte %d: something is behind the document", d.InputOffset())
	}
	w := &walker{json.NewDecoder(bytes.NewReader(data))}
	if err := w.value(reflect.TypeOf(v).Elem()); err != nil {
		return fmt.Errorf("byte %d: %w", w.d.InputOffset(), err)
	}
	return nil
}

type walker struct{ d *json.Decoder }

var text = reflect.TypeFor[encoding.TextUnmarshaler]()

// value compares the next value with the type that it was read into.
func (w *walker) value(t reflect.Type) error {
	token, err := w.d.Token()
	if err != nil {
		return err
	}
	nilable := t.Kind() == reflect.Pointer || t.Kind() == reflect.Map || t.Kind() == reflect.Slice
	if token == nil && !nilable {
		return fmt.Errorf("null in the place of %s", t.Kind())
	}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	delim, _ := token.(json.Delim)
	switch {
	case delim == 0 || reflect.PointerTo(t).Implements(text):
		return nil
	case delim == '{':
		return w.object(t)
	}
	n := 0
	for ; w.d.More(); n++ {
		if err := w.value(t.Elem()); err != nil {
			return err
		}
	}
	if t.Kind() == reflect.Array && n != t.Len() {
		return fmt.Errorf("%d elements in the place of %d", n, t.Len())
	}
	_, err = w.d.Token()
	return err
}

func (w *walker) object(t reflect.Type) error {
	var fields map[string]reflect.Type
	if t.Kind() == reflect.Struct {
		fields = map[string]reflect.Type{}
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			fields[name] = f.Type
		}
	}
	seen := map[string]bool{}
	for w.d.More() {
		token, err := w.d.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string)
		if seen[key] {
			return fmt.Errorf("%q is there twice", key)
		}
		seen[key] = true
		of := t
		if fields != nil {
			f, ok := fields[key]
			if !ok {
				return fmt.Errorf("unknown field %q", key)
			}
			of = f
		} else {
			of = t.Elem()
			if n, err := strconv.Atoi(key); t.Key().Kind() == reflect.Int && (err != nil || strconv.Itoa(n) != key) {
				return fmt.Errorf("%q is not how a number is written", key)
			}
		}
		if err := w.value(of); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
}
