package optimize_test

import (
	"context"
	"errors"
	"testing"

	"github.com/taso-go/taso/internal/judge"
	"github.com/taso-go/taso/internal/pipeline/optimize"
)

// The judge decides whether the model stays, and what it decided is in the report.
func TestJudge(t *testing.T) {
	m := written(t, "x : float32[20, 30]\nv : weight float32[30, 30]\nw : weight float32[30, 30]\np = matmul(x, v)\nq = matmul(x, w)\ny = ewadd(p, q)\nreturn y")
	for winner := range 2 {
		asked := 0
		res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Method: optimize.Descend, Tries: 200,
			Judge: func(_ context.Context, candidates []optimize.Candidate) (*judge.Decision, error) {
				asked++
				if len(candidates) != 1 || candidates[0].Model.Graph.Hash() == m.Graph.Hash() {
					t.Errorf("%d candidates", len(candidates))
				}
				return &judge.Decision{Winner: winner, Candidates: make([]judge.Outcome, 1)}, nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		if asked != 1 || res.Judged == nil || res.Judged.Winner != winner {
			t.Errorf("winner %d: asked %d times, %+v", winner, asked, res.Judged)
		}
		if kept := res.Model.Graph.Hash() != m.Graph.Hash(); kept != (winner == 1) || (res.StepCount > 0) != kept || !res.ProofChecked {
			t.Errorf("winner %d: the result has %d steps", winner, res.StepCount)
		}
	}
	res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Method: optimize.Descend, Tries: 1})
	if err != nil {
		t.Fatal(err)
	}
	if k := res.Heaviest; len(k) == 0 || k[0].Op != "matmul" || k[0].Nodes != 2 || k[0].Part < 0.5 || k[0].Part > 1 || k[0].Cost > res.CostBefore {
		t.Errorf("heaviest: %+v", k)
	}
	broken := errors.New("broken")
	if _, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Method: optimize.Descend, Tries: 200,
		Judge: func(context.Context, []optimize.Candidate) (*judge.Decision, error) { return nil, broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Where the whole result is refused, what simplifications alone lead to may be kept.
func TestJudgeSimplified(t *testing.T) {
	m := written(t, "x : float32[20, 30]\nv : weight float32[30, 30]\nw : weight float32[30, 30]\np = matmul(x, v)\nq = matmul(x, w)\ns = ewadd(p, q)\na = abs(s)\ny = abs(a)\nreturn y")
	res, err := optimize.Run(context.Background(), optimize.Options{Model: m, Cost: machine(t), Tries: 400,
		Judge: func(_ context.Context, candidates []optimize.Candidate) (*judge.Decision, error) {
			d := &judge.Decision{Candidates: make([]judge.Outcome, len(candidates)), Winner: len(candidates)}
			return d, nil
		}})
	if err != nil {
		t.Fatal(err)
	}
	last := len(res.Candidates) - 1
	if last < 1 || res.Candidates[last].Name != "simplified" || res.Candidates[last].Steps >= res.Candidates[last-1].Steps {
		t.Fatalf("candidates %+v", res.Candidates)
	}
	if res.StepCount != res.Candidates[last].Steps || !res.ProofChecked || res.NodesAfter != res.NodesBefore-1 {
		t.Errorf("%d steps, %d to %d operators", res.StepCount, res.NodesBefore, res.NodesAfter)
	}
}

// A signal during the judgement leaves the model, and so does one during a search that
// somebody would have to judge. A spent limit is no interruption.
func TestJudgeInterrupted(t *testing.T) {
	m := written(t, "x : float32[20, 30]\nv : weight float32[30, 30]\nw : weight float32[30, 30]\np = matmul(x, v)\nq = matmul(x, w)\ny = ewadd(p, q)\nreturn y")
	o := optimize.Options{Model: m, Cost: machine(t), Method: optimize.Descend, Tries: 200,
		Judge: func(context.Context, []optimize.Candidate) (*judge.Decision, error) {
			return &judge.Decision{Failed: "interrupted"}, context.Canceled
		}}
	res, err := optimize.Run(context.Background(), o)
	if err != nil || !res.Interrupted || res.StepCount > 0 || res.Model != m || !res.ProofChecked {
		t.Errorf("in the judgement: %+v, %v", res, err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	o.Judge = func(context.Context, []optimize.Candidate) (*judge.Decision, error) {
		t.Error("judged after a signal")
		return nil, context.Canceled
	}
	if res, err = optimize.Run(ctx, o); err != nil || !res.Interrupted || res.Model != m {
		t.Errorf("in the search: %+v, %v", res, err)
	}
	o.Judge, o.Budget = nil, 1
	if res, err = optimize.Run(context.Background(), o); err != nil || res.Interrupted || !res.SearchEnded || res.SearchLimit != 1e-9 {
		t.Errorf("limit: %+v, %v", res, err)
	}
}
