package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/taso-go/taso/internal/pipeline/verifymodels"
	"github.com/taso-go/taso/model"
	"github.com/taso-go/taso/onnx"
)

// otherBatch is the batch with which models are compared once more whose files leave it
// open: a sum over a batch of 1 is its mean.
const otherBatch = 3

// assumed reports whether a file leaves the batch open and nobody gave one.
func assumed(rep *onnx.Report) bool {
	return rep != nil && slices.ContainsFunc(rep.Open, func(o onnx.OpenSize) bool { return o.Assumed })
}

// atOtherBatch compares models that agree for a batch of 1, which nobody asked for, for
// another batch as well. It returns the report that counts, with notes that say so.
func (k *verifyFlags) atOtherBatch(c *cobra.Command, args []string, rep *verifymodels.Report) (*verifymodels.Report, error) {
	open := [2]bool{assumed(k.reports[0]), assumed(k.reports[1])}
	switch {
	case rep.Verdict != verifymodels.ModelsEqual && rep.Verdict != verifymodels.ModelsAgree || !open[0] && !open[1]:
		return rep, nil
	case open[0] != open[1]:
		i := slices.Index(open[:], true)
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s takes any batch, and %s does not: they are compared for a batch of 1", filepath.Base(args[i]), filepath.Base(args[1-i])))
		return rep, nil
	}
	other, failed, err := k.withBatch(c, args)
	if mismatch := (*verifymodels.Mismatch)(nil); errors.As(err, &mismatch) {
		return rep, finding(fmt.Sprintf("for a batch of %d: %v", otherBatch, err))
	}
	switch {
	case err != nil && c.Context().Err() != nil:
		return rep, err
	case err != nil && failed == 1: // the other one takes this batch
		rep.Unreached = append(rep.Unreached, fmt.Sprintf("a batch of %d: %v", otherBatch, err))
		rep.Verdict, rep.Agree = verifymodels.NotKnown, false
	case err != nil:
		rep.Notes = append(rep.Notes, fmt.Sprintf("the models are compared for a batch of 1: for one of %d, %v", otherBatch, err))
	case other.Verdict == verifymodels.ModelsDiffer:
		other.Notes = append(other.Notes, fmt.Sprintf("that is for a batch of %d; for one of 1 the verdict is: %s", otherBatch, rep.Verdict))
		return other, nil
	case other.Verdict == verifymodels.ModelsEqual || other.Verdict == verifymodels.ModelsAgree:
		if other.Verdict == verifymodels.ModelsAgree {
			rep.Verdict = other.Verdict
		}
		rep.Notes = append(rep.Notes, fmt.Sprintf("the batch is open: for one of %d the verdict is: %s", otherBatch, other.Verdict))
	default:
		rep.Notes = append(rep.Notes, fmt.Sprintf("the batch is open: for one of %d the verdict is: %s", otherBatch, other.Verdict))
	}
	return rep, nil
}

// withBatch compares the models for another batch, which failed of them do not take.
func (k *verifyFlags) withBatch(c *cobra.Command, args []string) (rep *verifymodels.Report, failed int, err error) {
	shapes, err := parseShapes(k.model.shapes)
	if err != nil {
		return nil, 0, err
	}
	constants, err := parseConstants(k.model.constants)
	if err != nil {
		return nil, 0, err
	}
	o := k.opt
	for i, m := range []**model.Model{&o.A, &o.B} {
		read, _, fault := onnx.Read(args[i], onnx.ReadOptions{Shapes: shapes, Constants: constants, Batch: otherBatch, Some: true})
		if fault != nil {
			failed, err = failed+1, fault
			continue
		}
		read.Name = filepath.Base(args[i])
		*m = read
	}
	if err != nil {
		return nil, failed, err
	}
	o.Progress = newProgress(c)
	defer o.Progress.Close()
	rep, err = verifymodels.Run(c.Context(), o)
	return rep, 0, err
}
