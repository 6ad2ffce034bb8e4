// Package spill sorts more records than fit into memory: what is full is sorted and
// written to a temporary file as a run, and in the end the runs are merged.
//
//	Add ──► buffer ──full: sort──► run 1 │ run 2 │ ... │ run k      one file
//	           │ the rest                 ╲    │          ╱
//	           └──────── sort ─────────────► merge of k+1 ────► Next, in order
//
// # Words
//
//   - record: a value of fixed size in bytes ([Codec]).
//   - run: sorted records that follow one another in a file.
//   - folder: where the files are ([Folder]). Nothing is made there before something is
//     written, and a file has no name from the moment it is open, so that nothing is left
//     when the process ends, however it ends.
//
// The k-way merge of sorted runs is that of Knuth, The Art of Computer Programming,
// volume 3, section 5.4.1.
package spill
