// Package page writes the HTML pages of all commands. A command gives content: a title, the
// answer in a sentence, numbers, and parts such as sections, tables, plots and drawings. The
// package owns everything else: markup, colours, typography and behaviour.
//
//	Page ─┬─ Lead, Facts
//	      └─ Parts: Section, Details, Head ─► Parts
//	                Text, Note, Code, List, Terms
//	                Table (sorted, searched and filtered; rows open to Parts)
//	                Figures ◄─ Graph, Plot, Timeline (package draw)
//	                Shares, Tensors, Steps, Explorer
//
// A page is one file that loads nothing: one style sheet, one script, no network. Its policy
// lets no other script run. All text is escaped by html/template; only drawings of package
// draw, which escapes too, are taken as markup. The same content gives the same bytes.
//
// Everything can be read without the script, which adds comfort: it sorts, searches and
// filters tables, shows steps one at a time, and moves and zooms a graph. What a row of a
// table opens to is in a noscript element. A browser with scripts does not parse it before
// the row is opened, so that a page with a thousand rules opens at once.
//
// On small screens (from 360 pixels), a row of a table becomes a block, plots have a narrow
// form, and drawings scroll within their frame.
//
// # Colours
//
// A colour means the same on all pages, in a light and a dark theme. Signs and words repeat
// what colours say.
//
//	green     Good: proved, kept, added, within the limit
//	amber     Partial: holds under a condition or up to a limit; kept as it is
//	red       Bad: refuted, removed, over the limit
//	grey      Open: not decided
//	violet    Invalid: cannot be judged
//	blue      a link, what is selected, and the length of bars: how much
//	yellow    a match of the search, the element in question
//
// Boxes of operators have a pale colour for each group of operators (verify/explain.Colour),
// lines and bars one for each activity of devices (internal/draw.Activity). Curves have
// colours in the order of the legend.
package page
