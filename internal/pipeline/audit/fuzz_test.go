package audit

import (
	"bytes"
	"testing"
)

// Whatever is in the file, it is read or there is one error, and what replays
// is a counterexample with everything in it.
func FuzzReplay(f *testing.F) {
	f.Add([]byte(`{"file": "x", "rules": []}`))
	f.Add([]byte(`[]`))
	f.Add([]byte(`{"rules": [{"name": "r", "counterexample": {"shapes": {"X": [2, 2]}, "inputs": {"X": ["1", "0", "0", "0"]},
 "lhs": "1", "rhs": "0", "law": "rule r\n given X : [n, n], Y : [n, n]\n then matmul(X, Y) == matmul(Y, X)\n",
 "witness": {"law": "r", "kind": "values", "dims": {"n": 2}, "inputs": [{"term": "X", "shape": [2, 2], "values": ["0", "1", "0", "0"]},
 {"term": "Y", "shape": [2, 2], "values": ["0", "0", "1", "0"]}], "output": 0, "cell": [0, 0], "left": "1", "right": "0"}}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := ReplayAll(bytes.NewReader(data), "file")
		if err != nil {
			if len(all) > 0 || err.Error() == "" {
				t.Errorf("%d replayed beside the error %q", len(all), err)
			}
			return
		}
		for _, r := range all {
			if r.Err == nil && (r.Witness == nil || r.Witness.String() == "") {
				t.Errorf("%s replays without a witness", r.Rule)
			}
		}
	})
}
