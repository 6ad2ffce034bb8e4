package models_test

import (
	"fmt"

	"github.com/taso-go/taso/bench/models"
)

func ExampleBuild() {
	m, err := models.Build("resnet50", 42)
	if err != nil {
		fmt.Println(err)
		return
	}
	info := models.Describe(m)
	fmt.Println(m.Name, info.Inputs, info.Learned, "parameters")
	fmt.Printf("%.2f GMAC\n", float64(info.MACs)/1e9)
	// Output:
	// resnet50 [[1 3 224 224]] 25557032 parameters
	// 4.09 GMAC
}

func ExampleEncoder() {
	c := models.BERTBase(128)
	c.Layers = 2
	m, err := models.Encoder(c, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name, models.Count(m.Graph, "softmax"), models.Describe(m).Learned)
	// Output: encoder-2x768-128 2 14175744
}

func ExampleList() {
	for _, i := range models.List()[:5] {
		fmt.Println(i.Name, i.Inputs[0], i.Operators)
	}
	// Output:
	// resnet50-taso [1 64 56 56] 84
	// resnext50 [1 3 224 224] 86
	// nasneta [1 3 224 224] 437
	// nasrnn [1 512] 230
	// bert [64 1024] 113
}

func ExampleNames() {
	m, err := models.Build(models.Names()[0]+"-tiny", 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Name, m.Graph.Sizes(m.Inputs()[0].Out(0)))
	// Output: resnet50-taso-tiny [1 4 8 8]
}

func ExampleDescribe() {
	m, err := models.Build("vgg19", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	i := models.Describe(m)
	fmt.Println(i.Operators, i.Params, i.FLOPs)
	// Output: 46 143652544 39408740352
}

func ExampleVariants() {
	for _, v := range models.Variants("nasrnn") {
		m, err := models.Build(v.Name, 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(v.Name, models.Count(m.Graph, "matmul"), "products, by", v.Laws)
	}
	// Output:
	// nasrnn+gates 10 products, by [merge_products lift_sum part_of_part]
	// nasrnn+cell 5 products, by [sum_products merge_products part_of_part]
	// nasrnn+split 160 products, by [split_channels split_columns]
}
