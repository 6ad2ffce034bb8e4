package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/taso-go/taso/internal/atomicfile"
)

// maxFile bounds the file of a record in bytes.
const maxFile = 64 << 20

// ReadRecord reads a record from JSON; file is for messages. A field that is not
// known, a fault that [Record.Check] finds, and text behind the record are errors.
func ReadRecord(file string, data []byte) (*Record, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: %d bytes are more than a record has", file, len(data))
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	r := &Record{}
	if err := d.Decode(r); err != nil {
		return nil, fmt.Errorf("%s: record: %w", file, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: record: text behind its end", file)
	}
	if err := r.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return r, nil
}

// Write writes the record as JSON, what is short on one line. A record that
// [Record.Check] does not take is an error, and nothing is written.
func (r *Record) Write(w io.Writer) error {
	if err := r.Check(); err != nil {
		return err
	}
	text, err := marshal(r)
	if err != nil {
		return fmt.Errorf("record %q: %w", r.Name, err)
	}
	var b bytes.Buffer
	pretty(&b, text, "", 0)
	b.WriteByte('\n')
	_, err = w.Write(b.Bytes())
	return err
}

// Save writes the record as DIR/NAME.json, whole or not at all.
func (r *Record) Save(dir string) error {
	return atomicfile.WriteFile(recordFile(dir, r.Name), r.Write)
}

// Load reads DIR/NAME.json. The error of a record that is not there is
// fs.ErrNotExist.
func Load(dir, name string) (*Record, error) {
	path := recordFile(dir, name)
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r, err := ReadRecord(path, data)
	if err == nil && r.Name != name {
		err = fmt.Errorf("%s: holds the record of %q", path, r.Name)
	}
	return r, err
}

// LoadAll reads all records of a folder, by name. A folder that does not exist has no records.
func LoadAll(dir string) (map[string]*Record, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("records: %w", err)
	}
	out := map[string]*Record{}
	var errs []error
	for _, e := range entries {
		// Dots begin the temporary names of files being written.
		name, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		r, err := Load(dir, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out[name] = r
	}
	return out, errors.Join(errs...)
}

func recordFile(dir, name string) string { return filepath.Join(dir, name+".json") }

// marshal is json.Marshal without escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// prettyWidth is how long a line of a record may be before it is parted.
const prettyWidth = 110

// pretty writes JSON without blanks so that lists and objects which are short
// stand on one line. The line has an indent, and a key of so many bytes.
func pretty(b *bytes.Buffer, text []byte, indent string, key int) {
	if len(indent)+key+len(text) <= prettyWidth || text[0] != '[' && text[0] != '{' {
		b.Write(text)
		return
	}
	b.WriteByte(text[0])
	deeper := indent + " "
	depth, quoted, start := 0, false, 1
	part := func(end int) {
		b.WriteString("\n" + deeper)
		item, key := text[start:end], 0
		if text[0] == '{' { // the key, then its value
			n := 1
			for ; item[n] != '"'; n++ {
				if item[n] == '\\' {
					n++
				}
			}
			b.Write(item[:n+2])
			b.WriteByte(' ')
			item, key = item[n+2:], n+3
		}
		pretty(b, item, deeper, key)
		start = end + 1
	}
	for i := 1; i < len(text)-1; i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			part(i)
			b.WriteByte(',')
		}
	}
	part(len(text) - 1)
	b.WriteString("\n" + indent)
	b.WriteByte(text[len(text)-1])
}
