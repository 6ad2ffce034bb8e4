package feed

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/npy"
	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/model"
)

// Source says where the elements of an input come from: from a .npy file, or one of
// the words random, ones, zeros and range.
type Source string

const (
	// Random elements: between -1 and 1, or any that make sense. It is the default.
	Random Source = "random"
	// Ones and Zeros are all the same.
	Ones  Source = "ones"
	Zeros Source = "zeros"
	// Range counts the elements, row by row, from 0, and starts again where the
	// input has no larger number.
	Range Source = "range"
)

// words are the sources that are no files.
var words = []Source{Random, Ones, Zeros, Range}

// IsFile reports whether a source is the path of a file.
func (s Source) IsFile() bool { return s != "" && !slices.Contains(words, s) }

// ParseSources reads NAME=SOURCE, for each input at most once.
func ParseSources(list []string) (map[string]Source, error) {
	out := map[string]Source{}
	for _, text := range list {
		name, source, ok := strings.Cut(text, "=")
		if s := Source(source); !ok || name == "" || !slices.Contains(words, s) && !strings.HasSuffix(source, ".npy") {
			return nil, fmt.Errorf("%s: want NAME=FILE.npy, or NAME= and one of random, ones, zeros, range", text)
		}
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("%s: %s is given twice", text, name)
		}
		out[name] = Source(source)
	}
	return out, nil
}

// Tensor is what is fed to an input.
type Tensor struct {
	Name string
	Type graph.TensorType
	// How says what the elements are, such as "random positions, 0 to 30521".
	How string
	// Raw are the elements, little-endian and row-major.
	Raw []byte
}

// Make makes the tensor of each input; its default, or random, if sources has none for it. The same
// seed, name and type give the same numbers. It is an error if sources names
// something else than an input, or if a file cannot be read, or is not of the sizes
// and of a type that the input takes.
func Make(inputs []Input, sources map[string]Source, seed uint64) ([]Tensor, error) {
	names := []string{}
	for _, in := range inputs {
		names = append(names, in.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("unknown input %s%s", name, suggest.OneOf(name, names))
		}
	}
	out := make([]Tensor, len(inputs))
	for i, in := range inputs {
		t, err := in.make(sources[in.Name], seed)
		if err != nil {
			return nil, fmt.Errorf("input %s: %w", in.Name, err)
		}
		out[i] = *t
	}
	return out, nil
}

func (in Input) make(s Source, seed uint64) (*Tensor, error) {
	t := &Tensor{Name: in.Name, Type: in.Type}
	if s.IsFile() {
		return t, in.file(t, string(s))
	}
	if s == "" && in.Default != nil {
		raw, err := in.Default.Read()
		t.How, t.Raw = "its default in the file", raw
		return t, err
	}
	n, dtype := graph.NumElements(in.Type.Sizes), in.Type.DType
	limit := in.limit()
	each := func(f func(i int) int64) {
		t.Raw = make([]byte, 0, n*dtype.Bytes())
		for i := range n {
			k := f(i)
			t.Raw = model.AppendElement(t.Raw, dtype, k, float64(k))
		}
	}
	switch {
	case dtype == graph.Float8E8M0 && (s == Zeros || s == Range):
		return nil, fmt.Errorf("%s: %s has no 0", s, dtype)
	case s == Zeros:
		t.How = "zeros"
		each(func(int) int64 { return 0 })
	case s == Ones && limit < 2:
		return nil, errors.New("ones: it picks rows of a table that has one row, number 0")
	case s == Ones:
		t.How = "ones"
		each(func(int) int64 { return 1 })
	case s == Range:
		t.How = "0, 1, 2 and so on"
		if int64(n) > limit {
			t.How = fmt.Sprintf("0 to %d, over and over", limit-1)
		}
		each(func(i int) int64 { return int64(i) % limit })
	case dtype.IsFloat():
		lo := -1.0
		if t.How = "random, -1 to 1"; dtype == graph.Float8E8M0 { // neither 0 nor below
			lo, t.How = 0.25, "random, 0.25 to 1"
		}
		raw, err := model.UniformAs(dtype, model.Seed(seed, in.Name), in.Type.Sizes, lo, 1).Read()
		if err != nil {
			return nil, err
		}
		t.Raw = raw
	default:
		least := int64(0)
		if t.How = "random, 0 and 1"; in.Divides {
			least, t.How = 1, "random, 1 and 2"
		}
		if in.Positions {
			least = 0
			t.How = fmt.Sprintf("random positions, 0 to %d", in.Below-1)
		}
		each(func(i int) int64 {
			return least + int64(model.Seed(model.Seed(seed, in.Name)+uint64(i), "")>>1%uint64(in.Below))
		})
	}
	return t, nil
}

// limit is above the largest whole number that Range counts to: the positions there
// are, or as many numbers as the type holds exactly.
func (in Input) limit() int64 {
	if in.Positions {
		return in.Below
	}
	switch t := in.Type.DType; t {
	case graph.Bool:
		return 2
	default:
		if t.IsFloat() {
			return graph.Whole(t)
		}
		if _, hi := t.IntRange(); hi < 1<<62 {
			return int64(hi) + 1
		}
		return 1 << 62
	}
}

// file reads the elements of a file.
func (in Input) file(t *Tensor, path string) error {
	a, err := npy.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	from, err := graph.ParseDType(a.Type)
	if err != nil {
		return fmt.Errorf("%s: elements of type %s are not read: numpy's astype(\"%s\") converts them", path, a.Type, model.Stored(in.Type.DType))
	}
	if !slices.Equal(a.Sizes, append([]int{}, in.Type.Sizes...)) {
		return fmt.Errorf("%s holds %s, the input is %s", path, graph.TensorType{DType: from, Sizes: a.Sizes}, in.Type)
	}
	raw, rounded, err := model.Convert(a.Data, from, in.Type.DType)
	if err != nil {
		return fmt.Errorf("%s holds %s: %w", path, from, err)
	}
	if t.How, t.Raw = path, raw; from != in.Type.DType {
		t.How += fmt.Sprintf(", %s", from)
		if rounded > 0 {
			t.How += fmt.Sprintf(", %d of %d elements rounded to %s", rounded, len(a.Data)/from.Bytes(), in.Type.DType)
		}
	}
	if in.Rows > 0 {
		return in.checkPositions(path, raw)
	}
	return nil
}

// checkPositions requires that the table has a row for each element: negative ones count
// from its end.
func (in Input) checkPositions(path string, raw []byte) error {
	for i, step := 0, in.Type.DType.Bytes(); i < len(raw); i += step {
		if n, _ := model.Element(in.Type.DType, raw[i:]); n < -in.Rows || n >= in.Rows {
			return fmt.Errorf("%s: element %d is %d, and the table from which it picks has the rows %d to %d", path, i/step, n, -in.Rows, in.Rows-1)
		}
	}
	return nil
}
