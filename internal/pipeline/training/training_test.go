package training_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/graph/grad"
	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/internal/pipeline/training"
	"github.com/taso-go/taso/model"
)

func TestMain(m *testing.M) { os.Exit(golden.Main(m)) }

func build(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := models.Build(name, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// The table of docs/training.md is that of the code.
func TestTable(t *testing.T) {
	var list []*model.Model
	for _, name := range slices.Concat(models.Names()[:9], []string{"resnet50", "bert-base-128"}, models.Further()) {
		list = append(list, build(t, name))
	}
	text, err := training.Markdown(list)
	if err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "testdata/table.golden", text)
	doc, err := os.ReadFile("../../../docs/training.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), text) {
		t.Errorf("docs/training.md does not have the table of testdata/table.golden")
	}
}

func ExampleMake() {
	m, err := models.Build("mlp-tiny", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	step, r, err := training.Make(m, grad.Options{Loss: grad.MeanSquare, Optimizer: grad.Adam})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(step.Name, r.Weights, r.State, r.Forward.Products, r.Step.Products)
	// Output: mlp-tiny+step 12 26 3192 8736
}
