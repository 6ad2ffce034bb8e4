package tasopb

// A RuleCollection is a whole file.
type RuleCollection struct {
	Rules   []Rule
	Unknown []byte // encoded fields that the schema does not name, in file order
}

// A Rule is a substitution of the source graph by the destination graph.
type Rule struct {
	SrcOps  []Operator // an operator's id is its index
	DstOps  []Operator
	Mapped  []MapOutput
	Unknown []byte
}

// An Operator is one node of a rule's side.
type Operator struct {
	Type    OpType
	Inputs  []Tensor
	Params  []Parameter // in file order
	Unknown []byte
}

// Param returns the value of a parameter, of the first one if there are several.
func (o *Operator) Param(key ParamKey) (value int32, ok bool) {
	for _, p := range o.Params {
		if p.Key == key {
			return p.Value, true
		}
	}
	return 0, false
}

// A Tensor names an output of an operator of the same side or, with OpID < 0, a
// variable of the rule (whose TsID is 0).
type Tensor struct {
	OpID    int32
	TsID    int32
	Unknown []byte
}

// A Parameter is an attribute of an operator. What a value means depends on the
// key: for ParamPad see Padding, for ParamActi see Activation.
type Parameter struct {
	Key     ParamKey
	Value   int32
	Unknown []byte
}

// A MapOutput says that tensor DstTsID of destination operator DstOpID replaces
// tensor SrcTsID of source operator SrcOpID.
type MapOutput struct {
	SrcOpID, DstOpID int32
	SrcTsID, DstTsID int32
	Unknown          []byte
}

func (c *RuleCollection) fields() ([]field, *[]byte) {
	return []field{{name: "rule", list: list[Rule, *Rule]{&c.Rules}, limit: MaxRules, place: "rule %d, "}}, &c.Unknown
}

func (r *Rule) fields() ([]field, *[]byte) {
	return []field{
		{name: "srcOp", list: list[Operator, *Operator]{&r.SrcOps}, limit: MaxOperators, place: "src operator %d, "},
		{name: "dstOp", list: list[Operator, *Operator]{&r.DstOps}, limit: MaxOperators, place: "dst operator %d, "},
		{name: "mappedOutput", list: list[MapOutput, *MapOutput]{&r.Mapped}, limit: MaxOutputs, place: "mappedOutput."},
	}, &r.Unknown
}

func (o *Operator) fields() ([]field, *[]byte) {
	return []field{
		{name: "type", number: (*int32)(&o.Type)},
		{name: "input", list: list[Tensor, *Tensor]{&o.Inputs}, limit: MaxInputs, place: "input."},
		{name: "para", list: list[Parameter, *Parameter]{&o.Params}, limit: MaxParams, place: "para."},
	}, &o.Unknown
}

func (t *Tensor) fields() ([]field, *[]byte) {
	return []field{{name: "opId", number: &t.OpID}, {name: "tsId", number: &t.TsID}}, &t.Unknown
}

func (p *Parameter) fields() ([]field, *[]byte) {
	return []field{{name: "key", number: (*int32)(&p.Key)}, {name: "value", number: &p.Value}}, &p.Unknown
}

func (m *MapOutput) fields() ([]field, *[]byte) {
	return []field{{name: "srcOpId", number: &m.SrcOpID}, {name: "dstOpId", number: &m.DstOpID},
		{name: "srcTsId", number: &m.SrcTsID}, {name: "dstTsId", number: &m.DstTsID}}, &m.Unknown
}

// Limits of the reader. The published file has 133 rules with a few operators a
// side; the limits keep what a hostile file can cost in bounds.
const (
	MaxBytes     = 256 << 20 // bytes of a file
	MaxRules     = 1 << 20   // rules of a file
	MaxOperators = 1 << 10   // operators of a side
	MaxInputs    = 1 << 10   // inputs of an operator
	MaxParams    = 1 << 8    // parameters of an operator
	MaxOutputs   = 1 << 10   // mapped outputs of a rule, and outputs of an operator
)
