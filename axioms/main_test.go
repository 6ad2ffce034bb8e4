package axioms_test

import (
	"os"
	"testing"

	"github.com/taso-go/taso/internal/collector"
)

// Instances are made, evaluated and forgotten by the hundred thousand beside a small heap.
func TestMain(m *testing.M) {
	stop := collector.Lazily(collector.Audit, 0)
	code := m.Run()
	stop()
	os.Exit(code)
}
