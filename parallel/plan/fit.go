package plan

// fit is a plan that needs no more memory than a device may hold: a given one, or what it
// becomes by a [Saving].
func (j *Job) fit(p *Plan) (*Plan, error) {
	p = p.within(j.Memory)
	if p.fitted > 0 && p.fitted == j.Memory {
		return p, nil
	}
	m, err := p.Memory()
	if err != nil || j.Memory <= 0 {
		return p, err
	}
	if m.Peak <= j.Memory {
		p.fitted = j.Memory
		return p, nil
	}
	over := &MemoryError{Need: m.Peak, Have: j.Memory, At: m.At}
	if p.Pipeline != nil {
		return nil, over
	}
	over.Lies = m.Weights + m.Inputs
	if over.Lies >= j.Memory {
		return nil, over
	}
	q, least, err := p.thrifty(j.Memory)
	if err != nil {
		return nil, err
	}
	if over.Least = least; q == nil {
		return nil, over
	}
	return q, nil
}
