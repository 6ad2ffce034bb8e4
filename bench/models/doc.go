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
// [List] says what there is, [Build] makes a model. All batches are 1, elements
// are float32, images are [batch, channels, height, width]. Weights are random:
// uniform, with the spread that keeps activations in range (package model), and
// decided by the seed and the weight's name; they are drawn when they are loaded.
//
//	net.go       what the builders share: names, weights, operators
//	layers.go    convolution with bias or batch norm, pools, linear layers
//	resnet.go    ResNet-50 and ResNeXt-50        squeezenet.go  SqueezeNet 1.1
//	inception.go Inception-v3                    vgg.go         VGG-19
//	mobilenet.go MobileNet-v2                    nasnet.go      NasNet-A
//	nasrnn.go    NasRNN                          bert.go        BERT, as in papers and as published
//	recommend.go DLRM and MLP, to be trained
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
package models
