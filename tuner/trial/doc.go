// Package trial has the words of the domain, which every other room uses: a trial, the
// matrix it is on, its result, the place where it competes with others, and a part of a
// list of trials.
//
// It computes nothing that needs a device, a database or a file. Times are in seconds,
// everywhere.
package trial
