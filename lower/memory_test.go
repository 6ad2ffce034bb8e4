package lower

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPlaceExamples(t *testing.T) {
	for _, c := range []struct {
		bufs  []Buffer // bytes, def, last
		apart bool
		want  int
	}{
		{nil, false, 0},
		{[]Buffer{{Bytes: 100, First: 0, Last: 1}}, false, 100},
		{[]Buffer{{Bytes: 64, First: 0, Last: 1}, {Bytes: 64, First: 1, Last: 2}}, false, 128},
		{[]Buffer{{Bytes: 64, First: 0, Last: 1}, {Bytes: 64, First: 2, Last: 3}}, false, 64},
		{[]Buffer{{Bytes: 64, First: 0, Last: 1}, {Bytes: 64, First: 2, Last: 3}}, true, 128},
		// The small ones fit in the gap that the large one leaves.
		{[]Buffer{{Bytes: 256, First: 0, Last: 1}, {Bytes: 64, First: 1, Last: 4}, {Bytes: 128, First: 2, Last: 3}, {Bytes: 128, First: 3, Last: 4}}, false, 320},
	} {
		var bs []*Buffer
		for i := range c.bufs {
			bs = append(bs, &c.bufs[i])
		}
		if got := Place(bs, 64, c.apart); got != c.want {
			t.Errorf("%+v: %d bytes, want %d", c.bufs, got, c.want)
		}
	}
}

// TestPlaceProperties: buffers in use at the same step do not overlap, each is
// aligned, and the arena is as large as the last one reaches.
func TestPlaceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var bs []*Buffer
		for range rapid.IntRange(1, 30).Draw(t, "buffers") {
			def := rapid.IntRange(-1, 20).Draw(t, "def")
			bs = append(bs, &Buffer{Bytes: rapid.IntRange(1, 1000).Draw(t, "bytes"), First: def, Last: def + rapid.IntRange(0, 8).Draw(t, "life")})
		}
		size := Place(bs, 64, false)
		end, all := 0, 0
		for i, a := range bs {
			end, all = max(end, a.Offset+a.Bytes), all+(a.Bytes+63)/64*64
			if a.Offset%64 != 0 {
				t.Fatalf("offset %d", a.Offset)
			}
			for _, b := range bs[:i] {
				if a.First <= b.Last && b.First <= a.Last && a.Offset < b.Offset+b.Bytes && b.Offset < a.Offset+a.Bytes {
					t.Fatalf("%+v and %+v overlap", *a, *b)
				}
			}
		}
		if size != end || size > all {
			t.Fatalf("%d bytes, the buffers end at %d and have %d together", size, end, all)
		}
	})
}
