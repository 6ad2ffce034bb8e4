package genrules

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/enumerate"
	"github.com/taso-go/taso/internal/atomicfile"
	"github.com/taso-go/taso/rules"
	"github.com/taso-go/taso/verify/check"
)

// checkpoint is a folder that holds the state after the last finished level:
// the enumerator's session, the proved rules with their proofs, and what was
// not proved. Each file is replaced as a whole, the session last, so that an
// interruption leaves the state of some finished level.
type checkpoint struct {
	dir string
}

// state is the part of the report and of the judge that outlives a run.
type state struct {
	AxiomsSHA256 string     `json:"axioms_sha256,omitempty"`
	Level        int        `json:"level"`
	AxiomsOnly   bool       `json:"axioms_only,omitempty"` // of Options
	Stages       []Stage    `json:"stages"`
	Levels       []Level    `json:"levels"`
	Graphs       int64      `json:"graphs"`
	CPU          float64    `json:"enumeration_cpu_seconds"`
	Unproved     []Unproved `json:"unproved"`
	// Failed are the reasons why goals were not proved, by law text: what
	// failed once is not tried again, after an interruption either.
	Failed map[string]failure `json:"failures"`
}

func (c *checkpoint) path(level int, what string) string {
	return filepath.Join(c.dir, fmt.Sprintf("level-%d.%s", level, what))
}

// open resumes from the folder's latest level, if there is one.
func (r *run) open(s *enumerate.Session) (*checkpoint, error) {
	if r.opt.Checkpoint == "" {
		return &checkpoint{}, nil
	}
	c := &checkpoint{dir: r.opt.Checkpoint}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return nil, fmt.Errorf("checkpoint folder: %w", err)
	}
	for n := r.opt.MaxOps; n >= 1; n-- {
		f, err := os.Open(c.path(n, "session"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("checkpoint: %w", err)
		}
		err = s.Restore(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.path(n, "session"), err)
		}
		return c, c.load(r, n)
	}
	return c, nil
}

func (c *checkpoint) load(r *run, n int) error {
	data, err := os.ReadFile(c.path(n, "state.json"))
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	var st state
	if err := json.Unmarshal(data, &st); err != nil {
		return fmt.Errorf("%s: %w", c.path(n, "state.json"), err)
	}
	if st.AxiomsOnly != r.opt.AxiomsOnly {
		return fmt.Errorf("%s: was made with proofs from the axioms alone: %v", c.path(n, "state.json"), st.AxiomsOnly)
	}
	if st.AxiomsOnly && st.AxiomsSHA256 != r.rep.AxiomsSHA256 {
		return fmt.Errorf("%s: was made with other axioms", c.path(n, "state.json"))
	}
	set, err := rules.Load(c.path(n, "rules.json"), rules.LoadOptions{Axioms: axioms.Text()})
	if err != nil {
		return err
	}
	for _, rule := range set.Rules {
		// A file is not believed: its proofs are checked again.
		if _, err := check.Rule(rule.Law, rule.Proof, r.judge.ByName); err != nil {
			return fmt.Errorf("%s: rule %s: %w", c.path(n, "rules.json"), rule.ID(), err)
		}
		r.judge.proved[rule.ID()] = rule
	}
	for i := range st.Unproved {
		u := &st.Unproved[i]
		r.judge.unproved[u.Law] = u
		r.judge.order = append(r.judge.order, u.Law)
	}
	maps.Copy(r.judge.failed, st.Failed)
	r.rep.Stages = append(st.Stages, r.rep.Stages...)
	r.rep.Levels = append(st.Levels, r.rep.Levels...)
	r.rep.Graphs += st.Graphs
	r.cpu += st.CPU
	return nil
}

// save writes the state after level n.
func (c *checkpoint) save(r *run, s *enumerate.Session, n int) error {
	if c.dir == "" || n == r.opt.MaxOps {
		return nil
	}
	set := &rules.Set{}
	if r.opt.AxiomsOnly {
		set.Axioms, set.Lemmas = axioms.Text(), r.judge.Lemmas
	}
	for _, rule := range r.judge.proved {
		set.Rules = append(set.Rules, rule)
	}
	set.Sort()
	if err := rules.Save(c.path(n, "rules.json"), set); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	st := state{AxiomsSHA256: r.rep.AxiomsSHA256, Level: n, AxiomsOnly: r.opt.AxiomsOnly, Stages: r.rep.Stages, Levels: r.rep.Levels, Graphs: r.rep.Graphs, CPU: r.cpu,
		Failed: r.judge.failed}
	for _, text := range r.judge.order {
		st.Unproved = append(st.Unproved, *r.judge.unproved[text])
	}
	err := atomicfile.WriteFile(c.path(n, "state.json"), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(&st)
	})
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := atomicfile.WriteFile(c.path(n, "session"), s.Save); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	for m := 1; m < n; m++ {
		for _, what := range []string{"session", "state.json", "rules.json"} {
			os.Remove(c.path(m, what))
		}
	}
	return nil
}
