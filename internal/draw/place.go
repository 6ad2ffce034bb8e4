package draw

import "math"

// Distances in pixels.
const (
	margin   = 8.0  // around the picture
	nodeGap  = 22.0 // between boxes side by side
	lineGap  = 12.0 // between lines, or a line and a box
	rowGap   = 30.0 // between layers
	labelRow = 16.0 // more between layers if edges have labels
	maxSlope = 70.0 // at most this much more where edges go far sideways
)

const (
	placeRounds = 10 // sweeps down and up over the layers

	// upright is how much a box wants to stand on the axis of the picture. Blocks
	// with a shortcut at one side are not symmetric; a few hundred of them one
	// below the other would lean by more than a screen's width.
	upright = 0.05
)

// place computes the coordinates; sizes of vertices are set.
func (p *picture) place(labels bool) {
	for _, row := range p.layers {
		x := 0.0
		for i, v := range row {
			if i > 0 {
				x += p.apart(row[i-1], v)
			}
			p.verts[v].x = x
		}
		for _, v := range row {
			p.verts[v].x -= x / 2
		}
	}
	for round := 0; round < placeRounds; round++ {
		for l := range p.layers {
			p.settle(l, true, false)
		}
		for l := len(p.layers) - 1; l >= 0; l-- {
			p.settle(l, false, true)
		}
	}
	for round := 0; round < 3; round++ {
		for l := range p.layers {
			p.settle(l, true, true)
		}
	}
	p.straighten()
	p.frame(labels)
}

// apart is the least distance of the centres of two neighbours.
func (p *picture) apart(left, right int) float64 {
	a, b := &p.verts[left], &p.verts[right]
	gap := nodeGap
	if a.dummy() || b.dummy() {
		gap = lineGap
	}
	return a.w/2 + gap + b.w/2
}

// weight says how much a segment wants to be vertical: long edges most, edges
// from nodes without operands, such as a model's weights, least: they stand
// beside the line of computation and do not bend it.
func (p *picture) weight(s segment) float64 {
	a, b := &p.verts[s.a], &p.verts[s.b]
	switch {
	case a.dummy() && b.dummy():
		return 8
	case a.dummy() || b.dummy():
		return 2
	case len(a.above) == 0:
		return 0.3
	}
	return 1
}

// lean is how far the centre of the upper vertex should stand right of that of
// the lower one, for the segment to be vertical. Between two boxes it is 0: ends are apart by
// less than a box, and a line of boxes whose left operands are the computed ones
// would drift sideways if each were moved to its end.
func (p *picture) lean(s segment) float64 {
	if !p.verts[s.a].dummy() && !p.verts[s.b].dummy() {
		return 0
	}
	return p.lowerEnd(s) - p.upperEnd(s)
}

// upperEnd and lowerEnd are the offsets of a segment's ends from the centres of
// its vertices.
func (p *picture) upperEnd(s segment) float64 {
	v := &p.verts[s.a]
	return v.w * (float64(s.port+1)/float64(v.ports+1) - 0.5)
}

func (p *picture) lowerEnd(s segment) float64 {
	v := &p.verts[s.b]
	return v.w * (float64(s.slot+1)/float64(v.slots+1) - 0.5)
}

// settle moves the vertices of a layer, as a whole optimally, to where their
// segments above, below, or both would be vertical.
func (p *picture) settle(l int, above, below bool) {
	row := p.layers[l]
	want := make([]float64, len(row))
	weight := make([]float64, len(row))
	gaps := make([]float64, len(row))
	for i, v := range row {
		if i > 0 {
			gaps[i] = p.apart(row[i-1], v)
		}
		sum := 0.0
		pull := func(s int, towards float64) {
			w := p.weight(p.segs[s])
			sum += w * towards
			weight[i] += w
		}
		if above {
			for _, s := range p.verts[v].above {
				pull(s, p.verts[p.segs[s].a].x-p.lean(p.segs[s]))
			}
		}
		if below {
			for _, s := range p.verts[v].below {
				pull(s, p.verts[p.segs[s].b].x+p.lean(p.segs[s]))
			}
		}
		if weight[i] == 0 {
			// Nothing pulls: stay, unless somebody needs the place.
			want[i], weight[i] = p.verts[v].x, 0.05
			continue
		}
		if !p.verts[v].dummy() {
			weight[i] += upright
		}
		want[i] = sum / weight[i]
	}
	for i, x := range spread(want, weight, gaps) {
		p.verts[row[i]].x = x
	}
}

