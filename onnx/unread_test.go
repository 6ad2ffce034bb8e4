package onnx

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/onnx/onnxpb"
	"google.golang.org/protobuf/proto"
)

// TestUnread: an output that has a name, and that nobody reads, asks nothing of a reader;
// one that is read does.
func TestUnread(t *testing.T) {
	for _, c := range []struct {
		op    string
		opset int64
		outs  []string
		kept  bool
	}{
		{"Dropout", 7, []string{"d", "mask"}, false},
		{"Dropout", 9, []string{"d", "mask"}, false},
		{"Dropout", 11, []string{"d", "read"}, true},
		{"Dropout", 13, []string{"d", "mask"}, false},
		{"Dropout", 22, []string{"d", "mask"}, false},
		{"Unheard", 13, []string{"d", "mask"}, true},
	} {
		m := small()
		m.OpsetImport[0].Version = proto.Int64(c.opset)
		m.Graph.Node = []*onnxpb.NodeProto{node(c.op, []string{"x"}, c.outs), node("Relu", []string{"d"}, []string{"z"})}
		if c.outs[1] == "read" {
			m.Graph.Output = append(m.Graph.Output, &onnxpb.ValueInfoProto{Name: proto.String("read"), Type: valueInfo("read", graph.TensorType{DType: graph.Bool, Sizes: []int{2, 3}}).Type})
		}
		m.Graph.ValueInfo = []*onnxpb.ValueInfoProto{float32Info("d", 2, 3)}
		got, r, err := Read(put(t, marshal(t, m)), ReadOptions{})
		if err != nil {
			t.Errorf("%s %d: %v", c.op, c.opset, err)
			continue
		}
		if (len(r.Opaque) > 0) != c.kept || c.op == "Dropout" && !c.kept && !strings.HasSuffix(got.Graph.String(), "z = relu(x)\nreturn z\n") {
			t.Errorf("%s %d: opaque %v\n%s", c.op, c.opset, r.Opaque, got.Graph)
		}
		if c.op == "Dropout" && c.kept {
			continue // in the operator set that is written, its mask is another
		}
		_, back := reread(t, got, WriteOptions{})
		sameGraph(t, back.Graph, got.Graph)
	}
}
