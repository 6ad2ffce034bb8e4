package enumerate

// links are the terms that were proved equal, and the representatives: the terms that are not
// proved equal to an earlier one for all attributes and functions.
type links struct {
	rep     []bool                // by term: it is a representative
	equal   map[int32]link        // of terms that have one: to an earlier term
	loose   map[int32]*link       // of representatives: to terms equal for some strides, paddings or kernels
	ordered map[int32]*link       // of representatives: to terms equal for the true relu and maximum
	syms    map[int32][][32]uint8 // of representatives: renamings of inputs proved to change nothing
	members map[int32][]int32     // by term: the terms of finished levels linked to it
}

// link says that a term is equal to an earlier one.
type link struct {
	to  int32     // index of the earlier term
	ren [32]uint8 // the term's input for each of the earlier term's inputs
}

// linked is a term and its link.
type linked struct {
	t int32
	l link
}

func newLinks() links {
	return links{equal: map[int32]link{}, loose: map[int32]*link{}, ordered: map[int32]*link{},
		syms: map[int32][][32]uint8{}, members: map[int32][]int32{}}
}

// keep makes a term a representative.
func (l *links) keep(t int32) { l.rep[t] = true }

// join links a term for all attributes and functions.
func (l *links) join(x linked) { l.equal[x.t] = x.l }

// joinLoosely links a term for some strides, paddings or kernels.
func (l *links) joinLoosely(x linked) { l.loose[x.t] = &x.l }

// joinOrdered links a term for the true relu and maximum.
func (l *links) joinOrdered(x linked) { l.ordered[x.t] = &x.l }

// fix notes a renaming that does not change a term.
func (l *links) fix(x linked) { l.syms[x.t] = append(l.syms[x.t], x.l.ren) }

// maxMembers is the most terms linked to one that are tried in its place.
const maxMembers = 12

// settle makes a term of a finished level a member of the term that it is linked to.
func (l *links) settle(t int32) {
	if x, ok := l.equal[t]; ok && len(l.members[x.to]) < maxMembers {
		l.members[x.to] = append(l.members[x.to], t)
	}
}

// of is the link of a settled term, if it has one: also those that are loose, or ordered.
func (l *links) of(t int32, loose, ordered bool) (link, bool) {
	if x, ok := l.equal[t]; ok {
		return x, true
	}
	if loose {
		if x, ok := l.loose[t]; ok {
			return *x, true
		}
		if x, ok := l.ordered[t]; ok && ordered {
			return *x, true
		}
	}
	return link{}, false
}
