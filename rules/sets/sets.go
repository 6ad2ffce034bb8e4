package sets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/taso-go/taso/internal/suggest"
	"github.com/taso-go/taso/rules"
)

//go:embed manifest *.gz
var files embed.FS

// Prefix begins the path of a set: @bert.
const Prefix = "@"

// Set is a line of the manifest.
type Set struct {
	Name        string `json:"name"`
	Version     int    `json:"version"`
	Rules       int    `json:"rules"`              // number of rules, each with a certificate
	RulesSHA256 string `json:"rules_sha256"`       // hash of NAME.rules
	CertSHA256  string `json:"cert_sha256"`        // hash of NAME.cert
	CertFormat  string `json:"certificate_format"` // version of the certificates, as law.CertFormat
	Command     string `json:"command"`            // the command that writes the set, without taso and --out
}

// List returns the sets, in the order of the manifest.
func List() ([]Set, error) {
	text, err := files.ReadFile("manifest")
	if err != nil {
		return nil, err
	}
	return parse(string(text))
}

// fields is the number of fields of a line of the manifest. The last one may have spaces.
const fields = 7

// parse reads a manifest.
func parse(text string) ([]Set, error) {
	var list []Set
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, " ", fields)
		if len(f) < fields {
			return nil, fmt.Errorf("manifest:%d: found %d fields, want %d", i+1, len(f), fields)
		}
		version, err := strconv.Atoi(f[1])
		if err != nil {
			return nil, fmt.Errorf("manifest:%d: version %q is not a number", i+1, f[1])
		}
		count, err := strconv.Atoi(f[2])
		if err != nil {
			return nil, fmt.Errorf("manifest:%d: number of rules %q is not a number", i+1, f[2])
		}
		list = append(list, Set{f[0], version, count, f[3], f[4], f[5], f[6]})
	}
	return list, nil
}

// Is reports whether a path names a shipped set or its certificates, and not a file.
func Is(path string) bool { return strings.HasPrefix(path, Prefix) }

// Open opens a set as a file: @NAME is its rules, in the text form, and [rules.CertPath] of that,
// @NAME.cert, its certificates. The content is compared with the hash in the manifest. The error for
// an unknown name lists the names.
func Open(path string) (io.ReadCloser, error) {
	list, err := List()
	if err != nil {
		return nil, err
	}
	name := strings.TrimPrefix(path, Prefix)
	var names []string
	for _, s := range list {
		switch name {
		case s.Name:
			return open(name+".rules", s.RulesSHA256)
		case rules.CertPath(s.Name):
			return open(name, s.CertSHA256)
		}
		names = append(names, Prefix+s.Name)
	}
	return nil, fmt.Errorf("%s: no shipped rule set has this name%s; there are %s", path,
		suggest.DidYouMean(path, names), strings.Join(names, ", "))
}

// open decompresses a file, which must have this hash.
func open(name, sum string) (io.ReadCloser, error) {
	packed, err := files.ReadFile(name + ".gz")
	if err != nil {
		return nil, err
	}
	data, err := unpack(packed, sum)
	if err != nil {
		return nil, fmt.Errorf("%s.gz: %w", name, err)
	}
	return io.NopCloser(bytes.NewReader(data)), nil
}

// unpack decompresses data, and compares the result with its hash.
func unpack(packed []byte, sum string) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	if got := sha256.Sum256(data); hex.EncodeToString(got[:]) != sum {
		return nil, fmt.Errorf("the content has hash %x, the manifest has %s", got, sum)
	}
	return data, nil
}
