// Package models builds the networks on which papers measured graph
// optimizers, in their exact dimensions, and the networks as published that
// they stand for.
//
// Words. A *paper graph* is what an optimizer's own artifact builds: often
// without biases, normalization or classifier, with activations fused into
// convolutions, and sometimes with slips of its own, which are kept and named in
// [Info.Doc]. A *full* network is the published one, as it is used for inference:
// its parameters agree with published counts to the unit. A *tiny* variant has
// the same nodes and edges and small sizes, so that an interpreter can run it. A
// *rewritten form*, such as bert+qkv, computes what its model does by other
// operators: what optimizers of graphs make of it, or the reverse of that. It
// is made from the model by uses of the laws in rules/builtin/networks.rules, which are proved;
// the checker of certificates accepts each step. The weights of the form are
// computed from the model's when they are loaded. [Variants] lists the forms. They
// are there to ask whether costs put the forms of a model in the right order.
//
// Networks *to be trained* ([ListFurther]) are those that papers lay out over devices, with
// the batches of the papers and, for families, in all their sizes; [BuildNetwork] makes
// them with another batch, and says which nodes are which of the repeated *layers*.
// [Suites] lists models and batches by paper. Their tiny variants have fewer layers, too.
//
// [List] says what there is, [Build] makes a model. Where nothing else is said batches are
// 1 and elements float32; images are [batch, channels, height, width]. In transformers the
// vectors of all positions of all samples are the rows of one matrix, [samples *
// positions, hidden], so that axis 0 is dealt out by samples everywhere; only where
// positions look at each other there are axes [samples, heads, positions, ...].
// Weights are random:
// uniform, with the spread that keeps activations in range (package model), and
// decided by the seed and the weight's name; they are drawn when they are loaded.
//
//	net.go       what the builders share: names, weights, operators
//	layers.go    convolution with bias or batch norm, pools, linear layers
//	resnet.go    ResNet-50 and ResNeXt-50        squeezenet.go  SqueezeNet 1.1
//	inception.go Inception-v3                    vgg.go         VGG-19
//	mobilenet.go MobileNet-v2                    nasnet.go      NasNet-A
//	nasrnn.go    NasRNN                          bert.go        BERT, as in papers and as published
//	recommend.go DLRM, XDL and MLP               candle.go      CANDLE-Uno
//	language.go  GPT, and GShard's experts       recurrent.go   text classes, next words, translation
//	alexnet.go   AlexNet                         modal.go       a transformer with branches
//	trained.go   the list of those to be trained suites.go      what each paper measures
//	network.go   models by name and batch, their layers
//	variants.go  the rewritten forms             forms.go       the laws that make each, phase by phase
//	places.go    where a phase uses its laws     derivation.go  laws used in a bank until none can be
//	derive.go    weights computed from weights
//
// Sources. The paper graphs follow the public builders of TASO (Jia et al., SOSP
// 2019; github.com/jiazhihao/TASO, examples) and Tensat (Yang et al., MLSys 2021;
// github.com/uwplse/tensat, model and src). The rewritten forms are those of these two papers and of MetaFlow
// (Jia et al., Optimizing DNN Computation with Relaxed Graph Substitutions, MLSys
// 2019). The networks are those of
//
//   - He, Zhang, Ren and Sun, Deep Residual Learning for Image Recognition (CVPR 2016)
//   - Xie, Girshick, Dollár, Tu and He, Aggregated Residual Transformations for
//     Deep Neural Networks (CVPR 2017)
//   - Szegedy et al., Rethinking the Inception Architecture for Computer Vision (CVPR 2016)
//   - Iandola et al., SqueezeNet (2016)
//   - Simonyan and Zisserman, Very Deep Convolutional Networks for Large-Scale
//     Image Recognition (ICLR 2015)
//   - Sandler et al., MobileNetV2: Inverted Residuals and Linear Bottlenecks (CVPR 2018)
//   - Zoph, Vasudevan, Shlens and Le, Learning Transferable Architectures for
//     Scalable Image Recognition (CVPR 2018)
//   - Zoph and Le, Neural Architecture Search with Reinforcement Learning (ICLR 2017)
//   - Devlin, Chang, Lee and Toutanova, BERT (NAACL 2019)
//
// Those to be trained are of Unity (Unger et al., OSDI 2022) and FlexFlow (Jia, Zaharia
// and Aiken, MLSys 2019), in dimensions of FlexFlow's public examples
// (github.com/flexflow/FlexFlow, examples/cpp and nmt), of Alpa (Zheng et al., OSDI 2022),
// in those of its artifact (github.com/alpa-projects/alpa, benchmark), and of GraphPipe
// (Jeon et al., ASPLOS 2025). Beside the networks above they are those of
//
//   - Krizhevsky, One weird trick for parallelizing convolutional neural networks (arXiv 1404.5997)
//   - Zagoruyko and Komodakis, Wide Residual Networks (BMVC 2016)
//   - Radford et al., Language Models are Unsupervised Multitask Learners (2019)
//   - Lepikhin et al., GShard (ICLR 2021)
//   - Hochreiter and Schmidhuber, Long Short-Term Memory (Neural Computation, 1997)
//   - Luong, Pham and Manning, Effective Approaches to Attention-based Neural Machine
//     Translation (EMNLP 2015)
//   - Naumov et al., Deep Learning Recommendation Model (arXiv 1906.00091)
package models
