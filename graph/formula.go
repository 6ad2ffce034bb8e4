package graph

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
)

// Formula is a function of one element written out, so that programs in other
// languages can be made from it, see [Op.Formula]. In text it is an expression of
// Go's syntax in x and the names of the operator's parameters:
//
//	x / 2 * (1 + erf(x / 1.4142135623730951))    where(x < 0, alpha * x, x)
//
// where(c, a, b) is a where c holds and else b; min and max are not a number where
// an operand is not.
type Formula struct {
	// Op is "x", "number", "param", one of + - * / < > ==, "neg", "where", "max", "min",
	// or a function of C's library that is also one of package math: see formulaCalls.
	Op     string
	Number float64 // of a "number"
	Param  int     // of a "param", its position
	Args   []*Formula
}

// formulaArgs is the number of operands of each operation, but for x, numbers and
// parameters.
var formulaArgs = map[string]int{
	"+": 2, "-": 2, "*": 2, "/": 2, "<": 2, ">": 2, "==": 2, "neg": 1, "where": 3, "max": 2, "min": 2,
}

// formulaCalls are the functions of formulas, by their names in package math but for
// those that C names otherwise: rint rounds to the nearest integer, and to the even one
// of two.
var formulaCalls = map[string]func(float64) float64{
	"abs": math.Abs, "erf": math.Erf, "exp": math.Exp, "expm1": math.Expm1, "log": math.Log, "sqrt": math.Sqrt, "tanh": math.Tanh,
	"sin": math.Sin, "cos": math.Cos, "tan": math.Tan, "asin": math.Asin, "acos": math.Acos, "atan": math.Atan,
	"sinh": math.Sinh, "cosh": math.Cosh, "asinh": math.Asinh, "acosh": math.Acosh, "atanh": math.Atanh,
	"floor": math.Floor, "ceil": math.Ceil, "rint": math.RoundToEven,
}

func init() {
	for name := range formulaCalls {
		formulaArgs[name] = 1
	}
}

// ParseFormula reads [Op.Formula] of a function of one element.
func (op *Op) ParseFormula() (*Formula, error) {
	e, err := parser.ParseExpr(op.Formula)
	if err != nil {
		return nil, fmt.Errorf("operator %s: formula %q: %w", op.Name, op.Formula, err)
	}
	f, err := op.formula(e)
	if err != nil {
		return nil, fmt.Errorf("operator %s: formula %q: %w", op.Name, op.Formula, err)
	}
	return f, nil
}

func (op *Op) formula(e ast.Expr) (*Formula, error) {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return op.formula(e.X)
	case *ast.BasicLit:
		x, err := strconv.ParseFloat(e.Value, 64)
		return &Formula{Op: "number", Number: x}, err
	case *ast.Ident:
		if e.Name == "x" {
			return &Formula{Op: "x"}, nil
		}
		if i := op.ParamIndex(e.Name); i >= 0 {
			return &Formula{Op: "param", Param: i}, nil
		}
		return nil, fmt.Errorf("%s is no parameter", e.Name)
	case *ast.UnaryExpr:
		if e.Op == token.SUB {
			return op.operation("neg", e.X)
		}
	case *ast.BinaryExpr:
		return op.operation(e.Op.String(), e.X, e.Y)
	case *ast.CallExpr:
		if name, ok := e.Fun.(*ast.Ident); ok {
			return op.operation(name.Name, e.Args...)
		}
	}
	return nil, fmt.Errorf("it is no expression of a function of one element")
}

func (op *Op) operation(name string, args ...ast.Expr) (*Formula, error) {
	if n, ok := formulaArgs[name]; !ok || n != len(args) {
		return nil, fmt.Errorf("%s of %d operands is not known", name, len(args))
	}
	f := &Formula{Op: name}
	for _, a := range args {
		g, err := op.formula(a)
		if err != nil {
			return nil, err
		}
		f.Args = append(f.Args, g)
	}
	return f, nil
}

// Eval is the value at x, in float64 arithmetic; a comparison is 1 where it holds and
// else 0.
func (f *Formula) Eval(x float64, params []float64) float64 {
	switch f.Op {
	case "x":
		return x
	case "number":
		return f.Number
	case "param":
		return params[f.Param]
	case "where":
		if f.Args[0].Eval(x, params) != 0 {
			return f.Args[1].Eval(x, params)
		}
		return f.Args[2].Eval(x, params)
	}
	a := f.Args[0].Eval(x, params)
	b := 0.0
	if len(f.Args) > 1 {
		b = f.Args[1].Eval(x, params)
	}
	truth := map[bool]float64{true: 1}
	switch f.Op {
	case "+":
		return a + b
	case "-":
		return a - b
	case "*":
		return a * b
	case "/":
		return a / b
	case "<":
		return truth[a < b]
	case ">":
		return truth[a > b]
	case "==":
		return truth[a == b]
	case "neg":
		return -a
	case "max":
		return max(a, b)
	case "min":
		return min(a, b)
	}
	return formulaCalls[f.Op](a)
}
