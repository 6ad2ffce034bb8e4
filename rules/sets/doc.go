// Package sets holds the rule sets that ship with the program: one for each preset of taso
// gen-rules, with a certificate for every rule.
//
// NAME.rules.gz and NAME.cert.gz are what gen-rules wrote, compressed with gzip. The file manifest
// has one line for each set: its name and version, the number of rules, the SHA-256 of both files
// (not compressed), the format of the certificates, and the command that wrote them. A version is
// never reused for other rules: "make rule-sets" generates all sets anew, and raises the version of
// each set that has changed.
//
// Wherever the program reads a file of rules, @NAME stands for a set, see [Open].
package sets
