package optimize

import "testing"

// The laws of the simplified candidate take operators away, or make one of several.
func TestSimplifying(t *testing.T) {
	laws, err := DefaultLaws(false)
	if err != nil {
		t.Fatal(err)
	}
	few, err := simplifying(laws)
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, l := range few {
		has[l.Name] = true
	}
	for name, want := range map[string]bool{
		"add_zero": true, "ewmul_one": true, "transpose_transpose": true, "neg_neg": true, "pad_conv": true, "fold_batchnorm": true,
		"matmul_ewadd": false, "matmul_concat_columns": false, "conv_concat_out": false, "ewadd_commutative": false,
		"reshape_join_join": false, "transpose_matmul": false,
	} {
		if has[name] != want {
			t.Errorf("law %s: %v, want %v", name, has[name], want)
		}
	}
}
