// Package file reads the matrix in a file, whatever of the formats it is in:
// Matrix Market (package mtx), Rutherford-Boeing (package rb) and edge lists (package
// snap), plain, gzipped, or in an archive of the SuiteSparse collection.
//
// The format follows from how the text starts where that leaves no doubt, and from
// the extension of the name, or of the member of the archive, where it does not.
// Packed files are recognised by their content. What a reader promises of memory,
// speed and errors is said in its package.
package file
