package machine

import (
	"embed"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/taso-go/taso/internal/suggest"
)

//go:embed clusters/*.yaml
var files embed.FS

// Names lists the clusters that come with the program.
func Names() []string {
	list, err := files.ReadDir("clusters") // sorted by name
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range list {
		out = append(out, strings.TrimSuffix(f.Name(), ".yaml"))
	}
	return out
}

// Find returns a cluster by name: one that comes with the program, such as "summit", or a
// file, whose name contains a "." or a path separator. "summit:32" is that of 32 nodes,
// "tpu-like:8x4" a torus of that shape; opt.Nodes says the same and wins.
func Find(name string, opt Options) (*Cluster, error) {
	base, nodes, ok := cutNodes(name)
	if ok {
		asked, err := ParseNodes(nodes)
		if err != nil {
			return nil, fmt.Errorf("cluster %s: %w", name, err)
		}
		name = base
		if len(opt.Nodes) == 0 {
			opt.Nodes = asked
		}
	}
	if strings.ContainsAny(name, `./\`) {
		return ReadFile(name, opt)
	}
	for _, n := range Names() {
		if n == name {
			text, err := files.ReadFile(path.Join("clusters", n+".yaml"))
			if err != nil {
				return nil, fmt.Errorf("cluster %s: %w", n, err)
			}
			return Parse(n+".yaml", text, opt)
		}
	}
	hint := suggest.DidYouMean(name, Names())
	if hint == "" {
		hint = fmt.Sprintf("; want one of %s, or a file such as ./my.yaml", strings.Join(Names(), ", "))
	}
	return nil, fmt.Errorf("unknown cluster %q%s", name, hint)
}

// cutNodes splits "summit:32"; a colon of a path, as in "c:\x.yaml", is none of these.
func cutNodes(name string) (base, nodes string, ok bool) {
	i := strings.LastIndexByte(name, ':')
	if i < 0 || strings.ContainsAny(name[i:], `./\`) {
		return name, "", false
	}
	return name[:i], name[i+1:], true
}

// ParseNodes reads a number of nodes, or the sizes of a torus: "32", "8x4".
func ParseNodes(text string) ([]int, error) {
	var out []int
	for _, part := range strings.Split(text, "x") {
		n, err := strconv.Atoi(part)
		if err != nil || n < 1 || n > MaxDevices || len(out) == maxTorus {
			return nil, fmt.Errorf("nodes %q: want a number from 1 to %d, or sizes of a torus such as 8x4", text, MaxDevices)
		}
		out = append(out, n)
	}
	return out, nil
}
