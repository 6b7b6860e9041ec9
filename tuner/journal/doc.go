// Package journal keeps results in files that only grow: one line of JSON for
// each record, flushed to the disk before the call returns. It is what the tasks
// of a cluster write where many of them share a file system, each attempt of a
// task to a file of its own; the files are united in a database later.
//
// A line is {"crc":"89abcdef","n":1,"KIND":{…}}. KIND is run, matrix, trial or end,
// and the checksum is that of all between the comma after it and the end of the line
// (CRC-32C), so that a line that was torn, or altered since, is noticed. Lines are
// numbered from 1, so that one that is gone, or there twice, is noticed too; journals
// of earlier versions have no numbers. A reader reports such a line and goes on with
// the next; it never guesses. A trial is
// taken only with the records of its run and its matrix, which stand before it in
// the same file.
//
// Numbers come back as they were, NaN and infinities included, which JSON does
// not have: they are the strings "NaN", "+Inf" and "-Inf".
package journal
