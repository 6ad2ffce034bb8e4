package onnx

import (
	"bytes"
	"testing"

	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// hashOf is the hash of a node of an operator set, which reads the values of outside
// that it captures.
func hashOf(n *onnxpb.NodeProto, opset int64, domains map[string]int64, captured ...string) []byte {
	o := &Opaque{Node: n, Captured: captured, Opset: opset, Domains: domains}
	o.seal()
	return o.Hash()
}

func plainNode(op string, in ...string) *onnxpb.NodeProto {
	return &onnxpb.NodeProto{OpType: proto.String(op), Input: in, Output: []string{"out"}}
}

// An operator's name says what a node computes only with its operator set: Hardmax
// of a cube is that of its rows since set 13, and that of its planes before.
func TestOpaqueHashForms(t *testing.T) {
	old, young := hashOf(plainNode("Hardmax", "x"), 11, nil), hashOf(plainNode("Hardmax", "x"), 13, nil)
	if bytes.Equal(old, young) {
		t.Error("Hardmax of operator sets 11 and 13 is taken for the same")
	}
	if !bytes.Equal(young, hashOf(plainNode("Hardmax", "y"), 17, nil)) {
		t.Error("Hardmax of operator sets 13 and 17, which is the same, is not taken for the same")
	}
	inside := func(opset int64) []byte {
		n := plainNode("Loop", "x")
		n.Attribute = []*onnxpb.AttributeProto{{Name: proto.String("body"), G: &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{plainNode("Hardmax", "x")}}}}
		return hashOf(n, opset, nil)
	}
	if bytes.Equal(inside(11), inside(13)) {
		t.Error("a loop over Hardmax of operator sets 11 and 13 is taken for the same")
	}
	custom := plainNode("Own", "x")
	custom.Domain = proto.String("com.example")
	if bytes.Equal(hashOf(custom, 13, map[string]int64{"com.example": 1}), hashOf(custom, 13, map[string]int64{"com.example": 2})) {
		t.Error("operators of two versions of a domain are taken for the same")
	}
}

// Values from outside are told from those within, whatever the names are.
func TestOpaqueHashCaptured(t *testing.T) {
	body := func(outside string, left string) *onnxpb.NodeProto {
		n := plainNode("If", "c")
		inner := "captured 0"
		relu, add := plainNode("Relu", outside), plainNode("Add", left, inner)
		relu.Output, add.Output = []string{inner}, []string{"sum"}
		g := &onnxpb.GraphProto{Node: []*onnxpb.NodeProto{relu, add}, Output: []*onnxpb.ValueInfoProto{{Name: proto.String("sum")}}}
		n.Attribute = []*onnxpb.AttributeProto{{Name: proto.String("then_branch"), G: g}}
		return n
	}
	a := hashOf(body("a", "a"), 17, nil, "a")          // a + relu(a)
	b := hashOf(body("a", "captured 0"), 17, nil, "a") // relu(a) + relu(a)
	if bytes.Equal(a, b) {
		t.Error("a value from outside is taken for one within")
	}
}
