package cost

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/internal/suggest"
)

// Machine is the description of a device by a few numbers. Its file is one JSON
// object with the fields below; cost/machines holds those that are built in.
// A Machine is a [Model]: see [Machine.Time].
type Machine struct {
	// Name is a short word.
	Name string `json:"name"`
	// Doc says what the device is and where the numbers come from.
	Doc string `json:"doc"`
	// FLOPS is the peak rate of arithmetic in operations a second, by the name
	// of the element type.
	FLOPS map[string]float64 `json:"flops"`
	// Matrix is the peak rate of matrix units (tensor cores), by the name of the element
	// type, for products and convolutions without groups. They compute on channels in
	// multiples of 8. "tf32" is float32 with 10 bits of mantissa, see [FindMachine].
	Matrix map[string]float64 `json:"matrix,omitempty"`
	// Wide: narrow types are held and computed with as wider ones, see [lower.Wide], so
	// that their bytes and their peaks are those.
	Wide bool `json:"wide,omitempty"`
	// Bandwidth is that of the memory, in bytes a second, both directions
	// together.
	Bandwidth float64 `json:"bandwidth"`
	// Caches are the levels between, the smallest first.
	Caches []Cache `json:"caches,omitempty"`
	// Memory is the size of the memory in bytes; 0 is not known.
	Memory int64 `json:"memory,omitempty"`
	// Launch is the time to start an operator, in seconds. Every operator that
	// is not a view pays it.
	Launch Seconds `json:"launch"`
	// View is the time of an operator that moves no data, in seconds.
	View Seconds `json:"view"`
	// Serial is the part of the shorter of computing and moving that is not
	// hidden behind the longer, from 0 (the classic roofline) to 1 (the sum).
	Serial float64 `json:"serial,omitempty"`
	// Rates are the fractions of the peak rates that kernels reach, by class;
	// a class that is not named has those of a similar class ([Class.like]), else reaches
	// all. A bandwidth above the one of pointwise counts as the one of pointwise, which
	// functions have too.
	Rates map[Class]Rate `json:"rates,omitempty"`
	// Fitted are rates that were fitted to published measurements, by the name of the
	// element type and by class. They replace those of Rates. A type that is not named has
	// those of float32.
	Fitted map[string]map[Class]Rate `json:"fitted,omitempty"`
}

// Cache is one level of cache.
type Cache struct {
	Name string `json:"name"`
	// Bytes is its size.
	Bytes int64 `json:"bytes"`
	// Bandwidth is in bytes a second, for data that fits.
	Bandwidth float64 `json:"bandwidth"`
}

// Rate is a fraction of the peak rates. A calibrated one may exceed 1 where
// data comes from a cache that the machine does not list, or where a kernel multiplies
// less than the definition does (Winograd).
type Rate struct {
	FLOPS     float64 `json:"flops"`
	Bandwidth float64 `json:"bandwidth"`
	// Outputs is the number of results ([Work.Outputs]) with which half of FLOPS is
	// reached, and Depth the number of summed channels ([Work.Depth]); 0: any number
	// reaches all.
	Outputs float64 `json:"outputs,omitempty"`
	Depth   float64 `json:"depth,omitempty"`
	// Launch replaces a Machine.Launch that is less.
	Launch Seconds `json:"launch,omitempty"`
}

// maxMachineBytes bounds what is read of a file; a description has about 2 KB.
const maxMachineBytes = 1 << 20

//go:embed machines/*.json
var machineFiles embed.FS

