package plan

import "testing"

// A step that goes on beside computing holds no more than a device may hold, on any device, also where
// that is just what it needs in the order of the program; without a bound some hold more.
func TestSimulateInRoom(t *testing.T) {
	over := 0
	plans(t, func(t *testing.T, p *Plan) {
		m, err := p.Memory()
		if err != nil {
			t.Fatal(err)
		}
		serial := simulated(t, p, SimulateOptions{Serial: true})
		free := simulated(t, p, SimulateOptions{})
		if got := free.Run.Memory()[0].Peak; got != free.Peak {
			t.Errorf("%d bytes, the first device has %d", free.Peak, got)
		}
		if free.Peak > m.Peak {
			over++
		}
		for _, memory := range []int64{m.Peak, (m.Peak + free.Peak) / 2, max(m.Peak, free.Peak)} {
			q := p.within(memory)
			s := simulated(t, q, SimulateOptions{})
			for d, got := range s.Run.Memory()[:p.Mesh.Devices()] {
				if got.Peak > max(memory, m.Peak) {
					t.Errorf("device %d of %d bytes holds %d", d, memory, got.Peak)
				}
			}
			if s.Makespan < free.Makespan || s.Makespan > serial.Makespan || memory >= free.Peak && s.Makespan != free.Makespan {
				t.Errorf("%d bytes: %d ps, with %d bytes %d, in order %d", memory, s.Makespan, free.Peak, free.Makespan, serial.Makespan)
			}
			if got, err := q.Makespan(ctx); err != nil || got != s.Makespan {
				t.Errorf("%d bytes: %d ps, %v, all devices %d", memory, got, err, s.Makespan)
			}
			f, err := q.Figures(ctx)
			if err != nil || f.Memory < s.Peak || f.Memory > max(memory, m.Peak) {
				t.Errorf("%d bytes: %+v, %v, simulated are %d", memory, f, err, s.Peak)
			}
		}
	})
	if over == 0 {
		t.Error("no step holds more beside computing than in order")
	}
}
