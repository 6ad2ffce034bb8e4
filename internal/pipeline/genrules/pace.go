package genrules

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// pace tells how much of a run is left. It takes the estimate for the shape of the run
// and corrects it by the levels that are done: a machine that took twice as long for
// them takes twice as long for the rest.
type pace struct {
	mu       sync.Mutex
	estimate *Estimate // nil: nothing is known
	begun    time.Time
	factor   float64
	current  int // level
	now      func() time.Time
}

// enough is how many seconds of an estimate have to be over before the machine is
// judged by them.
const enough = 2

func newPace(e *Estimate, now func() time.Time) *pace {
	return &pace{estimate: e, begun: now(), factor: 1, now: now}
}

// resume notes that a run goes on with a level: those before it take no time.
func (p *pace) resume(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.estimate == nil {
		return
	}
	for i := range p.estimate.Levels {
		if i+1 < n {
			p.estimate.Seconds -= p.estimate.Levels[i]
			p.estimate.Levels[i] = 0
		}
	}
}

// begin notes that a level begins.
func (p *pace) begin(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current = n
}

// level notes that a level is done.
func (p *pace) level(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.estimate == nil {
		return
	}
	over := 0.0
	for i, s := range p.estimate.Levels {
		if i < n {
			over += s
		}
	}
	if over >= enough {
		p.factor = p.now().Sub(p.begun).Seconds() / over
	}
}

// note makes of a stage what is shown: "level 3: prove, whole run about 3 min left".
func (p *pace) note(stage string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current > 0 && !strings.HasPrefix(stage, "level ") {
		stage = fmt.Sprintf("level %d: %s", p.current, stage)
	}
	if p.estimate == nil {
		return stage
	}
	left := p.estimate.Seconds*p.factor - p.now().Sub(p.begun).Seconds()
	if left <= 0 {
		return stage + ", longer than estimated"
	}
	return fmt.Sprintf("%s, whole run about %s left", stage, Duration(left))
}

// Duration writes seconds as people say them: "8 s", "7 min", "3 h".
func Duration(seconds float64) string {
	switch {
	case seconds < 100:
		return fmt.Sprintf("%.0f s", max(1, seconds))
	case seconds < 100*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.0f h", seconds/3600)
}
