// Package hostile writes inputs that are made to exhaust or confuse a reader: rule files,
// certificates, models, plans and machine files with deep nesting, long size polynomials,
// huge numbers and counts, cycles, invalid text and the like. They are written from short
// descriptions, so that none of them is kept as a file. Tests give them to the commands,
// which must end soon, in little memory, and with one clear error or a result.
package hostile
