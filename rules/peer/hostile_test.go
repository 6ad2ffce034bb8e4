package peer_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taso-go/taso/internal/sweep"
	"github.com/taso-go/taso/rules/peer"
	"github.com/taso-go/taso/rules/tasopb"
)

// samples are small files of each format.
func samples(t testing.TB) map[peer.Format][]byte {
	relu := tasopb.Operator{Type: tasopb.OpRelu, Inputs: []tasopb.Tensor{{OpID: -1}}}
	pb := tasopb.RuleCollection{Rules: []tasopb.Rule{
		{SrcOps: []tasopb.Operator{relu}, DstOps: []tasopb.Operator{relu}, Mapped: []tasopb.MapOutput{{}}},
		{SrcOps: []tasopb.Operator{{Type: tasopb.OpMatmul, Inputs: []tasopb.Tensor{{OpID: -1}, {OpID: -2}}}}, DstOps: []tasopb.Operator{relu}, Mapped: []tasopb.MapOutput{{}}},
	}}
	half := "(relu ?x)=>(split_0 (split 1 (relu (concat 1 2 ?x ?y))))\n(relu ?y)=>(split_1 (split 1 (relu (concat 1 2 ?x ?y))))\n"
	return map[peer.Format][]byte{
		peer.TASO:        pb.Marshal(),
		peer.Verifier:    []byte("relu(input_1)==relu(relu(input_1))\nconv2d(1,1,0,0,input_7,Iconv(3,3))==input_7ewadd(input_7,input_8)==ewadd(input_8,input_7)\n"),
		peer.Tensat:      []byte("(relu ?x)=>(relu (relu ?x))\n(matmul 0 ?x (matmul 0 ?y ?z))=>(matmul 0 (matmul 0 ?x ?y) ?z)\n"),
		peer.TensatMulti: []byte(half + half),
		peer.FlexFlow: ffFile(t, []any{op("OP_RELU", nil, "-1"), op("OP_REDUCE", map[string]int{"PM_PARALLEL_DIM": 1}, "0")},
			[]any{op("OP_CONCAT", map[string]int{"PM_NUM_INPUTS": 2, "PM_AXIS": 1, "PM_NUMDIM": 3}, "-1", "-2")}, [4]int{1, 0, 0, 0}),
		peer.Text: []byte("# Same.\nrule a given X : [P..] then relu(relu(X)) == relu(X)\n\n# Sum.\nrule b given X : [n], Y : [n] then ewadd(X, Y) == ewadd(Y, X)\n"),
		peer.JSON: []byte(`{"format":"taso-rules/1","header":{},"rules":[{"id":"r_1","law":"rule r_1 given X : [n] then relu(X) == X","proof":[]}]}`),
	}
}

// clear checks an answer to hostile input: a file whose rules are complete, or
// one clear line.
func clear(f *peer.File, err error) error {
	if err != nil {
		var e *peer.Error
		text := err.Error()
		if !errors.As(err, &e) || f != nil || strings.ContainsAny(text, "\n\r") || !strings.HasPrefix(text, "f") || len(text) > 2*peer.MaxSource {
			return fmt.Errorf("not one clear line: %q", text)
		}
		return nil
	}
	for i := range f.Rules {
		r := &f.Rules[i]
		kinds := 0
		for _, is := range []bool{r.TASO != nil, r.Law != nil, r.Fault != nil} {
			if is {
				kinds++
			}
		}
		switch {
		case kinds != 1:
			return fmt.Errorf("rule %d: %d of graph, law and fault", i, kinds)
		case r.Source == "" || len(r.Source) > peer.MaxSource || strings.ContainsAny(r.Source, "\n\r"):
			return fmt.Errorf("rule %d: source %q", i, r.Source)
		case r.Name == "" || r.Index != i:
			return fmt.Errorf("rule %d: index %d, name %q", i, r.Index, r.Name)
		case r.Fault != nil && (r.Fault.Err == nil || strings.ContainsAny(r.Fault.Error(), "\n\r")):
			return fmt.Errorf("rule %d: fault %v", i, r.Fault.Err)
		case r.TASO != nil && r.TASO.String() == "":
			return fmt.Errorf("rule %d: no text", i)
		}
	}
	return nil
}

