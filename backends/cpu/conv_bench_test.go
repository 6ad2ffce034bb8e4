package cpu

import (
	"fmt"
	"testing"
)

// BenchmarkConvWays times convolutions of stride 1 that read the image in place and that pack
// its windows, the better of which in_place in conv.h is to choose.
func BenchmarkConvWays(b *testing.B) {
	t := tables()[0]
	for _, v := range []conv{
		{o: 128, c: 256, kh: 2, kw: 2, oh: 4, ow: 4},
		{o: 64, c: 128, kh: 2, kw: 2, oh: 8, ow: 8},
		{o: 32, c: 64, kh: 2, kw: 2, oh: 16, ow: 16},
		{o: 3, c: 32, kh: 2, kw: 2, oh: 32, ow: 32},
		{o: 16, c: 64, kh: 3, kw: 3, oh: 4, ow: 4},
		{o: 64, c: 64, kh: 3, kw: 3, oh: 4, ow: 4},
		{o: 128, c: 64, kh: 3, kw: 3, oh: 7, ow: 7},
		{o: 32, c: 64, kh: 3, kw: 3, oh: 7, ow: 7},
		{o: 64, c: 64, kh: 3, kw: 3, oh: 14, ow: 14},
		{o: 128, c: 64, kh: 3, kw: 3, oh: 14, ow: 14},
		{o: 256, c: 64, kh: 3, kw: 3, oh: 14, ow: 14},
		{o: 64, c: 64, kh: 3, kw: 3, oh: 28, ow: 28},
		{o: 128, c: 64, kh: 3, kw: 3, oh: 28, ow: 28},
		{o: 256, c: 64, kh: 3, kw: 3, oh: 28, ow: 28},
		{o: 64, c: 64, kh: 3, kw: 3, oh: 56, ow: 56},
		{o: 128, c: 64, kh: 3, kw: 3, oh: 56, ow: 56},
		{o: 256, c: 64, kh: 3, kw: 3, oh: 56, ow: 56},
		{o: 8, c: 16, kh: 3, kw: 3, oh: 14, ow: 14, dh: 6, dw: 6},
		{o: 32, c: 64, kh: 3, kw: 3, oh: 14, ow: 14, dh: 6, dw: 6},
		{o: 32, c: 64, kh: 3, kw: 3, oh: 28, ow: 28, dh: 2, dw: 2},
		{o: 32, c: 64, kh: 3, kw: 3, oh: 28, ow: 28, dh: 4, dw: 4},
		{o: 128, c: 64, kh: 3, kw: 3, oh: 28, ow: 28, dh: 4, dw: 4},
		{o: 32, c: 64, kh: 3, kw: 3, oh: 28, ow: 28, dh: 12, dw: 12},
		{o: 8, c: 64, kh: 1, kw: 1, oh: 28, ow: 28},
		{o: 16, c: 64, kh: 1, kw: 1, oh: 28, ow: 28},
		{o: 32, c: 64, kh: 1, kw: 1, oh: 28, ow: 28},
		{o: 64, c: 64, kh: 1, kw: 7, oh: 17, ow: 17},
		{o: 64, c: 64, kh: 1, kw: 3, oh: 1, ow: 200},
		{o: 16, c: 64, kh: 1, kw: 3, oh: 1, ow: 200},
		{o: 16, c: 16, kh: 1, kw: 2, oh: 1, ow: 1000},
		{o: 64, c: 64, kh: 1, kw: 2, oh: 1, ow: 1000},
		{o: 64, c: 64, kh: 1, kw: 2, oh: 1, ow: 1000, dw: 64},
		{o: 64, c: 256, kh: 3, kw: 3, oh: 14, ow: 14},
		{o: 32, c: 256, kh: 3, kw: 3, oh: 7, ow: 7},
		{o: 32, c: 64, kh: 1, kw: 1, oh: 1, ow: 784},
		{o: 64, c: 64, kh: 1, kw: 1, oh: 1, ow: 784},
		{o: 128, c: 256, kh: 1, kw: 1, oh: 1, ow: 784},
		{o: 256, c: 256, kh: 1, kw: 1, oh: 1, ow: 196},
		{o: 512, c: 256, kh: 1, kw: 1, oh: 1, ow: 196},
		{o: 512, c: 256, kh: 1, kw: 1, oh: 1, ow: 49},
		{o: 512, c: 512, kh: 1, kw: 3, oh: 1, ow: 100},
		{o: 256, c: 256, kh: 3, kw: 3, oh: 14, ow: 14},
		{o: 512, c: 512, kh: 3, kw: 3, oh: 7, ow: 7},
		{o: 32, c: 32, kh: 1, kw: 1, oh: 1, ow: 2048},
		{o: 64, c: 32, kh: 1, kw: 1, oh: 1, ow: 2048},
		{o: 64, c: 64, kh: 1, kw: 1, oh: 1, ow: 2048},
		{o: 128, c: 128, kh: 1, kw: 1, oh: 1, ow: 2048},
		{o: 128, c: 128, kh: 1, kw: 1, oh: 1, ow: 3136},
		{o: 64, c: 64, kh: 1, kw: 1, oh: 1, ow: 12544},
		{o: 16, c: 96, kh: 1, kw: 1, oh: 1, ow: 12544},
		{o: 64, c: 64, kh: 1, kw: 2, oh: 1, ow: 2048, dw: 64},
		{o: 8, c: 3, kh: 3, kw: 3, oh: 112, ow: 112},
		{o: 24, c: 8, kh: 3, kw: 3, oh: 56, ow: 56},
	} {
		v.sh, v.sw, v.dh, v.dw = 1, 1, max(v.dh, 1), max(v.dw, 1)
		v.xh, v.xw = v.oh+(v.kh-1)*v.dh, v.ow+(v.kw-1)*v.dw
		k := v.c * v.kh * v.kw
		block := func(n int) ptr {
			m, err := newBlock(4 * (n + slack))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(m.free)
			for i := range f32(m.p, n) {
				f32(m.p, n)[i] = float32(i%7) - 3
			}
			return m.p
		}
		v.x, v.w, v.y = block(v.c*v.xh*v.xw), block(t.packedA(v.o, k)), block(v.o*v.oh*v.ow)
		for way, name := range []string{bestWay: "best", inPlace: "inplace", packedWindows: "packed"} {
			v.way = int32(way)
			v.scratch = block(t.convScratch(&v))
			b.Run(fmt.Sprintf("o%d_c%d_k%dx%d_y%dx%d_d%d/%s", v.o, v.c, v.kh, v.kw, v.oh, v.ow, v.dw, name), func(b *testing.B) {
				for b.Loop() {
					t.conv(&v)
				}
				b.ReportMetric(2e-9*float64(v.o*k*v.oh*v.ow)*float64(b.N)/b.Elapsed().Seconds(), "GFLOP/s")
			})
		}
	}
}