// spread returns the x that minimize the sum of weight·(x-want)² where
// x[i] ≥ x[i-1] + gaps[i]. gaps[0] is not used.
func spread(want, weight, gaps []float64) []float64 {
	type block struct {
		sum, weight float64
		n           int
	}
	var blocks []block
	shift := make([]float64, len(want))
	for i := range want {
		if i > 0 {
			shift[i] = shift[i-1] + gaps[i]
		}
		b := block{weight[i] * (want[i] - shift[i]), weight[i], 1}
		// Pool with what is left of it as long as that wants to be further right.
		for len(blocks) > 0 && blocks[len(blocks)-1].sum*b.weight >= b.sum*blocks[len(blocks)-1].weight {
			o := blocks[len(blocks)-1]
			b = block{b.sum + o.sum, b.weight + o.weight, b.n + o.n}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	x := make([]float64, 0, len(want))
	for _, b := range blocks {
		for k := 0; k < b.n; k++ {
			x = append(x, b.sum/b.weight+shift[len(x)])
		}
	}
	return x
}

// straighten makes the middle of a long edge vertical where its neighbours leave
// the room.
func (p *picture) straighten() {
	done := make([]bool, len(p.verts))
	for _, r := range p.routes {
		var chain []int
		for _, v := range r.via {
			if p.verts[v].dummy() && !done[v] {
				done[v] = true
				chain = append(chain, v)
			}
		}
		if len(chain) < 2 {
			continue
		}
		lo, hi, sum := math.Inf(-1), math.Inf(1), 0.0
		for _, v := range chain {
			u := &p.verts[v]
			row := p.layers[u.layer]
			if u.pos > 0 {
				lo = math.Max(lo, p.verts[row[u.pos-1]].x+p.apart(row[u.pos-1], v))
			}
			if u.pos+1 < len(row) {
				hi = math.Min(hi, p.verts[row[u.pos+1]].x-p.apart(v, row[u.pos+1]))
			}
			sum += u.x
		}
		if lo > hi {
			continue
		}
		x := math.Min(math.Max(sum/float64(len(chain)), lo), hi)
		for _, v := range chain {
			p.verts[v].x = x
		}
	}
}

// frame moves the picture to the origin, stacks the layers and measures it.
func (p *picture) frame(labels bool) {
	left, right := math.Inf(1), math.Inf(-1)
	for i := range p.verts {
		v := &p.verts[i]
		left, right = math.Min(left, v.x-v.w/2), math.Max(right, v.x+v.w/2)
	}
	if len(p.verts) == 0 {
		left, right = 0, 0
	}
	for i := range p.verts {
		p.verts[i].x = math.Round(p.verts[i].x - left + margin)
	}
	p.width = math.Ceil(right - left + 2*margin)
	p.top, p.height = make([]float64, len(p.layers)), make([]float64, len(p.layers))
	y := margin
	for l, row := range p.layers {
		far := 0.0
		for _, v := range row {
			p.height[l] = math.Max(p.height[l], p.verts[v].h)
			for _, s := range p.verts[v].above {
				g := p.segs[s]
				far = math.Max(far, math.Abs(p.verts[g.a].x+p.upperEnd(g)-p.verts[g.b].x-p.lowerEnd(g)))
			}
		}
		if l > 0 {
			y += rowGap + math.Min(maxSlope, math.Round(far/10))
			if labels {
				y += labelRow
			}
		}
		p.top[l] = y
		y += p.height[l]
	}
	p.bottom = y + margin
}