// Truncated files, files with single bits flipped, and each file read as every
// other format.
func TestHostileSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for format, data := range samples(t) {
		if f, err := peer.Read("f", data, ""); err != nil || f.Format != format {
			t.Errorf("%s: %v, %v", format, f, err)
		}
		check := func(what string, data []byte, as peer.Format) {
			f, err := peer.Read("f", data, as)
			if bad := clear(f, err); bad != nil {
				t.Errorf("%s as %q, %s: %v", format, as, what, bad)
			}
		}
		for n := range data {
			check(fmt.Sprintf("first %d bytes", n), data[:n], format)
			check(fmt.Sprintf("first %d bytes", n), data[:n], "")
		}
		for range 2000 {
			flipped := bytes.Clone(data)
			bit := rng.IntN(8 * len(data))
			flipped[bit/8] ^= 1 << (bit % 8)
			check(fmt.Sprintf("bit %d flipped", bit), flipped, format)
			check(fmt.Sprintf("bit %d flipped", bit), flipped, "")
		}
		for _, other := range peer.Formats {
			check("whole", data, other)
			pairs := map[peer.Format]bool{peer.Tensat: true, peer.TensatMulti: true}
			if f, err := peer.Read("f", data, other); err == nil && other != format && !(pairs[other] && pairs[format]) {
				t.Errorf("%s is read as %s: %d rules", format, other, len(f.Rules))
			}
		}
	}
	for _, format := range append([]peer.Format{""}, peer.Formats...) {
		for _, data := range []string{"", " ", "\n\n", "\xff", "\x00", "(", ")", "=", "==", "=>", "{", "[", "{}", "[]", "null", `"`, "\ufeff", "0", "-", "?", "relu"} {
			f, err := peer.Read("f", []byte(data), format)
			if err == nil {
				t.Errorf("%q as %q: %d rules", data, format, len(f.Rules))
			} else if bad := clear(f, err); bad != nil {
				t.Errorf("%q as %q: %v", data, format, bad)
			}
		}
	}
	if _, err := peer.Read("f", []byte("x"), "yaml"); err == nil || !strings.Contains(err.Error(), `f: unknown format "yaml"; want one of taso, `) {
		t.Error(err)
	}
}

// What the first faults of files are called.
func TestErrors(t *testing.T) {
	deep := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	for _, c := range []struct {
		format peer.Format
		text   string
		want   string
	}{
		{peer.Verifier, "relu(input_1)=relu(input_1)", `f:1:14: found '='; want ==`},
		{peer.Verifier, "relu(input_1)==relu(input_1)\n relu(input_2)==relu(", `f:2:22: found the end of the file; want a term`},
		{peer.Verifier, "relu(input_1;input_2)==x", `f:1:13: found ';'; want , or )`},
		{peer.Verifier, deep("relu(", "x", ")", 300) + "==x", `f:1:1006: too large: terms nested more than 200 deep`},
		{peer.Verifier, strings.Repeat("a", 300) + "==x", `f:1:1: too large: a name of 300 bytes, at most 256`},
		{peer.Verifier, "concat(" + strings.Repeat("x,", 5000) + "x)==x", `f:1:8198: too large: a rule of more than 4096 names and numbers`},
		{peer.Verifier, "relu(x)==\xc3(", `f:1:10: byte 0xc3 is not UTF-8`},
		{peer.Tensat, "(relu ?x)=>(relu ?x", `f:1:20: found the end of the file; want a term`},
		{peer.Tensat, "(relu ?x)=(relu ?x)", `f:1:10: found '='; want =>`},
		{peer.Tensat, "(relu ?x)=>(relu é)", `f:1:18: found 'é'; want a term`},
		{peer.Tensat, deep("(relu ", "?x", ")", 300) + "=>?x", `f:1:1207: too large: terms nested more than 200 deep`},
		{peer.FlexFlow, "[]", `f:1:2: JSON: expected {, found "["`},
		{peer.FlexFlow, `{"a":1}`, `f: JSON without "rule", FlexFlow's list of rules`},
		{peer.FlexFlow, `{"rule":{}}`, `f:1:10: JSON: expected [, found "{"`},
		{peer.FlexFlow, `{"rule":[{},` + "\n" + ` {"srcOp":[]}`, `f:2:14: JSON: the file ends within the JSON document`},
		{peer.FlexFlow, `{"rule":[],` + "\n" + `"rule":[]}`, `f:2:7: JSON: "rule" stands twice`},
		{peer.FlexFlow, `{"rule":[]} x`, `f:1:13: JSON: more after the document`},
		{peer.FlexFlow, `{"rule":[{},,{}]}`, `f:1:13: JSON: invalid character ',' looking for beginning of value, in rule 1`},
		{peer.FlexFlow, `{"rule":[` + deep("[", "", "]", 20000) + `]}`, `f:1:10010: JSON: invalid character '[' exceeded max depth, in rule 0`},
		{peer.FlexFlow, `{"rule":[{"a":1},` + "\n" + ` {"b" 2}]}`, `f:2:7: JSON: invalid character '2' after object key, in rule 1`},
		{peer.FlexFlow, `{"x":[1,2],` + "\n" + ` "rule"`, `f:2:8: JSON: the file ends within the JSON document`},
		{peer.FlexFlow, `{"x":tru,"rule":[]}`, `f:1:9: JSON: invalid character ',' in literal true (expecting 'e')`},
		{peer.FlexFlow, `{"x" "y"}`, `f:1:6: JSON: expected colon after object key`},
		{peer.JSON, `{"rules":[]}`, `f: format "", want "taso-rules/1"`},
		{peer.JSON, `{"format":"taso-rules/1"}`, `f: JSON without "rules"`},
		{peer.JSON, `{"format":7,"rules":[]}`, `f:1:12: JSON: format: json: cannot unmarshal number into Go value of type string`},
		{peer.Text, "hello\naxiom", `f:1:1: found "hello", want axiom, lemma, rule, refute, section or op (and 1 more)`},
		{peer.TASO, "relu(x)==x", `f: byte 0, field 14: the data ends within a field`},
		{peer.TASO, "\n\x05", `f: byte 0, rule: the data ends within a field: it says 5 bytes, 0 are left`},
	} {
		_, err := peer.Read("f", []byte(c.text), c.format)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s %.60q:\n%v\nwant\n%s", c.format, c.text, err, c.want)
		}
	}
}

