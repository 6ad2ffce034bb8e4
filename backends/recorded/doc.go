// Package recorded is the backend of a device that was measured before: it
// replays the times of a table (package cost) and runs nothing. Times taken
// once on a machine with a GPU so drive searches and tests on machines without
// one.
//
// An application that is not in the table, exactly as asked for, is an error
// that names its key; nothing is estimated. cost.WithFallback puts a formula
// behind a table where that is wanted.
//
// Tables that come with the program lie in tables/, each with a file that says what was
// run, on what and when; docs/cuda.md says how one is made. There is none yet: none was
// measured.
//
// [SettingOf] is the other direction: under which setting the times of a
// backend are recorded.
package recorded
