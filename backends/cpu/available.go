package cpu

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
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
	return min(free, containerFree("/sys/fs/cgroup"))
}

// containerFree is what the limit of a container leaves, by the files in the
// folder of its control group, or the largest int64. The files that the system
// holds in memory count as used there and are given up when memory is short: after
// a large model was read, they may fill the container.
func containerFree(folder string) int64 {
	limit, used := number(filepath.Join(folder, "memory.max")), number(filepath.Join(folder, "memory.current"))
	if limit < 0 || used < 0 {
		return math.MaxInt64
	}
	if text, err := os.ReadFile(filepath.Join(folder, "memory.stat")); err == nil {
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) == 2 && (f[0] == "inactive_file" || f[0] == "active_file") {
				if n, err := strconv.ParseInt(f[1], 10, 62); err == nil && n > 0 {
					used -= min(n, used)
				}
			}
		}
	}
	return max(0, limit-used)
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

// number is the number in a file, -1 if there is none.
func number(file string) int64 {
	text, err := os.ReadFile(file)
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

// mostElements is the most elements of a tensor that a run computes.
const mostElements = 1 << 30

// checkSizes reports the first tensor of the nodes that is larger than the
// memory, or that a node computes and that has more than mostElements.
func checkSizes(g *graph.Graph, needed map[graph.NodeID]bool) error {
	for id := range g.Nodes() {
		if !needed[id] {
			continue
		}
		for i := range g.NumOut(id) {
			if n := graph.Product(g.Sizes(id.Out(i))...); n > mostElements && g.Op(id) != nil {
				return fmt.Errorf("node %s: a tensor %s of %d elements, at most %d are computed", g.Name(id), g.Type(id.Out(i)), n, int64(mostElements))
			}
			if err := roomFor(g.Type(id.Out(i)).Bytes()); err != nil {
				return fmt.Errorf("node %s: a tensor %s: %w", g.Name(id), g.Type(id.Out(i)), err)
			}
		}
	}
	return nil
}
