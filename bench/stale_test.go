package bench

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// Stale records are listed the cheapest first, those of unknown duration last; as many as
// fit into a limit are taken.
func TestStale(t *testing.T) {
	n := 0
	past := &Benchmark{Name: "past", What: "w"}
	scratch(t, counting("a-slow", &n), counting("b-unknown", &n), counting("c-quick", &n), counting("d-none", &n), counting("e-fresh", &n), past)
	r := open(t, tree(t))
	fresh, err := r.Tree.Digests([]string{"a"})
	if err != nil {
		t.Fatal(err)
	}
	records := map[string]*Record{
		"a-slow": {Seconds: 90, Sources: map[string]string{"a": "0"}}, "b-unknown": {}, "c-quick": {Seconds: 30},
		"e-fresh": {Seconds: 1, Sources: fresh}, "past": {},
	}
	jobs := r.Stale(records)
	var names []string
	for _, j := range jobs {
		names = append(names, j.Benchmark.Name)
	}
	if got := strings.Join(names, " "); got != "c-quick a-slow b-unknown d-none" {
		t.Fatalf("stale: %s", got)
	}
	if jobs[3].State.Age != None || jobs[3].Record != nil || jobs[0].Took != 30*time.Second {
		t.Errorf("jobs %+v", jobs)
	}
	for limit, want := range map[time.Duration]int{0: 4, time.Second: 0, 30 * time.Second: 1, 119 * time.Second: 1, 2 * time.Minute: 2, time.Hour: 2} {
		if got := Within(jobs, limit); got != want {
			t.Errorf("within %v: %d, want %d", limit, got, want)
		}
	}
}

func TestArguments(t *testing.T) {
	for command, want := range map[string]struct {
		models []string
		repeat int
	}{
		"taso bench run sums --models bert,vgg19 --repeat 24": {[]string{"bert", "vgg19"}, 24},
		"taso bench run sums":            {},
		"taso bench run sums --repeat":   {},
		"taso measure NAMES --repeat 24": {},
	} {
		models, repeat := (&Record{Command: command}).Arguments()
		if !reflect.DeepEqual(models, want.models) || repeat != want.repeat {
			t.Errorf("%q: %v, %d", command, models, repeat)
		}
	}
}
