// Package matrix turns a matrix that a sweep names into one in memory: it finds out which
// file, download or twin the name stands for, reads or generates it, describes it, and
// keeps it in the user's cache for the next time.
//
// Only a [Resolver] downloads. Everything else refuses a matrix that is not resolved yet.
package matrix
