package rewrite

import (
	"maps"
	"sync"

	"github.com/taso-go/taso/law"
)

// Cache compiles each law once, for several searches at a time. The zero value is ready,
// and nil compiles anew each time. The laws must not be written to.
type Cache struct {
	mu   sync.Mutex
	laws map[*law.Law]*compiled
}

type compiled struct {
	once sync.Once
	law  *Law
	err  error
}

// Compile is [Compile] without options.
func (c *Cache) Compile(l *law.Law) (*Law, error) {
	if c == nil {
		return Compile(l)
	}
	c.mu.Lock()
	if c.laws == nil {
		c.laws = map[*law.Law]*compiled{}
	}
	x := c.laws[l]
	if x == nil {
		x = &compiled{}
		c.laws[l] = x
	}
	c.mu.Unlock()
	x.once.Do(func() { x.law, x.err = Compile(l) })
	return x.law, x.err
}

// Clone returns a cache with the same laws, to which others are added without a change of c.
func (c *Cache) Clone() *Cache {
	c.mu.Lock()
	defer c.mu.Unlock()
	return &Cache{laws: maps.Clone(c.laws)}
}
