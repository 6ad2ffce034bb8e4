package cuda

import (
	"errors"

	"github.com/taso-go/taso/backends/cuda/dl"
)

// Libraries may offer an algorithm and then refuse it when work is issued: cuDNN lists
// what can do a convolution, and not what can do it with a bias and an activation. The
// next of the list is taken then, and behind the last one the kernels that do the same.
// What was refused is remembered, for other plans too, as long as the backend is open.

// refuse remembers that algorithm at, of so many, was refused.
func (c *choices) refuse(shape string, at, of int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refused[shape] == nil {
		c.refused[shape] = map[choice]bool{}
	}
	c.refused[shape][choice{at, of}] = true
}

// first is the best algorithm, of so many, that was not refused; -1: there is none.
func (c *choices) first(shape string, of int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at := range of {
		if !c.refused[shape][choice{at, of}] {
			return at
		}
	}
	return -1
}

// useless: all algorithms of a list were refused.
func (c *choices) useless(shape string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for x := range c.refused[shape] {
		n := 0
		for at := range x.Of {
			if c.refused[shape][choice{at, x.Of}] {
				n++
			}
		}
		if n == x.Of {
			return true
		}
	}
	return false
}

// settle runs a program, by run, until no algorithm of it is refused, and returns the
// program that ran: again makes it anew where a call has no algorithm left. run has to
// begin where the program does.
func (n *binder) settle(p *program, run func(*program) error, again func() (*program, error)) (*program, error) {
	for {
		err := run(p)
		var e *dl.Error
		if err == nil || !errors.Is(err, dl.ErrUnsupported) || !errors.As(err, &e) || e.At < 0 || e.At >= len(p.shapes) || p.shapes[e.At] == "" {
			return p, err
		}
		of, at, failed := p.Choices(e.At)
		if failed != nil {
			return p, err
		}
		shape := p.shapes[e.At]
		n.b.choices.refuse(shape, at, of)
		if next := n.b.choices.first(shape, of); next >= 0 {
			if failed := p.Choose(e.At, next); failed != nil {
				return p, err
			}
			continue
		}
		if failed := p.Close(); failed != nil {
			return p, failed
		}
		other, failed := again()
		if failed != nil {
			return p, failed
		}
		p = other
	}
}
