package hostile

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Certificates are certificate files about the axioms with this text and hash.
func Certificates(axioms, hash string) []Input {
	l := &list{ext: ".cert"}
	text := func(s string) string {
		b, _ := json.Marshal(s)
		return string(b)
	}
	file := func(lemmas, rules string) string {
		return `{"format":"taso-cert/2","axioms_sha256":"` + hash + `","axioms":` + text(axioms) + `,"lemmas":[` + lemmas + `],"rules":[` + rules + `]}`
	}
	entry := func(nodes, law, proof string) string {
		return `{"id":"l_1","nodes":[` + nodes + `],"law":` + text(law) + `,` + proof + `}`
	}
	quoted := func(n int, f func(i int) string) string {
		return each(n, ",", func(i int) string { return text(f(i)) })
	}
	none := `"proof":[]`
	meaning := func(numbers string) string { return `"meaning":[` + numbers + `]` }
	// A rule is named by its content, and refused early where it is not; a lemma has any name.
	one := func(name, nodes, law, proof string) { l.add(name, file(entry(nodes, law, proof), "")) }
	four := each(4, ", ", func(i int) string { return sum(string(rune('a'+i)), 60) })
	one("products of sums", quoted(4, func(i int) string {
		return []string{"X", "combine[axis=0](0)", "combine[axis=0](1)", "combine[axis=0](2)"}[i]
	}), "lemma l_1 given X : ["+four+"] then 3 == 3", none)
	one("three products of sums by meaning", quoted(10, func(i int) string {
		if i == 0 {
			return "X"
		}
		if i%3 == 1 {
			return "combine[axis=0](0)"
		}
		return fmt.Sprintf("combine[axis=0](%d)", i-1)
	}), "lemma l_1 given X : ["+four+"] then 3 == 6", meaning("1,1,1,1,0,1,0"))
	one("sizes of an instance are sums", `"X","relu(0)"`, "lemma l_1 given X : [n] then 1 == 1",
		`"proof":[`+each(200, ",", func(i int) string {
			return `{"law":"relu_relu","tensors":{"X":0},"runs":{"P":"[` + four + `]"}}`
		})+`]`)
	one("100,000 nodes in a chain", quoted(100_000, func(i int) string {
		if i == 0 {
			return "X"
		}
		return fmt.Sprintf("relu(%d)", i-1)
	}), "lemma l_1 given X : [n] then 99999 == 99999", none)
	one("60 doublings", quoted(61, func(i int) string {
		if i == 0 {
			return "X"
		}
		return fmt.Sprintf("ewadd(%d, %d)", i-1, i-1)
	}), "lemma l_1 given X : [n] then 60 == 60", none)
	one("60 doublings by meaning", quoted(61, func(i int) string {
		if i == 0 {
			return "X"
		}
		return fmt.Sprintf("ewmul(%d, %d)", i-1, i-1)
	}), "lemma l_1 given X : [n] then 60 == 60", meaning("1,1,1,1,0,1,0"))
	one("60 doublings of a concatenation", quoted(61, func(i int) string {
		if i == 0 {
			return "X"
		}
		return fmt.Sprintf("concat[axis=0](%d, %d)", i-1, i-1)
	}), "lemma l_1 given X : [n] then 60 == 60", meaning("1,1,1,1,0,1,0"))
	one("node that is its own operand", `"X","relu(1)"`, "lemma l_1 given X : [n] then 1 == 1", none)
	one("node that reads one behind it", `"X","relu(2)","relu(1)"`, "lemma l_1 given X : [n] then 1 == 2", none)
	one("node number of 400 digits", `"X","relu(`+strings.Repeat("9", 400)+`)"`, "lemma l_1 given X : [n] then 1 == 1", none)
	one("negative node", `"X","relu(-1)"`, "lemma l_1 given X : [n] then 1 == 1", none)
	one("no nodes", "", "lemma l_1 given X : [n] then 0 == 0", none)
	one("100,000 instances", `"X","relu(0)","relu(1)"`, "lemma l_1 given X : [n] then 1 == 2",
		`"proof":[`+each(100_000, ",", func(int) string { return `{"law":"relu_relu","tensors":{"X":0},"runs":{"P":"[n]"}}` })+`]`)
	one("instance of an unknown law", `"X"`, "lemma l_1 given X : [n] then 0 == 0", `"proof":[{"law":"magic"}]`)
	one("instance with a term of 900 levels", `"X"`, "lemma l_1 given X : [n] then 0 == 0",
		`"proof":[{"law":"relu_relu","tensors":{"X":0},"runs":{"P":"[`+strings.Repeat("n*", 15)+`n]"}}]`)
	one("a million numbers of a meaning", `"X","relu(0)"`, "lemma l_1 given X : [n] then 1 == 1", meaning(strings.Repeat("1,", 1_000_000)+"0"))
	one("huge numbers of a meaning", `"X","relu(0)","relu(1)"`, "lemma l_1 given X : [n] then 1 == 2", meaning("9223372036854775807,9223372036854775807,1,1"))
	one("negative numbers of a meaning", `"X","relu(0)","relu(1)"`, "lemma l_1 given X : [n] then 1 == 2", meaning("-9223372036854775808,-1,-1"))
	one("number of a meaning with a point", `"X"`, "lemma l_1 given X : [n] then 0 == 0", meaning("1.5"))
	one("number of a meaning beyond 63 bits", `"X"`, "lemma l_1 given X : [n] then 0 == 0", meaning("1e300"))
	one("null for a meaning", `"X"`, "lemma l_1 given X : [n] then 0 == 0", `"meaning":[null]`)
	one("rank 32 transposed by meaning", `"X",`+text("transpose[perm=("+each(32, ", ", func(i int) string { return fmt.Sprint(31 - i) })+")](0)"),
		"lemma l_1 given X : ["+each(32, ", ", func(i int) string { return fmt.Sprint("n", i) })+"] then 1 == 1", meaning("1,1,1,1,0,1,0"))
	one("40 pools by meaning", quoted(41, func(i int) string {
		if i == 0 {
			return "X"
		}
		return fmt.Sprintf("maxpool[kh=9, kw=9, stride=(1, 1), pad=same_upper](%d)", i-1)
	}), "lemma l_1 given X : [b, c, h, w] then 40 == 40", meaning("1,1,1,1,0,1,0"))
	one("law that says something else", `"X"`, "lemma l_1 given X : [n], Y : [n] then 0 == 0 lemma l_2 given X : [n] then 0 == 0", none)
	one("law without a kind", `"X"`, strings.Repeat("given ", 10_000), none)
	one("side of a law that is no node", `"X"`, "lemma l_1 given X : [n] then 7 == 9", none)
	l.add("3000 lemmas, each by the one before", file(each(3000, ",", func(i int) string {
		return fmt.Sprintf(`{"id":"l%d","nodes":["X","relu(0)","relu(1)"],"law":"lemma l%d given X : [n] then 1 == 2","proof":[{"law":"l%d","tensors":{"X":0},"dims":{"n":"n"}}]}`, i, i, max(0, i-1))
	}), ""))
	l.add("lemma proved by itself", file(`{"id":"l","nodes":["X","relu(0)"],"law":"lemma l given X : [n] then 0 == 1","proof":[{"law":"l","tensors":{"X":0},"dims":{"n":"n"}}]}`, ""))
	l.add("other axioms", `{"format":"taso-cert/2","axioms_sha256":"00","axioms":"axiom x given X : [n] then X == relu(X)","lemmas":[],"rules":[]}`)
	l.add("axioms of 8 MB", `{"format":"taso-cert/2","axioms_sha256":"00","axioms":"`+strings.Repeat("x", 8<<20)+`"`)
	l.add("lists nested a million deep", `{"format":"taso-cert/2","axioms_sha256":"`+hash+`","axioms":"","lemmas":`+strings.Repeat("[", 1_000_000))
	l.add("objects nested a million deep", `{"format":"taso-cert/2","axioms_sha256":"`+hash+`","axioms":"","lemmas":[`+strings.Repeat(`{"a":`, 1_000_000))
	l.add("instance nested a million deep", file("", `{"id":"r","nodes":[],"law":"x","proof":[`+strings.Repeat(`{"tensors":`, 1_000_000)))
	l.add("key twice", `{"format":"taso-cert/2","format":"taso-cert/1","axioms_sha256":""}`)
	l.add("format of a megabyte", `{"format":"`+strings.Repeat("x", 1<<20)+`"`)
	l.add("invalid UTF-8", file("", entry(`"X\xff"`, "lemma l_1 given X : [n] then 0 == 0", none)+"\xff\xfe"))
	l.add("ends in an entry", file("", entry(`"X"`, "lemma l_1 given X : [n] then 0 == 0", none))[:len(axioms)])
	l.add("spaces, 8 MB", `{`+strings.Repeat(" ", 8<<20))
	return l.all
}
