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

func ExampleBuildNetwork() {
	n, err := models.BuildNetwork("gpt-2.6b", models.Options{Batch: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	layer := n.Layers[31]
	fmt.Println(n.Name, n.Graph.Type(n.Inputs()[0].Out(0)), len(n.Layers), "layers")
	fmt.Println(layer.Name, len(layer.Nodes), "operators, from", n.Graph.Name(layer.Nodes[0]))
	// Output:
	// gpt-2.6b int64[8, 1024] 32 layers
	// layer31 39 operators, from layer31_mask
}

func ExampleBatched() {
	fmt.Println(models.Batched("resnet50"), models.Batched("resnet50+fold"), models.Batched("vgg19"))
	// Output: true false false
}

func ExampleListFurther() {
	for _, i := range models.ListFurther()[:3] {
		fmt.Println(i.Name, i.Batch, i.Operators, i.Learned)
	}
	// Output:
	// dlrm 1024 75 2064792577
	// mlp 256 65 956432384
	// xdl 1024 13 256131584
}

func ExampleSuites() {
	for _, s := range models.Suites() {
		fmt.Println(s.Paper, len(s.Runs), s.Runs[0])
	}
	// Output:
	// Unity (Unger et al., OSDI 2022) 7 {bert-large-512 4 0}
	// Alpa (Zheng et al., OSDI 2022) 21 {gpt-350m 1024 1}
	// FlexFlow (Jia, Zaharia and Aiken, MLSys 2019) 6 {alexnet 64 0}
	// GraphPipe (Jeon et al., ASPLOS 2025) 2 {mmt 64 0}
}

func ExampleFurther() {
	n, err := models.BuildNetwork(models.Further()[0]+"-tiny", models.Options{Batch: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(n.Name, n.Graph.Sizes(n.Inputs()[0].Out(0)))
	// Output: dlrm-tiny [3 5]
}
