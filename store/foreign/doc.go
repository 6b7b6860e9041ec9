// Package foreign reads measurements that somebody else has taken, with other programs,
// from tables in text, and gives them to a recorder.
//
// What it reads was neither verified nor measured here. Every row that it records says
// so: in the name of its device, in its kernel's digest and in its message, with the
// file and the line that it comes from. So it never stands in one comparison with what
// this program has measured.
//
// A table is read whole before anything is recorded: a bad row is an error that names
// file, line and remedy, and nothing of the table is taken. docs/import.md has the format.
package foreign
