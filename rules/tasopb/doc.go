// Package tasopb reads and writes the rule files of TASO, graph_subst.pb.
//
// Such a file is one protocol buffer message of this schema (proto2):
//
//	package GraphSubst;
//	message RuleCollection { repeated Rule rule = 1; }
//	message Rule {
//	  repeated Operator  srcOp        = 1;
//	  repeated Operator  dstOp        = 2;
//	  repeated MapOutput mappedOutput = 3;
//	}
//	message Operator {
//	  required int32     type  = 1;
//	  repeated Tensor    input = 2;
//	  repeated Parameter para  = 3;
//	}
//	message Tensor    { required int32 opId = 1; required int32 tsId = 2; }
//	message Parameter { required int32 key  = 1; required int32 value = 2; }
//	message MapOutput {
//	  required int32 srcOpId = 1; required int32 dstOpId = 2;
//	  required int32 srcTsId = 3; required int32 dstTsId = 4;
//	}
//
// Words. A rule rewrites the graph of its source operators into the graph of its
// destination operators. An operator's id is its position on its side, from 0,
// and its tensors are its outputs, numbered from 0. A tensor whose operator id is
// negative is a variable, an input of the rule; the same id is the same variable
// on both sides. Mapped outputs say which tensor of the destination replaces
// which tensor of the source. What an operator means is no matter of this
// package: splits, paddings and activations are translated by package rules.
//
// Beside the operators of TASO the package has names for the four of FlexFlow that cut
// tensors and put them together (OpPartition and the others), which other formats hold.
//
// Reading keeps everything: fields that the schema does not name are carried
// along and written back, so that Marshal(Unmarshal(x)) means what x means and
// is x byte for byte if x was written in the canonical form (fields in the order
// of their numbers, shortest numbers), as the published files are. The reader is
// made for hostile input: it never panics, allocates in proportion to the input,
// and its errors name the byte offset, the rule and the operator. What can be
// read may still make no sense as a rule; Validate lists all that is wrong.
//
// The format is that of Jia et al., "TASO: Optimizing Deep Learning Computation
// with Automatic Generation of Graph Substitutions", SOSP 2019, and its public
// sources.
package tasopb
