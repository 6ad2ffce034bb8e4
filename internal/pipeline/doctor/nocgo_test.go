//go:build !cgo

package doctor

import (
	"strings"
	"testing"
)

// Without cgo there is one line, and no fault.
func TestWithoutCgo(t *testing.T) {
	r, err := Run(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if want := "absent: built without cgo, which CUDA needs"; !strings.Contains(b.String(), want) || r.CUDA.State != Absent || len(r.Findings) != 0 {
		t.Errorf("no %q in\n%s", want, b.String())
	}
	if strings.Contains(b.String(), "looked for") || !strings.Contains(b.String(), ", no cgo)") {
		t.Errorf("%s", b.String())
	}
}
