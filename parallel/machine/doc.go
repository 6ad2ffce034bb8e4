// Package machine describes clusters: devices, hosts and switches with directed links, on
// which messages take routes. Descriptions are files of YAML with units.
//
// # Words
//
//	device      what computes: a GPU, a core; one description for all of a cluster
//	            (cost.Machine: roofline, peak rates by element type)
//	node        devices that are built together. A file describes one and says how many
//	host        a processor of a node with memory of its own, where devices may put
//	            tensors aside
//	switch      what only hands messages on
//	link        leads messages one way, with a latency and a bandwidth; a cable is two
//	class       what links have in common: "nvlink: {latency: 1us, bandwidth: 50GB/s}".
//	            The bandwidth is that of one direction
//	route       the links of a message: fewest, then widest. Always the same
//	round       messages that are sent at once; a collective is a list of rounds
//	charge      what rounds cost: a time α + b/β, and for how long which links are busy
//
// # A file
//
//	name: two-by-four
//	doc: Where the numbers come from.
//	device: v100                 # of package cost, or a path beside this file
//	memory: 32GiB                # of a device; default: that of the description
//	flops: {float16: 125TFLOPS}  # likewise
//	nodes: 2                     # "two-by-four:8" and --nodes say otherwise
//	most: 64                     # nodes
//	classes:
//	  nvlink: {latency: 1us, bandwidth: 25GB/s}
//	  pcie: {latency: 1us, bandwidth: 12GB/s}
//	  net: {latency: 5us, bandwidth: 100Gbit/s}
//	node:
//	  devices: 4                 # 0 to 3
//	  forward: false             # messages do not pass through devices
//	  switches: [plx]
//	  hosts: {cpu: 256GiB}
//	  links:
//	    - {class: nvlink, mesh: [1, 2, 3]}             # each pair
//	    - {class: nvlink, pair: [0, 1], width: 2}      # two cables, as one twice as wide
//	    - {class: pcie, star: plx, of: [0, 1, 2, 3]}   # each with plx
//	    - {class: pcie, pair: [plx, cpu]}
//	network:
//	  topology: fat-tree
//	  class: net
//	  ports: [cpu]               # of each node; several are cables side by side
//	  leaf: 16                   # nodes below a switch
//	  oversubscription: 2        # of the links above
//
// Within a node links are also said by "ring: [0, 1, 2]" and "bus: [0, 1]", one medium that
// all messages of both directions share. That the same two ends are joined twice is an
// error, since messages would take one of the links only. Networks are
//
//	switch           all nodes at one
//	fat-tree         leaf switches of so many nodes and a core. The links above a leaf are
//	                 one as wide as all below it, over the oversubscription (Leiserson,
//	                 "Fat-trees", IEEE Transactions on Computers, 1985)
//	ring, full       each node with the next one, with each
//	torus            nodes: [8, 4]; the last number counts fastest
//	reconfigurable   so many links as the degree says leave each node and arrive there, set
//	                 by links: [[0, 1], ..] or [Cluster.Rewire], by default rings of strides
//	                 1, -1, 2, -2, .. (the direct-connect networks of Wang et al.,
//	                 "TopoOpt", NSDI 2023)
//
// Units: ps ns us ms s; B/s to TB/s by powers of 1000, KiB/s to TiB/s of 1024, Mbit/s to
// Tbit/s; B to TB, KiB to TiB; FLOPS to PFLOPS. A number without one is an error, and so
// are fields that are not known, devices that no link reaches, and more than [MaxDevices].
//
// # Picture
//
//	file ─► reader: fields with lines ─► spec ─► builder ─► Cluster ─► Route
//	                                                           │         │
//	            kind, algorithm, group, bytes ─► Rounds ───────┴─► Charge: time, busy links
//
// # What is modelled
//
// α-β: a message of b bytes takes the latencies of its links and b over the bandwidth of
// the narrowest (cut-through). Latency lets a link free for others; bytes do not. Times
// are whole picoseconds ([Time]).
package machine
