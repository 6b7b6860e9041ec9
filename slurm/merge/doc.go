// Package merge brings the journals of a run into its database, and finds out which chunks are
// missing. A merge may run at any time, also while tasks write: what is there already stays.
package merge
