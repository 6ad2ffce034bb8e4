//go:build !cgo

package dl

import "testing"

func TestWithoutCgo(t *testing.T) {
	l, err := Load()
	if err == nil || err != errNoCgo {
		t.Errorf("error %v", err)
	}
	if len(l.Report.Lacks) != 4 || l.Report.Cgo {
		t.Errorf("report %v", l.Report)
	}
	if _, err := Open(l, 0); err == nil {
		t.Error("a device was opened")
	}
}
