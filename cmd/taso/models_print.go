package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/internal/pipeline/showmodel"
)

// listModels prints a line for each model, and what is published of it. The numbers in the
// column source are those of the lines below the tables.
func listModels(w io.Writer, list []models.Info) error {
	var sources []string
	var rows, published [][]string
	for _, m := range list {
		p := m.Published
		var cites []string
		for _, cite := range strings.Split(p.Cite, "; ") {
			i := slices.Index(sources, cite)
			if i < 0 {
				i = len(sources)
				sources = append(sources, cite)
			}
			cites = append(cites, strconv.Itoa(i+1))
		}
		rows = append(rows, []string{m.Name, count(m.Operators), big(float64(m.Learned)), big(float64(m.MACs)), big(float64(m.FLOPs)), m.Doc})
		published = append(published, []string{m.Name, orNothing(float64(p.Total), count(p.Total)),
			orNothing(float64(p.Learned), big(float64(p.Learned))), orNothing(p.GMAC, big(p.GMAC*1e9)), strings.Join(cites, ", ")})
	}
	err := writeTable(w, []column{{"model", false}, {"operators", true}, {"parameters", true}, {"multiply-adds", true}, {"FLOP", true}, {"description", false}}, rows)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\nPublished figures (-: not published; taso models NAME explains differences):")
	err = writeTable(w, []column{{"model", false}, {"operators", true}, {"parameters", true}, {"multiply-adds", true}, {"source", false}}, published)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "\nSources:")
	for i, cite := range sources {
		fmt.Fprintf(w, "  %d  %s\n", i+1, cite)
	}
	return nil
}

// listFurther prints a line for each network of the papers on parallelization.
func listFurther(w io.Writer, list []models.Info) error {
	fmt.Fprintln(w, "\nModels to train. --batch sets the batch of these, and of the ResNets, ResNeXts, Inceptions and\nencoders above:")
	var rows, docs [][]string
	for _, m := range list {
		p, published := m.Published, float64(m.Published.Learned)
		if published == 0 {
			published = float64(p.About)
		}
		source, _, _ := strings.Cut(m.Source, " (")
		per := float64(m.Batch)
		rows = append(rows, []string{m.Name, count(m.Batch), count(m.Operators), big(float64(m.Learned)), orNothing(published, big(published)),
			big(float64(m.MACs) / per), big(float64(m.FLOPs) / per), source})
		docs = append(docs, []string{m.Name, m.Doc})
	}
	if err := writeTable(w, []column{{"model", false}, {"batch", true}, {"operators", true}, {"parameters", true}, {"published", true},
		{"MAC/sample", true}, {"FLOP/sample", true}, {"source", false}}, rows); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return writeTable(w, []column{{"model", false}, {"description", false}}, docs)
}

// gmac is the published number of multiply-adds, as published.
func gmac(p models.Published) string { return strconv.FormatFloat(p.GMAC, 'f', -1, 64) + " G" }

// orNothing is the text of a figure, "-" if it is 0: not published.
func orNothing(figure float64, text string) string {
	if figure == 0 {
		return "-"
	}
	return text
}

// beside adds a published figure, if there is one.
func beside(figure float64, text string) string {
	if figure == 0 {
		return ""
	}
	return "; published: " + text
}

// printModels prints what is known of each model, and its operators beside the
// published numbers.
func (k *modelsFlags) printModels(w io.Writer, list []models.Info) error {
	for i, info := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s: %s\n", info.Name, info.Doc)
		if info.Source != "" {
			fmt.Fprintf(w, "graph from     %s\n", info.Source)
		}
		if info.Batch > 1 {
			fmt.Fprintf(w, "batch          %s\n", count(info.Batch))
		}
		for _, sizes := range info.Inputs {
			fmt.Fprintf(w, "input          %s\n", sizesText(sizes))
		}
		p := info.Published
		fmt.Fprintf(w, "operators      %s%s\n", count(info.Operators), beside(float64(p.Total), count(p.Total)))
		fmt.Fprintf(w, "parameters     %s%s%s\n", count(info.Learned), beside(float64(p.Learned), count(p.Learned)), beside(float64(p.About), "about "+big(float64(p.About))))
		work := func(n int64) string {
			if info.Batch == 1 {
				return big(float64(n))
			}
			return fmt.Sprintf("%s, per sample %s", big(float64(n)), big(float64(n)/float64(info.Batch)))
		}
		fmt.Fprintf(w, "multiply-adds  %s%s\n", work(info.MACs), beside(p.GMAC, gmac(p)))
		fmt.Fprintf(w, "FLOP           %s\n", work(info.FLOPs))
		if info.Layers > 0 {
			fmt.Fprintf(w, "layers         %s\n", count(info.Layers))
		}
		if p.Cite != "" {
			fmt.Fprintf(w, "published by   %s\n", p.Cite)
		}
		if p.Note != "" {
			fmt.Fprintf(w, "note           %s\n", p.Note)
		}
		fmt.Fprintln(w)
		m, err := k.build(info.Name)
		if err != nil {
			return err
		}
		published := map[string]string{}
		for _, o := range p.Operators {
			published[o.Op] = count(o.N)
		}
		var rows [][]string
		for _, o := range showmodel.Describe(m.Model, nil).Operators {
			rows = append(rows, []string{o.Op, count(o.Nodes), published[o.Op], big(float64(o.Params)), big(float64(o.FLOPs))})
		}
		if err := writeTable(w, []column{{"operator", false}, {"nodes", true}, {"published", true}, {"parameters", true}, {"FLOP", true}}, rows); err != nil {
			return err
		}
	}
	return nil
}
