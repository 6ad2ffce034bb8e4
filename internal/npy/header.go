package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// header is what the dictionary before the elements says.
type header struct {
	descr   string
	fortran bool
	sizes   []int
}

// parse reads the dictionary. It is the part of Python that numpy writes: text in
// quotes without backslashes, True and False, and a tuple of whole numbers, which
// old versions end with L.
func parse(text string) (*header, error) {
	p := &parser{rest: text}
	h := &header{sizes: []int{}}
	seen := map[string]bool{}
	if !p.skip("{") {
		return nil, errors.New("no dictionary")
	}
	for !p.skip("}") {
		key, err := p.quoted()
		if err != nil {
			return nil, err
		}
		if seen[key] {
			return nil, fmt.Errorf("%q stands there twice", clip(key))
		}
		seen[key] = true
		if !p.skip(":") {
			return nil, fmt.Errorf("no value of %q", clip(key))
		}
		switch key {
		case "descr":
			if strings.HasPrefix(p.rest, "[") || strings.HasPrefix(p.rest, "(") {
				return nil, errors.New("its elements are records, which are not read")
			}
			h.descr, err = p.quoted()
		case "fortran_order":
			h.fortran, err = p.truth()
		case "shape":
			h.sizes, err = p.tuple()
		default:
			err = fmt.Errorf("%q is not known", clip(key))
		}
		if err != nil {
			return nil, err
		}
		if !p.skip(",") && !strings.HasPrefix(p.rest, "}") {
			return nil, fmt.Errorf("it does not go on as a dictionary behind %q", clip(key))
		}
	}
	if p.rest != "" {
		return nil, errors.New("something stands behind the dictionary")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return nil, fmt.Errorf("%q is missing", key)
		}
	}
	return h, nil
}

// parser is what is left of a text. Spaces are read with what stands before.
type parser struct{ rest string }

// skip reads a word, if it stands there, and the spaces around it.
func (p *parser) skip(word string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " \t\r\n"), word)
	if ok {
		p.rest = strings.TrimLeft(rest, " \t\r\n")
	}
	return ok
}

func (p *parser) quoted() (string, error) {
	for _, quote := range []string{"'", `"`} {
		rest, ok := strings.CutPrefix(p.rest, quote)
		if !ok {
			continue
		}
		text, rest, ok := strings.Cut(rest, quote)
		if !ok || strings.ContainsAny(text, "\\\n") {
			break
		}
		p.rest = strings.TrimLeft(rest, " \t\r\n")
		return text, nil
	}
	return "", fmt.Errorf("no text in quotes at %q", clip(p.rest))
}

func (p *parser) truth() (bool, error) {
	switch {
	case p.skip("True"):
		return true, nil
	case p.skip("False"):
		return false, nil
	}
	return false, fmt.Errorf("neither True nor False at %q", clip(p.rest))
}

// tuple reads sizes: (), (2,), (2, 3).
func (p *parser) tuple() ([]int, error) {
	sizes := []int{}
	if !p.skip("(") {
		return nil, fmt.Errorf("no tuple of sizes at %q", clip(p.rest))
	}
	for !p.skip(")") {
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
		n, err := strconv.ParseInt(p.rest[:digits], 10, strconv.IntSize)
		if err != nil {
			return nil, fmt.Errorf("no size at %q", clip(p.rest))
		}
		if sizes = append(sizes, int(n)); len(sizes) > maxRank {
			return nil, fmt.Errorf("more than %d axes", maxRank)
		}
		p.rest = strings.TrimPrefix(p.rest[digits:], "L")
		if !p.skip(",") && (len(sizes) == 1 || !strings.HasPrefix(strings.TrimLeft(p.rest, " \t\r\n"), ")")) {
			return nil, errors.New("the sizes are no tuple")
		}
	}
	return sizes, nil
}
