package enumerate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func ExampleSplitList() {
	for _, name := range SplitList("relu, conv2d[stride=(2, 2), pad=valid] 3x3,concat") {
		fmt.Println(name)
	}
	// Output:
	// relu
	// conv2d[stride=(2, 2), pad=valid] 3x3
	// concat
}

// An operator with attribute values has these and no others, whatever the order of the list.
func TestGivenOperators(t *testing.T) {
	names := []string{"relu", "conv2d[pad=valid] 1x1", "conv2d_relu[stride=(2, 2), pad=valid] 3x3", "clip[lo=0, hi=6]"}
	u, err := New(names)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, in := range u.insts {
		have[in.op.Name+" "+in.attrs.Key()] = true
	}
	if len(u.insts) != 1+8+8+1 || len(have) != len(u.insts) {
		t.Errorf("%d instances, %d of them different, want 18", len(u.insts), len(have))
	}
	var kernels []string
	for _, ty := range u.Types {
		if ty.Weight {
			kernels = append(kernels, ty.Name)
		}
	}
	if !slices.Equal(kernels, []string{"u", "o"}) {
		t.Errorf("kernels %v, want u and o", kernels)
	}
	slices.Reverse(names)
	v, err := New(names)
	if err != nil {
		t.Fatal(err)
	}
	if u.String() != v.String() {
		t.Errorf("the order of the list matters:\n%s\n%s", u, v)
	}
}

// A constant is an operator without operands.
func TestGivenConstant(t *testing.T) {
	u, err := New([]string{"fill[shape=[2, 3], value=2.0]", "ewmul"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(u.insts, func(in inst) bool { return in.op.Name == "fill" }) {
		t.Errorf("no constant in %s", u)
	}
}

// A convolution gets images as inputs, also if other operators take sequences.
func TestGivenInputs(t *testing.T) {
	u, err := New([]string{"linear", "conv2d", "matmul"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"i", "u", "y", "w"} {
		if !slices.ContainsFunc(u.Types, func(ty InputType) bool { return ty.Name == want }) {
			t.Errorf("no inputs %s among %v", want, u.Types)
		}
	}
}

func TestGivenErrors(t *testing.T) {
	for text, want := range map[string]string{
		"clip[lo=0":               "no ] follows [",
		"clipp[lo=0, hi=1]":       "there is no operator clipp",
		"relu[a=1]":               "has no attribute a",
		"conv2d[pad=valid] 2x2":   "1x1, 1x3, 3x1 or 3x3",
		"relu[] 3x3":              "only a convolution",
		"ewwhere[]":               "3 operands",
		"transpose[perm=(0,0)]":   "",
		"[a=1]":                   "there is no operator",
		"softmax[axis=7]":         "defined at no shape",
		"conv2d[stride=s] 1x1":    "",
		"conv2d_relu[pad=wrong,]": "",
		"conv2d[strid=(2, 2)]":    `operator "conv2d[strid=(2, 2)]": operator conv2d has no attribute strid; operator conv2d: attribute pad is missing`,
	} {
		_, err := New([]string{text})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", text, err, want)
		}
	}
}

func FuzzNew(f *testing.F) {
	for _, s := range []string{"conv2d[pad=valid] 1x1,relu", "clip[lo=0, hi=6]", "poolmax[kh=3, kw=3, pad=(1, 1, 1, 1)]", "fill[shape=[2, 3], value=0]", "[", "]["} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) < 200 {
			_, _ = New(SplitList(s)) // which must not panic
		}
	})
}
