package cluster

import beamlog "github.com/apache/beam/sdks/v2/go/pkg/beam/log"

// Quiet lets only errors of Beam through, which says much of what goes well.
func Quiet() { beamlog.SetupLogging("error", "text") }
