package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/taso-go/taso/internal/pipeline/genrules"
)

func init() {
	register.DoFn3x1[context.Context, int, func(int, []byte), error](&solve{})
	register.DoFn3x1[context.Context, int, func(*[]byte) bool, error](&gather{})
}

// solutions is the pipeline that answers the questions from lo to hi-1 of a job's file.
func (j *Job) solutions(s beam.Scope, lo, hi int) {
	asked := beam.Reshuffle(s, beam.CreateList(s, numbers(lo, hi)))
	answers := beam.ParDo(s.Scope("solve"), &solve{*j}, asked)
	beam.ParDo0(s.Scope("gather"), &gather{*j, lo}, beam.GroupByKey(s, answers))
}

// numbered is an answer and the question's number.
type numbered struct {
	Number int             `json:"number"`
	Answer genrules.Answer `json:"answer"`
}

// solve answers a question of the job's file.
type solve struct{ Job Job }

// questionsPath is the file of a job's questions.
func (j *Job) questionsPath() string { return j.Dir + "/questions" }

// ProcessElement is called by Beam with the number of a question.
func (f *solve) ProcessElement(ctx context.Context, number int, emit func(int, []byte)) error {
	disturb()
	s, err := solvers.get(strings.Join(f.Job.Ops, ","), func() (*genrules.Solver, error) {
		return genrules.NewSolver(context.WithoutCancel(ctx), f.Job.Ops)
	})
	if err != nil {
		return err
	}
	list, err := questions.get(f.Job.questionsPath(), func() (list []genrules.Question, err error) {
		return list, load(ctx, f.Job.questionsPath(), func(b []byte) error {
			var q genrules.Question
			err := json.Unmarshal(b, &q)
			list = append(list, q)
			return err
		})
	})
	if err != nil {
		return err
	}
	if number < 0 || number >= len(list) {
		return fmt.Errorf("question %d of %d", number, len(list))
	}
	a, err := s.Solve(ctx, list[number])
	if err != nil {
		return err
	}
	b, err := json.Marshal(numbered{number, a})
	if err != nil {
		return err
	}
	emit(number%f.Job.Parts, b)
	return nil
}

// gather writes the answers of a part.
type gather struct {
	Job  Job
	From int // the first question of the pipeline
}

// answersPath is the file of a part of a pipeline's answers.
func (j *Job) answersPath(from, part int) string {
	return partPath(j.Dir, fmt.Sprintf("answers-from-%d", from), part, j.Parts)
}

// partsOf are the parts that the answers to the questions from lo to hi-1 fall into.
func (j *Job) partsOf(lo, hi int) []int {
	if hi-lo >= j.Parts {
		return numbers(0, j.Parts)
	}
	list := numbers(lo, hi)
	for i := range list {
		list[i] %= j.Parts
	}
	return list
}

// ProcessElement is called by Beam with a part and its answers.
func (f *gather) ProcessElement(ctx context.Context, part int, answers func(*[]byte) bool) error {
	var list []string
	var b []byte
	for answers(&b) {
		list = append(list, string(b))
	}
	slices.Sort(list)
	return save(ctx, f.Job.answersPath(f.From, part), func(add func([]byte) error) error {
		for _, a := range list {
			if err := add([]byte(a)); err != nil {
				return err
			}
		}
		return nil
	})
}
