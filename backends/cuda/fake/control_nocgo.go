//go:build !cgo

package fake

// A Control watches the libraries in this process: without cgo there are none.
type Control struct {
	o   Options
	dir string
}

func control(Options) (*Control, error) { return nil, ErrNoCgo }
func build(Options) (string, error)     { return "", ErrNoCgo }

// Folder is where the libraries lie.
func (c *Control) Folder() string { return c.dir }

// Reset does nothing.
func (c *Control) Reset() {}

// Fail does nothing.
func (c *Control) Fail(Failure) {}

// Memory does nothing.
func (c *Control) Memory(int64) {}

// Empty does nothing.
func (c *Control) Empty(bool) {}

// Count is 0.
func (c *Control) Count() int { return 0 }

// Called is 0.
func (c *Control) Called(string) int { return 0 }

// Calls is empty.
func (c *Control) Calls() []string { return nil }

// Problems is empty.
func (c *Control) Problems() []string { return nil }

// Leaks is empty.
func (c *Control) Leaks() []string { return nil }
