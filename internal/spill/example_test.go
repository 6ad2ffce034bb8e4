package spill_test

import (
	"cmp"
	"encoding/binary"
	"fmt"

	"github.com/taso-go/taso/internal/spill"
)

var numbers = spill.Codec[uint16]{
	Size:    2,
	Put:     binary.BigEndian.PutUint16,
	Get:     binary.BigEndian.Uint16,
	Compare: cmp.Compare[uint16],
}

// A thousand numbers, of which 256 are in memory at a time.
func Example() {
	s := spill.NewSorter(spill.NewFolder(""), numbers, 1, true)
	defer s.Close()
	for i := range 1000 {
		if err := s.Add(uint16(i * 7919 % 1000)); err != nil {
			fmt.Println(err)
			return
		}
	}
	all, err := spill.Merge(0, s)
	if err != nil {
		fmt.Println(err)
		return
	}
	first, _ := all.Next()
	n := 1
	for _, ok := all.Next(); ok; _, ok = all.Next() {
		n++
	}
	fmt.Println(first, n, s.Spilled(), all.Err())
	// Output: 0 1000 true <nil>
}

// Records that are read by number.
func ExampleTable() {
	t, err := spill.NewTable(spill.NewFolder(""), numbers)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer t.Close()
	for i := range 100 {
		if err := t.Append(uint16(i * i)); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := t.Flush(); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t.At(12))
	// Output: 144 <nil>
}
