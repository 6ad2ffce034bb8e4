package enumerate

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"

	"github.com/taso-go/taso/enumerate/general"
	"github.com/taso-go/taso/fingerprint"
	"github.com/taso-go/taso/law"
)

// What passes between a session and a Comparer, by package gob.

// sentBucket is a bucket. Terms of the level have the numbers from the session's first one
// of the level on, in the order of the bucket.
type sentBucket struct {
	Reps  []int32
	Terms []sentTerm
}

type sentTerm struct {
	Code []byte
	Hash fingerprint.Hash
	Syms [][32]uint8 // renamings that do not change it in the case
}

// sentNews is what a session learned since it was saved, or since the news before.
type sentNews struct {
	MaxOps  int // of Options
	Proved  []savedCandidate
	Answers []sentAnswer
}

// sentAnswer is an answer. Of a candidate that is known by its key no more is told than
// whether the comparison goes on after it.
type sentAnswer struct {
	Key         string
	How         consequence
	Stated      bool
	Conditional bool
	Cand        int // the candidate, in a finding
}

// sentFinding is a finding.
type sentFinding struct {
	Cands              []sentCandidate
	Answers            []sentAnswer
	Open               []int32
	Links, Loose, Syms []savedLink
	Pairs              int
	Joined, False      int
	Untyped            []Untyped
}

// sentCandidate is a candidate as it is stated, or that of an earlier answer.
type sentCandidate struct {
	Key            string // of the answer; "": it is stated anew
	Law, Base, Own string // as in savedCandidate
	Pair           string // see general.ParsePair
	Form           string // see general.ParseForm
	Merged, Syms   []savedLink
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decode[T any](data []byte, v *T) error {
	in := bytes.NewReader(data)
	if err := gob.NewDecoder(in).Decode(v); err != nil {
		return err
	}
	if in.Len() > 0 {
		return errors.New("there is more at the end")
	}
	return nil
}

func sendLinks(list []linked) (out []savedLink) {
	for _, x := range list {
		out = append(out, savedLink{x.t, x.l.to, x.l.ren})
	}
	return out
}

// local turns numbers of a sent bucket into those of the session.
type local struct {
	base int
	news []int32
}

// of is the number of a term of smaller levels or of the bucket.
func (b *local) of(t int32) (int32, error) {
	switch {
	case t >= 0 && int(t) < b.base:
		return t, nil
	case int(t) >= b.base && int(t)-b.base < len(b.news):
		return b.news[int(t)-b.base], nil
	}
	return 0, fmt.Errorf("there is no term %d", t)
}

// own is the number of a term of the bucket.
func (b *local) own(t int32) (int32, error) {
	if int(t) < b.base {
		return 0, fmt.Errorf("term %d is not one of the level", t)
	}
	return b.of(t)
}

// links reads links of terms of the bucket: to earlier terms, or to themselves.
func (b *local) links(list []savedLink, itself bool) (out []linked, err error) {
	for _, x := range list {
		t, err := b.own(x.Term)
		if err != nil {
			return nil, err
		}
		to, err := b.of(x.To)
		if err != nil {
			return nil, err
		}
		if itself != (to == t) || to > t {
			return nil, fmt.Errorf("term %d is linked to %d", t, to)
		}
		for _, r := range x.Ren {
			if int(r) >= len(x.Ren) {
				return nil, fmt.Errorf("there is no input %d", r)
			}
		}
		out = append(out, linked{t, link{to: to, ren: x.Ren}})
	}
	return out, nil
}

// read is the candidate; what is not saved of it is for what is not decided yet.
func (k *savedCandidate) read() (c *statement, err error) {
	c = &statement{Candidate: Candidate{Conditional: k.Conditional, Ordered: k.Ordered, Level: k.Level}, proved: k.Proved, wide: k.Wide}
	if c.Law, err = law.ParseLaw(k.Law); err != nil {
		return nil, err
	}
	if c.Base, err = law.ParseLaw(k.Base); err != nil {
		return nil, err
	}
	if k.Own != "" {
		if c.own, err = law.ParseLawOver(general.CompositeOps(), k.Own); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *statement) saved() savedCandidate {
	k := savedCandidate{Law: law.Format(c.Law), Base: law.Format(c.Base), Conditional: c.Conditional,
		Ordered: c.Ordered, Proved: c.proved, Wide: c.wide, Level: c.Level}
	if c.own != nil {
		k.Own = law.Format(c.own)
	}
	return k
}
