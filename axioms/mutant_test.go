package axioms_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/law/mutate"
	"github.com/taso-go/taso/verify/bounded"
)

// mutantInstances is how many instances of a mutant are checked; the plainest
// half and a covering of pairs suffice to refute what is false.
var mutantInstances = sweep.Size(60, 300)

// The instances are enough to tell the axioms from laws that differ a little:
// every mutant is refuted but for those that mutants.txt argues to be true. A
// new law whose mutant is true gets its line there, by hand.
func TestMutants(t *testing.T) {
	type job struct {
		id string
		m  mutate.Mutant
	}
	jobs := make(chan job)
	var mu sync.Mutex
	var wg sync.WaitGroup
	met := map[string]bool{}
	total, killed := 0, 0
	for range runtime.GOMAXPROCS(0) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for j := range jobs {
				r, err := bounded.Check(context.Background(), j.m.Law, bounded.Options{Instances: mutantInstances, Workers: 1})
				mu.Lock()
				total++
				law, name, _ := strings.Cut(j.id, ": ")
				why, known := axioms.TrueMutant(law, name)
				switch {
				case err != nil:
					t.Errorf("%s: %v", j.id, err)
				case r.Failure != "":
					killed++
					if known {
						t.Errorf("%s: is refuted, and believed true (%s): %s", j.id, why, r.Failure)
					}
				case !known:
					t.Errorf("%s: holds on %d instances; strengthen the check, or say in mutants.txt why it is true", j.id, r.Instances)
				case r.Tested > 0 || r.Undecided > 0:
					t.Errorf("%s: believed true, and not shown symbolically: %+v", j.id, *r)
				}
				mu.Unlock()
			}
		}()
	}
	n, part := map[string]int{}, sweep.Size(12, 1)
	for _, l := range axioms.Default() {
		if l.Kind == law.Refute {
			continue
		}
		for _, m := range mutate.Mutants(l) {
			_, known := axioms.TrueMutant(l.Name, m.Name)
			id := l.Name + ": " + m.Name
			met[id] = true
			kind := fmt.Sprint(known, strings.Fields(m.Name)[0])
			if n[kind]++; (n[kind]-1)%part == 0 {
				jobs <- job{id, m}
			}
		}
	}
	close(jobs)
	wg.Wait()
	known := axioms.TrueMutants()
	for _, id := range known {
		if !met[id] {
			t.Errorf("mutants.txt: %s: no such mutant", id)
		}
		if law, name, _ := strings.Cut(id, ": "); true {
			if why, _ := axioms.TrueMutant(law, name); why == "" {
				t.Errorf("mutants.txt: %s: no reason is given", id)
			}
		}
	}
	if total < sweep.Size(200, 5000) {
		t.Errorf("%d mutants only", total)
	}
	t.Logf("%d mutants, %d refuted, %d true", total, killed, len(known))
}
