package cuda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/backends/cuda/dl"
)

// Modes are the modes of products and convolutions, the first of which, "", is IEEE
// arithmetic in float32.
func Modes() []string {
	return []string{string(dl.Float32), string(dl.TF32), string(dl.Float16), string(dl.BFloat16)}
}

// IsName says whether name is that of a CUDA backend: "cuda", perhaps with a ':' and
// more behind it.
func IsName(name string) bool {
	first, _, _ := strings.Cut(name, ":")
	return first == "cuda"
}

// ParseName reads the options in the name of a backend: "cuda", and, each behind a
// ':', a mode of [Modes] and the number of a device, as in "cuda:tf32" or
// "cuda:1:float16".
func ParseName(name string) (Options, error) {
	parts := strings.Split(name, ":")
	if parts[0] != "cuda" {
		return Options{}, fmt.Errorf("%q is not the name of a CUDA backend", name)
	}
	var opt Options
	device := false
	for _, p := range parts[1:] {
		n, err := strconv.ParseUint(p, 10, 16)
		switch {
		case err == nil && !device:
			opt.Device, device = int(n), true
		case p != "" && opt.Math == "" && slices.Contains(Modes(), p):
			opt.Math = p
		default:
			return Options{}, fmt.Errorf("backend %q: %q is neither the number of a device nor one of %s, once each", name, p, strings.Join(Modes()[1:], ", "))
		}
	}
	return opt, nil
}
