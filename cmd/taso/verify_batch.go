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
	"github.com/taso-go/taso/verify/assume"
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
func (k *verifyFlags) atOtherBatch(c *cobra.Command, args []string, rep *verifymodels.Report) (out *verifymodels.Report, err error) {
	open := [2]bool{assumed(k.reports[0]), assumed(k.reports[1])}
	defer func() {
		if out != nil {
			out.State()
		}
	}()
	switch {
	case rep.Verdict != verifymodels.ModelsEqual && rep.Verdict != verifymodels.ModelsAgree || !open[0] && !open[1]:
		return rep, nil
	case open[0] != open[1]:
		i := slices.Index(open[:], true)
		rep.Batches = []int{1}
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s has a dynamic batch and %s does not: they are compared for batch 1", filepath.Base(args[i]), filepath.Base(args[1-i])))
		return rep, nil
	}
	other, failed, err := k.withBatch(c, args)
	if mismatch := (*verifymodels.Mismatch)(nil); errors.As(err, &mismatch) {
		rep.Verdict, rep.Agree, rep.Batches = verifymodels.ModelsDiffer, false, []int{otherBatch}
		rep.Notes = append(rep.Notes, fmt.Sprintf("for batch %d: %v", otherBatch, err))
		return rep, nil
	}
	switch {
	case err != nil && c.Context().Err() != nil:
		return rep, err
	case err != nil && failed == 1: // the other one takes this batch
		return unknownFor(rep, err.Error()), nil
	case err != nil:
		rep.Batches = []int{1}
		rep.Notes = append(rep.Notes, fmt.Sprintf("the models are compared for batch 1 only: for batch %d, %v", otherBatch, err))
		return rep, nil
	}
	return forBoth(rep, other), nil
}

// forBoth is the report about models that were compared for a batch of 1, with one about them
// for the other batch.
func forBoth(rep, other *verifymodels.Report) *verifymodels.Report {
	switch other.Verdict {
	case verifymodels.ModelsDiffer:
		other.Batches = []int{otherBatch}
		other.Notes = append(other.Notes, fmt.Sprintf("this is for batch %d; for batch 1: %s", otherBatch, rep.Statement))
		return other
	case verifymodels.ModelsEqual, verifymodels.ModelsAgree:
		rep.Notes = append(rep.Notes, fmt.Sprintf("the batch is dynamic; for batch %d: %s", otherBatch, other.Statement))
		weaker(rep, other)
		rep.Batches = []int{1, otherBatch}
		return rep
	}
	return unknownFor(rep, other.Statement)
}

// weaker gives a report the verdict that holds for another batch as well.
func weaker(rep, other *verifymodels.Report) {
	if other.Verdict == verifymodels.ModelsAgree {
		rep.Verdict = other.Verdict
	}
	rep.Exact.Structure = rep.Exact.Structure && other.Exact.Structure
	rep.Exhaustive = rep.Exhaustive && other.Exhaustive
	if other.Exact.Bits > 0 && (rep.Exact.Bits == 0 || other.Exact.Bits < rep.Exact.Bits) {
		rep.Exact.Bits = other.Exact.Bits
	}
	rep.Assumptions = assume.Join(rep.Assumptions, other.Assumptions)
}

// unknownFor is a report of models that are not known to agree for the other batch.
func unknownFor(rep *verifymodels.Report, why string) *verifymodels.Report {
	rep.Unreached = append(rep.Unreached, fmt.Sprintf("batch %d: %s", otherBatch, why))
	rep.Verdict, rep.Agree, rep.Assumptions = verifymodels.NotKnown, false, []assume.Name{}
	return rep
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
		read, _, fault := onnx.Read(args[i], onnx.ReadOptions{Shapes: shapes, Constants: constants, Defaults: k.model.defaults, Batch: otherBatch, Some: true})
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
