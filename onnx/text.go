package onnx

import "strconv"

// producer is what files written by this package say of their origin.
const producer = "taso"

// note begins the doc_string of nodes and weights that carry a note.
const note = "taso: "

// shortest is the float64 that is written like x: attributes are float32, and
// 0.1 should not become 0.10000000149011612.
func shortest(x float32) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(float64(x), 'g', -1, 32), 64)
	if err != nil {
		return float64(x) // infinite
	}
	return y
}
