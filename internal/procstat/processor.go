package procstat

import (
	"os"
	"runtime"
	"strings"
)

// Processor is the processor's name as the system tells it, or its architecture.
func Processor() string {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == "model name" {
				return strings.Join(strings.Fields(v), " ")
			}
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}
