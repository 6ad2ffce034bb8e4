package showmodel_test

import (
	"bytes"
	"fmt"

	"github.com/taso-go/taso/bench/models"
	"github.com/taso-go/taso/internal/pipeline/showmodel"
)

func ExampleDescribe() {
	m, err := models.Build("squeezenet-tiny", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	c := showmodel.Describe(m, nil)
	for _, o := range c.Operators {
		fmt.Println(o.Nodes, o.Op)
	}
	// Output:
	// 26 conv2d
	// 3 poolmax
	// 26 relu
	// 8 concat
	// 1 poolavg
	// 1 reshape
}

func ExampleContents_WriteHTML() {
	m, err := models.Build("nasrnn-tiny", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	var page bytes.Buffer
	if err := showmodel.Describe(m, nil).WriteHTML(&page, ""); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.HasPrefix(page.Bytes(), []byte("<!DOCTYPE html>")), bytes.Count(page.Bytes(), []byte("<svg")))
	// Output: true 1
}

func ExampleFigure() {
	fmt.Println(showmodel.Figure(999), showmodel.Figure(25557032), showmodel.Figure(7.91e10))
	// Output: 999 25.56 M 79.10 G
}