// Files of many bytes are refused at once; those just below the limit are read
// in memory in proportion.
func TestHostileLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("files of 16 to 100 MB")
	}
	const mib = 1 << 20
	fill := func(prefix, unit, suffix string, n int) []byte {
		return slices.Concat([]byte(prefix), bytes.Repeat([]byte(unit), (n-len(prefix)-len(suffix))/len(unit)), []byte(suffix))
	}
	text := fill("", "relu(x)==x\n", "", 100*mib)
	for _, c := range []struct {
		name   string
		data   []byte
		format peer.Format
		want   string // in the error, or "" if the file is read
		factor uint64 // bytes allocated, garbage included, for each byte of the file
	}{
		{"100 MB of text", text, "", "too large: ", 1},
		{"100 MB of text, named", text, peer.Verifier, "too large: ", 1},
		{"100 MB of zeros", make([]byte, 100*mib), "", "too large: ", 1},
		{"17 MB of a format of others", text[:17*mib], "", "at most 16777216", 1},
		{"spaces", fill("", " ", "", peer.MaxBytes), peer.Tensat, "the file is empty", 2},
		{"a name", fill("", "a", "==x", peer.MaxBytes), "", "no known format", 2},
		{"a name, format given", fill("", "a", "==x", peer.MaxBytes), peer.Verifier, "too large: a name", 2},
		{"a number", fill("smul(x,", "9", ")==x", peer.MaxBytes), peer.Verifier, "too large: a name", 2},
		{"arguments", fill("concat(x", ",x", ")==x", peer.MaxBytes), peer.Verifier, "too large: a rule", 2},
		{"depth", fill("", "(relu ", "", peer.MaxBytes), "", "nested more than", 2},
		{"equations in one line", fill("", "matmul(input_1,relu(input_2))==relu(relu(input_12))", "", peer.MaxBytes), "", "too large: more than 131072 rules", 60},
		{"s-expressions", fill("", "(conv2d 1 1 0 0 (relu ?input_1) ?input_2)=>(conv2d 1 1 0 0 ?input_1 (enlarge 3 3 ?input_2))\n", "", peer.MaxBytes/sweep.Size(8, 2)), "", "", 80},
		{"JSON rules", fill(`{"rule":[{}`, ",{}", "]}", peer.MaxBytes), "", "too large: more than", 120},
		{"JSON nesting", fill(`{"rule":[`, "[", "", peer.MaxBytes), "", "max depth", 6},
		{"JSON string", fill(`{"rule":["`, "x", `"]}`, peer.MaxBytes), "", "", 12},
		{"empty rules", fill("", "\n\x00", "", peer.MaxBytes), peer.TASO, "too large", 60},
		{"faulty laws", fill("", "rule a\n", "", peer.MaxOwnBytes), peer.Text, "and 99 more", 12},
		{"laws over nothing", fill("", "rule a then X=>X\n", "", peer.MaxOwnBytes), peer.Text, "too many more faults", 12},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		f, err := peer.Read("f", c.data, c.format)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if bad := clear(f, err); bad != nil {
			t.Errorf("%s: %v", c.name, bad)
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
		if a := (after.TotalAlloc - before.TotalAlloc) / uint64(len(c.data)); a > c.factor {
			t.Errorf("%s: %d bytes allocated for each byte, at most %d", c.name, a, c.factor)
		} else {
			t.Logf("%s: %v, %d bytes allocated for each byte; %.100v", c.name, took, a, err)
		}
	}
}
