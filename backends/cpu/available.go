package cpu

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/taso-go/taso/graph"
)

// A system hands out more memory than it has and kills who uses it. What is
// large is therefore compared with what is there before it is asked for.

// largeBytes is the size of a block from which on that is done.
const largeBytes = 64 << 20

// available is the memory in bytes that this process may still use, as the
// system tells it, or the largest int64.
func available() int64 {
	free := int64(math.MaxInt64)
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		free = min(free, memAvailable(string(text)))
	}
	// The limit of a container.
	limit, used := cgroup("memory.max"), cgroup("memory.current")
	if limit >= 0 && used >= 0 {
		free = min(free, max(0, limit-used))
	}
	return free
}

// memAvailable is the number of that name in /proc/meminfo, in bytes, or the
// largest int64.
func memAvailable(text string) int64 {
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) == 3 && f[0] == "MemAvailable:" && f[2] == "kB" {
			if n, err := strconv.ParseInt(f[1], 10, 54); err == nil && n >= 0 {
				return n << 10
			}
		}
	}
	return math.MaxInt64
}

// cgroup is a number of the control group, -1 if there is none.
func cgroup(file string) int64 {
	text, err := os.ReadFile("/sys/fs/cgroup/" + file)
	if err != nil {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil { // "max"
		return -1
	}
	return n
}

// roomFor reports that there is no room for bytes.
func roomFor(bytes int64) error {
	if bytes < largeBytes {
		return nil
	}
	if free := available(); bytes > free {
		return fmt.Errorf("%d bytes are needed, %d are available", bytes, free)
	}
	return nil
}

// checkSizes reports the first tensor of the nodes that is larger than the
// memory.
func checkSizes(g *graph.Graph, needed map[graph.NodeID]bool) error {
	for id := range g.Nodes() {
		if !needed[id] {
			continue
		}
		for i := range g.NumOut(id) {
			if err := roomFor(g.Type(id.Out(i)).Bytes()); err != nil {
				return fmt.Errorf("node %s: a tensor %s: %w", g.Name(id), g.Type(id.Out(i)), err)
			}
		}
	}
	return nil
}
