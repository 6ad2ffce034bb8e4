package theory

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/internal/golden"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/verify/check"
	"github.com/taso-go/taso/verify/sums"
)

// The embedded certificates are those that a search finds now; -update writes them.
func TestStored(t *testing.T) {
	k, err := Search(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := k.WriteCert(&b); err != nil {
		t.Fatal(err)
	}
	golden.Equal(t, "../../../rules/builtin/laws.cert", b.String())
}

// byMeaning are the laws of rules/builtin whose certificate is a proof from operator semantics,
// since the e-graph does not derive them from the axioms.
var byMeaning = []string{
	"enlarge_single", "enlarge_row", "enlarge_column", "lift_bias_channels", "lift_bias_images", "lift_batchnorm", "join_two",
	"merge_parted_products", "part_bias_columns", "join_bias_heads",
	"slice_bias_channels", "slice_bias_images", "slice_batchnorm",
	"gain_into_weights", "gain_into_rows", "share_keys", "share_keys_joined", "share_values", "sign_into_table",
	"add_zero", "subtract_zero", "divide_one", "maximum_maximum", "minimum_minimum", "clip_twice", "abs_twice", "floor_twice", "ceil_twice", "round_twice",
	"sign_twice", "norm_bias_channels", "norm_bias_signals", "norm_bias_columns", "norm_of_row", "norm_of_transposed", "norm_of_reshaped",
	"multiply_multiply_channels", "add_add_channels", "scale_conv", "scale_conv_bias", "scale_conv_number",
}

// Every law of rules/builtin has a certificate that the checker accepts, and Z3 where it
// is one from laws.
func TestBuiltin(t *testing.T) {
	rep, err := check.File(context.Background(), bytes.NewReader(builtin.Certificates()), storedFile, check.Options{Z3: true})
	if err != nil || len(rep.Rejected) > 0 {
		t.Fatal(err, rep)
	}
	k, err := Stored(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var meaning []string
	for _, l := range k.Builtin {
		switch {
		case l.Proof == nil:
			t.Errorf("law %s has no certificate", l.Law.Name)
		case l.Proof.Meaning != nil:
			meaning = append(meaning, l.Law.Name)
		}
	}
	if !slices.Equal(meaning, byMeaning) || rep.Meaning != len(byMeaning) {
		t.Errorf("%d laws by what operators compute: %q", rep.Meaning, meaning)
	}
	if n := rep.Lemmas + rep.Rules; n != len(k.Lemmas)+len(k.Builtin) {
		t.Errorf("%d laws have certificates", n)
	}
}

// Certificates that are broken, of other laws or of other axioms are refused.
func TestStoredRefused(t *testing.T) {
	good := string(builtin.Certificates())
	if _, err := readStored(context.Background(), []byte(good)); err != nil {
		t.Fatal(err)
	}
	cr, err := law.NewCertReader(strings.NewReader(good), storedFile)
	if err != nil {
		t.Fatal(err)
	}
	const yes, no = `then  ewadd(X, Y) == ewadd(Y, X)`, `then  ewadd(X, Y) == ewadd(Y, Y)`
	entry := regexp.MustCompile(`(?m)^.*"id":"smul_comm".*\n`).FindString(good)
	if entry == "" {
		t.Fatal("no lemma smul_comm")
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"nothing", good, "", "unexpected EOF"},
		{"cut off", good[len(good)/2:], "", "unexpected EOF"},
		{"a false axiom", yes, no, "the text has hash"},
		{"a false axiom with its hash", cr.AxiomsSHA256, law.HashText(strings.Replace(cr.Axioms, yes, no, 1)), "law ewadd_comm is no axiom of this program"},
		{"an axiom under another name", cr.AxiomsSHA256, law.HashText(strings.Replace(cr.Axioms, "axiom ewadd_comm", "axiom ewadd_comn", 1)), "law ewadd_comn is no axiom of this program"},
		{"a lemma as a rule", "lemma ", "rule ", "the law is written as rule"},
		{"a lemma is missing", entry, "", "smul_comm"},
		{"a lemma without its condition", `  where k < n\n`, ``, "concat_split"},
		{"a rule with equal sizes", `rule merge_products\n  given X : [m, k], V : [k, a], W : [k, b]`, `rule merge_products\n  given X : [m, k], V : [k, a], W : [k, a]`, "merge_products"},
		{"a rule of another order", `rule all_parts\n  given X : [P.., n, S..]`, `rule all_parts\n  given X : [Q.., n, S..]`, "all_parts"},
		{"a rule under another name", `"id":"merge_products"`, `"id":"merge_produces"`, "the law is named merge_products"},
		{"a rule that the program does not have", "merge_products", "merge_produces", "of which the program has"},
		{"another law in a proof", `"law":"slice_all"`, `"law":"slice_slice"`, "instance"},
		{"a law that is not there in a proof", `"law":"slice_all"`, `"law":"slice_none"`, `no axiom or proved lemma "slice_none"`},
	} {
		bad := strings.Replace(good, c.old, c.new, 1)
		if c.name == "a rule that the program does not have" {
			bad = strings.ReplaceAll(good, c.old, c.new)
		}
		if strings.HasSuffix(c.name, "with its hash") {
			bad = strings.Replace(bad, yes, no, 1)
		}
		if strings.HasPrefix(c.name, "an axiom under") {
			bad = strings.Replace(bad, "axiom ewadd_comm", "axiom ewadd_comn", 1)
		}
		if bad == good {
			t.Errorf("%s: the file does not have %q", c.name, c.old)
			continue
		}
		if _, err := readStored(context.Background(), []byte(bad)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: want an error with %q: %v", c.name, c.want, err)
		}
	}
}

// Each entry of the file stands for the law that it states and for no other: one with
// its sides exchanged, which is as true and has the same proof, is refused. The checker
// accepts the file in which all laws are exchanged; each law is refused alone.
func TestStoredLaws(t *testing.T) {
	good, err := accepted(context.Background(), builtin.Certificates())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := knownFrom(good); err != nil {
		t.Fatal(err)
	}
	k, err := readStored(context.Background(), builtin.Certificates()) // a copy, which is changed
	if err != nil {
		t.Fatal(err)
	}
	var exchanged []*law.Law // of the program
	for _, l := range slices.Concat(k.Lemmas, k.Builtin) {
		right := l.Law
		flipped := *right
		flipped.LHS, flipped.RHS = right.RHS, right.LHS
		if l.Proof == nil || right.OneWay {
			continue
		}
		if l.Proof.Meaning != nil {
			p, err := sums.Certify(context.Background(), &flipped)
			if err != nil || p == nil {
				t.Fatalf("%s with its sides exchanged has no proof: %v", right.Name, err)
			}
			l.Proof = &law.Proof{Meaning: p}
		}
		l.Law = &flipped
		exchanged = append(exchanged, right)
	}
	var b bytes.Buffer
	if err := k.WriteCert(&b); err != nil {
		t.Fatal(err)
	}
	bad, err := accepted(context.Background(), b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range exchanged {
		one := maps.Clone(good)
		one[l.Name] = bad[l.Name]
		if _, err := knownFrom(one); err == nil || !strings.Contains(err.Error(), "law "+l.Name+" is another one") {
			t.Errorf("%s with its sides exchanged: %v", l.Name, err)
		}
	}
	if len(exchanged) < 50 {
		t.Errorf("%d laws", len(exchanged))
	}
	if _, err := readStored(context.Background(), b.Bytes()); err == nil || !strings.Contains(err.Error(), "law "+exchanged[0].Name+" is another one") {
		t.Errorf("all with their sides exchanged: %v", err)
	}
}

func ExampleStored() {
	k, err := Stored(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	first := k.Builtin[0]
	fmt.Println(first.Law.Name, first.Proof.Laws())
	// Output: merge_products [matmul_slice_columns split_concat]
}
