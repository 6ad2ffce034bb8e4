package cuda_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/backends/cuda"
)

func TestParseName(t *testing.T) {
	for name, want := range map[string]cuda.Options{
		"cuda": {}, "cuda:tf32": {Math: "tf32"}, "cuda:float16": {Math: "float16"}, "cuda:bfloat16": {Math: "bfloat16"},
		"cuda:1": {Device: 1}, "cuda:2:tf32": {Device: 2, Math: "tf32"}, "cuda:tf32:2": {Device: 2, Math: "tf32"},
	} {
		got, err := cuda.ParseName(name)
		if err != nil || got != want || !cuda.IsName(name) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for _, name := range []string{"", "cpu", "cudax", "cuda:", "cuda:float64", "cuda:-1", "cuda:1:2", "cuda:tf32:tf32", "cuda:70000", "cuda:tf32:"} {
		if got, err := cuda.ParseName(name); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %+v, %v", name, got, err)
		}
	}
}

// TestOpenWithout: where libraries are not, one line says so.
func TestOpenWithout(t *testing.T) {
	t.Setenv("TASO_LIBCUDA", t.TempDir())
	b, err := cuda.Open(cuda.Options{})
	if b != nil || err == nil || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "backend cuda: ") {
		t.Errorf("%v, %v", b, err)
	}
	if _, err := cuda.Open(cuda.Options{Math: "float8"}); err == nil || !strings.Contains(err.Error(), "float8") {
		t.Errorf("%v", err)
	}
}