// Machines are the descriptions that are built in, by name.
func Machines() ([]*Machine, error) {
	files, err := machineFiles.ReadDir("machines") // sorted by name
	if err != nil {
		return nil, fmt.Errorf("built-in machines: %w", err)
	}
	var out []*Machine
	for _, f := range files {
		b, err := machineFiles.ReadFile(path.Join("machines", f.Name()))
		if err != nil {
			return nil, fmt.Errorf("built-in machines: %w", err)
		}
		m, err := ParseMachine(f.Name(), b)
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	return out, nil
}

// tf32 is the mode of matrix units that round operands of type float32 to 10 bits of
// mantissa.
const tf32 = "tf32"

// FindMachine returns the built-in machine of that name, or reads the file of
// that name, which must contain a "." or a path separator. NAME:tf32 is the machine with
// products and convolutions of float32 at its peak rate of tf32.
func FindMachine(name string) (*Machine, error) {
	if plain, ok := strings.CutSuffix(name, ":"+tf32); ok {
		m, err := FindMachine(plain)
		if err != nil {
			return nil, err
		}
		if m.Matrix[tf32] == 0 {
			return nil, fmt.Errorf("machine %s: its description has no rate of %s under matrix", plain, tf32)
		}
		m.Name = name
		m.Matrix[graph.Float32.String()] = m.Matrix[tf32]
		return m, nil
	}
	if strings.ContainsAny(name, `./\`) {
		f, err := os.Open(name)
		if err != nil {
			return nil, fmt.Errorf("machine: %w", err)
		}
		defer f.Close()
		return ReadMachine(name, f)
	}
	// The file of a machine that is built in has its name.
	if b, err := machineFiles.ReadFile(path.Join("machines", name+".json")); err == nil {
		return ParseMachine(name+".json", b)
	}
	all, err := Machines()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Name)
	}
	hint := suggest.DidYouMean(name, names)
	if hint == "" {
		hint = fmt.Sprintf("; want one of %s, or a file such as ./my.json", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("unknown machine %q%s", name, hint)
}

// ReadMachine reads a description; file is the name used in errors.
func ReadMachine(file string, r io.Reader) (*Machine, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxMachineBytes+1))
	if err != nil {
		return nil, fmt.Errorf("machine %s: %w", file, err)
	}
	if len(b) > maxMachineBytes {
		return nil, fmt.Errorf("machine %s: more than %d bytes", file, maxMachineBytes)
	}
	return ParseMachine(file, b)
}

// ParseMachine reads a description and checks it. Fields that are not known are
// errors, since a misspelled number would silently be missing.
func ParseMachine(file string, text []byte) (*Machine, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var m Machine
	if err := d.Decode(&m); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
			return nil, fmt.Errorf("machine %s:%d: %w", file, line, err)
		}
		return nil, fmt.Errorf("machine %s: %w", file, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("machine %s: text after the description", file)
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("machine %s: %w", file, err)
	}
	return &m, nil
}

// Check reports everything that is wrong with a description, one error a line.
func (m *Machine) Check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	positive := func(what string, x float64) {
		if !(x > 0) || math.IsInf(x, 0) {
			bad("%s is %v, want a number above 0", what, x)
		}
	}
	if m.Name == "" {
		bad("name is missing")
	}
	types := func(what string, peaks map[string]float64) {
		for _, name := range slices.Sorted(maps.Keys(peaks)) {
			if _, err := graph.ParseDType(name); err != nil && (name != tf32 || what != "matrix") {
				bad("%s: %w", what, err)
			}
			positive(what+" of "+name, peaks[name])
		}
	}
	types("flops", m.FLOPS)
	types("matrix", m.Matrix)
	if _, ok := m.FLOPS[graph.Float32.String()]; !ok {
		bad("flops of float32 is missing")
	}
	positive("bandwidth", m.Bandwidth)
	positive("launch", float64(m.Launch))
	positive("view", float64(m.View))
	if m.Memory < 0 {
		bad("memory is %d, want 0 or more", m.Memory)
	}
	if !(m.Serial >= 0 && m.Serial <= 1) {
		bad("serial is %v, want 0 to 1", m.Serial)
	}
	for i, c := range m.Caches {
		if c.Bytes < 1 {
			bad("cache %s: %d bytes", c.Name, c.Bytes)
		}
		positive("cache "+c.Name+": bandwidth", c.Bandwidth)
		if i > 0 && c.Bytes <= m.Caches[i-1].Bytes {
			bad("cache %s is not larger than %s before it", c.Name, m.Caches[i-1].Name)
		}
		if i > 0 && c.Bandwidth > m.Caches[i-1].Bandwidth {
			bad("cache %s is faster than the smaller %s", c.Name, m.Caches[i-1].Name)
		}
	}
	if n := len(m.Caches); n > 0 && m.Caches[n-1].Bandwidth < m.Bandwidth {
		bad("cache %s is slower than the memory", m.Caches[n-1].Name)
	}
	rates := func(what string, rates map[Class]Rate) {
		for _, c := range slices.Sorted(maps.Keys(rates)) {
			if !slices.Contains(Classes(), c) {
				bad("%s: class %q is not known", what, c)
			}
			r := rates[c]
			positive(fmt.Sprintf("%s of %s: flops", what, c), r.FLOPS)
			positive(fmt.Sprintf("%s of %s: bandwidth", what, c), r.Bandwidth)
			for _, x := range []struct {
				name  string
				value float64
			}{{"outputs", r.Outputs}, {"depth", r.Depth}, {"launch", float64(r.Launch)}} {
				if !(x.value >= 0) || math.IsInf(x.value, 0) {
					bad("%s of %s: %s is %v, want 0 or more", what, c, x.name, x.value)
				}
			}
		}
	}
	rates("rates", m.Rates)
	for _, name := range slices.Sorted(maps.Keys(m.Fitted)) {
		if _, err := graph.ParseDType(name); err != nil {
			bad("fitted: %w", err)
		}
		rates("fitted "+name, m.Fitted[name])
	}
	return errors.Join(errs...)
}

// Write writes the description to a file, which is either complete or not
// there.
func (m *Machine) Write(file string) error {
	if err := m.Check(); err != nil {
		return fmt.Errorf("machine %s: %w", m.Name, err)
	}
	return atomicfile.WriteFile(file, func(w io.Writer) error {
		e := json.NewEncoder(w) // maps are written in the order of their keys
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(m)
	})
}
