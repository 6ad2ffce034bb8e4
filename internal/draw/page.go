package draw

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
)

//go:embed page.tmpl
var pageText string

// Page is what a page with pictures begins and ends with, for a template of
// [PageTemplate]. A struct that embeds it hands it on.
type Page struct {
	Title  string
	Policy string // lets no script run but Script, and nothing be loaded
	Style  template.CSS
	Script template.JS
}

// NewPage is a page with a title. style and script are trusted: texts of the program,
// that hold nothing of what the page is about. The colours of pictures ([Style]) are
// added.
func NewPage(title, style, script string) Page {
	sum := sha256.Sum256([]byte(script))
	return Page{
		Title:  title,
		Policy: "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'",
		Style:  template.CSS(style + Style()),
		Script: template.JS(script),
	}
}

// PageTemplate parses the template of a page, which escapes what is put into it. Two
// templates are there for it, of a value that has the fields of a [Page]:
// {{template "opening" .}} writes all up to the title within the header, which the page
// has to close, and {{template "closing" .}} the script and the end. The error is that of
// the text.
func PageTemplate(name, text string) (*template.Template, error) {
	t, err := template.New(name).Parse(pageText)
	if err != nil {
		return nil, err
	}
	return t.Parse(text)
}
