// Package trial has the words of the domain, which every other package uses: a trial, the
// matrix it is on, its result, the place where it competes with others, which of several
// results is in force, and a part of a list of trials.
//
// It needs no device, no database and no file. All times are in seconds.
package trial
