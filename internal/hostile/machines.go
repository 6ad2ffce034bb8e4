package hostile

import (
	"fmt"
	"strings"
)

// Machines are descriptions of clusters.
func Machines() []Input {
	l := &list{ext: ".yaml"}
	head := "name: m\ndevice: a100\n"
	classes := "classes:\n  c: {latency: 1us, bandwidth: 25GB/s}\n"
	small := "node:\n  devices: 2\n  links:\n    - {class: c, pair: [0, 1]}\n"
	whole := func(nodes, node, network string) string {
		return head + "nodes: " + nodes + "\n" + classes + node + network
	}
	l.add("10^9 nodes", whole("1000000000", small, "network: {topology: fat-tree, class: c, ports: [0], leaf: 20}\n"))
	l.add("nodes of 400 digits", whole(strings.Repeat("9", 400), small, ""))
	l.add("negative nodes", whole("-4", small, ""))
	l.add("nodes not a number", whole("nan", small, ""))
	l.add("as many devices as may be", whole("1024", strings.Replace(small, "devices: 2", "devices: 1024", 1), "network: {topology: fat-tree, class: c, ports: [0], leaf: 20}\n"))
	l.add("10^9 devices of a node", whole("1", strings.Replace(small, "devices: 2", "devices: 1000000000", 1), ""))
	l.add("mesh of 1024 devices", whole("1", "node:\n  devices: 1024\n  links:\n    - {class: c, mesh: ["+numbers(1024)+"]}\n", ""))
	l.add("100 nodes, each a mesh of 100", whole("100", "node:\n  devices: 100\n  links:\n    - {class: c, mesh: ["+numbers(100)+"]}\n", "network: {topology: fat-tree, class: c, ports: [0], leaf: 20}\n"))
	l.add("100 meshes of 1024", whole("1", "node:\n  devices: 1024\n  links:\n"+strings.Repeat("    - {class: c, mesh: ["+numbers(1024)+"]}\n", 100), ""))
	l.add("ring of 1024", whole("1", "node:\n  devices: 1024\n  links:\n    - {class: c, ring: ["+numbers(1024)+"]}\n", ""))
	l.add("bus of 100,000 ends", whole("1", "node:\n  devices: 2\n  links:\n    - {class: c, bus: ["+numbers(100_000)+"]}\n", ""))
	l.add("10,000 links", whole("1", "node:\n  devices: 2\n  links:\n"+strings.Repeat("    - {class: c, pair: [0, 1]}\n", 10_000), ""))
	l.add("10,000 switches", whole("1", "node:\n  devices: 2\n  switches: ["+each(10_000, ", ", func(i int) string { return fmt.Sprint("s", i) })+"]\n  links:\n    - {class: c, pair: [0, 1]}\n", ""))
	l.add("10,000 classes", head+"nodes: 1\nclasses:\n"+each(10_000, "", func(i int) string { return fmt.Sprintf("  c%d: {latency: 1us, bandwidth: 1GB/s}\n", i) })+small)
	l.add("link to itself", whole("1", "node:\n  devices: 2\n  links:\n    - {class: c, pair: [0, 0]}\n", ""))
	l.add("star around itself", whole("1", "node:\n  devices: 2\n  links:\n    - {class: c, star: 0, of: [0, 1]}\n", ""))
	l.add("devices without links", whole("1", "node:\n  devices: 64\n", ""))
	l.add("torus of 31 axes", whole("["+each(31, ", ", func(int) string { return "2" })+"]", "node:\n  devices: 1\n", "network: {topology: torus, class: c, ports: [0]}\n"))
	l.add("torus of 1024 by 1024", whole("[1024, 1024]", "node:\n  devices: 1\n", "network: {topology: torus, class: c, ports: [0]}\n"))
	l.add("torus of size 0", whole("[0, 4]", "node:\n  devices: 1\n", "network: {topology: torus, class: c, ports: [0]}\n"))
	l.add("network of degree 10^9", whole("12", "node:\n  devices: 1\n", "network: {topology: reconfigurable, class: c, ports: [0], degree: 1000000000}\n"))
	l.add("network of 1024 nodes of degree 1023", whole("1024", "node:\n  devices: 1\n", "network: {topology: reconfigurable, class: c, ports: [0], degree: 1023}\n"))
	l.add("leaf of 0", whole("12", "node:\n  devices: 1\n", "network: {topology: fat-tree, class: c, ports: [0], leaf: 0}\n"))
	l.add("latency not a number", head+"nodes: 1\nclasses:\n  c: {latency: nan, bandwidth: 25GB/s}\n"+small)
	l.add("latency of 1e300 s", head+"nodes: 1\nclasses:\n  c: {latency: 1e300s, bandwidth: 25GB/s}\n"+small)
	l.add("bandwidth of 0", head+"nodes: 1\nclasses:\n  c: {latency: 1us, bandwidth: 0GB/s}\n"+small)
	l.add("bandwidth of inf", head+"nodes: 1\nclasses:\n  c: {latency: 1us, bandwidth: infGB/s}\n"+small)
	l.add("negative bandwidth", head+"nodes: 1\nclasses:\n  c: {latency: 1us, bandwidth: -25GB/s}\n"+small)
	l.add("bandwidth of 400 digits", head+"nodes: 1\nclasses:\n  c: {latency: 1us, bandwidth: "+strings.Repeat("9", 400)+"GB/s}\n"+small)
	l.add("width of 2^63-1", whole("1", "node:\n  devices: 2\n  links:\n    - {class: c, pair: [0, 1], width: 9223372036854775807}\n", ""))
	l.add("memory of 10^30 bytes", "memory: 1000000000000000000000000000000B\n"+whole("1", small, ""))
	l.add("flops that are no number", "flops: {float32: nan}\n"+whole("1", small, ""))
	l.add("device is a device file", strings.Replace(whole("1", small, ""), "a100", "/dev/zero", 1))
	l.add("device is a folder", strings.Replace(whole("1", small, ""), "a100", "./", 1))
	l.add("device is this file", strings.Replace(whole("1", small, ""), "a100", "./input.yaml", 1))
	l.add("aliases that double, 60 times", "a0: &a0 [x, x]\n"+each(60, "", func(i int) string { return fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i) }))
	l.add("alias of itself", "name: &a [*a]\n")
	l.add("merge keys", "name: &a {x: 1}\n<<: *a\n"+strings.Repeat("<<: *a\n", 10_000))
	l.add("lists nested 100,000 deep", "name: "+strings.Repeat("[", 100_000))
	l.add("mappings nested 10,000 deep", "name: "+strings.Repeat("{a: ", 10_000))
	l.add("indented 2,000 deep", each(2000, "", func(i int) string { return strings.Repeat(" ", i%1000) + "a:\n" }))
	l.add("name of 900 KB", "name: "+strings.Repeat("m", 900_000)+"\n")
	l.add("10,000 unknown fields", each(10_000, "", func(i int) string { return fmt.Sprintf("f%d: 1\n", i) }))
	l.add("field twice", "name: a\nname: b\n")
	l.add("two documents", whole("1", small, "")+"---\n"+whole("1", small, ""))
	l.add("more than a megabyte", "# "+strings.Repeat("x", 2<<20))
	l.add("invalid UTF-8", "name: \xff\xfe\n")
	l.add("zero bytes", strings.Repeat("\x00", 1<<16))
	l.add("nothing", "")
	return l.all
}

func numbers(n int) string { return each(n, ", ", func(i int) string { return fmt.Sprint(i) }) }
