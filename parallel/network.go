package parallel

import (
	"context"
	"fmt"
	"slices"
)

// message is what one device sends another one.
type message[T any] struct {
	step     int // in which it is sent
	from, to int
	data     []T
}

// network has a queue from each device to each other one.
type network[T any] struct {
	link [][]chan message[T] // by sender and receiver
	// spoil, of tests, changes messages on their way.
	spoil func(*message[T])
}

// maxInStep is the most messages that one device sends another one in one step. With
// queues as long as that no device waits for one that waits for it: of those in the
// earliest step each can send all it has to.
const maxInStep = 2

func newNetwork[T any](devices int) *network[T] {
	n := &network[T]{link: make([][]chan message[T], devices)}
	for i := range n.link {
		n.link[i] = make([]chan message[T], devices)
		for j := range n.link[i] {
			if i != j {
				n.link[i][j] = make(chan message[T], maxInStep)
			}
		}
	}
	return n
}

// Count is what was sent and received.
type Count struct {
	Messages  int64
	Bytes     int64
	Sent, Got []int64 // bytes by device
}

// port is a device's end of the network, and what went through it.
type port[T any] struct {
	net   *network[T]
	me    int
	count []tally // by collective
}

// tally counts for one device and collective.
type tally struct{ messages, sent, got int64 }

func (d *port[T]) send(ctx context.Context, step, collective, to int, data []T, size int64) error {
	m := message[T]{step, d.me, to, slices.Clone(data)} // devices share nothing
	if d.net.spoil != nil {
		d.net.spoil(&m)
	}
	select {
	case d.net.link[d.me][to] <- m:
		c := &d.count[collective]
		c.messages++
		c.sent += int64(len(data)) * size
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// receive is the next message of a device, which must be of this step and length.
func (d *port[T]) receive(ctx context.Context, step, collective, from, n int, size int64) ([]T, error) {
	select {
	case m := <-d.net.link[from][d.me]:
		switch {
		case m.step != step || m.from != from || m.to != d.me:
			return nil, fmt.Errorf("a message of step %d from device %d to %d came in place of one of step %d from device %d to %d",
				m.step, m.from, m.to, step, from, d.me)
		case len(m.data) != n:
			return nil, fmt.Errorf("a message from device %d has %d elements, not %d", from, len(m.data), n)
		}
		d.count[collective].got += int64(n) * size
		return m.data, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
