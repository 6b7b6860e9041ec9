// Package journal keeps results in files that only grow: one line of JSON for each record,
// flushed to the disk before the call returns. The tasks of a cluster write journals where
// many of them share a file system, each attempt of a task to a file of its own. The files
// are united in a database later.
//
// A line is {"crc":"89abcdef","n":1,"KIND":{…}}, where KIND is run, matrix, trial or end. The
// checksum (CRC-32C) is that of everything between the comma after it and the end of the
// line, so that a torn or altered line is noticed. Lines are numbered from 1, so that a
// missing or repeated line is noticed, too; journals of earlier versions have no numbers. A
// reader reports such a line and goes on with the next; it never guesses. It takes a trial
// only with the records of its run and its matrix, which come earlier in the same file.
//
// Numbers come back as they were, with NaN and infinities. JSON does not have these: they
// are the strings "NaN", "+Inf" and "-Inf".
package journal
