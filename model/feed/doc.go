// Package feed makes what a model is fed: for each input numbers that make sense
// there, or those of a file.
//
// Numbers that make sense are, for floating-point numbers, any between -1 and 1;
// for an input of integers that picks rows of a table, positions that the table
// has ([Inputs] finds them, [Pickings] the tables); for an input that divides integers, 1
// and 2; for other integers and for truth values, 0 and 1. Each tensor says in words what it holds ([Tensor.How]), so
// that a report need not leave it unsaid.
//
//	graph ─► Inputs ─► names, types, ranges ─┐
//	NAME=FILE.npy, random, ones … ─► Source ─┴► Make ─► Tensor
//
// A file of another element type is converted ([Convert]): integers exactly or not
// at all, floating-point numbers rounded where they must be, which is said.
package feed
