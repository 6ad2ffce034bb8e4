// Package weightfacts collects what is known of the numbers of a model's weights, before its graph
// becomes a bank ([bank.FromReal]): which are infinite, between which bounds they lie, and which
// weights are one number everywhere.
package weightfacts
