// Package text has what all readers of matrices in text form share: the bytes of a file as
// blocks of whole lines, unpacked from gzip and from archives of the SuiteSparse collection as
// they stream by; numbers, rounded correctly; errors that name file and line; and the options
// and results of a reader.
//
// Nothing here allocates by the line. A block ends in a newline, whatever the
// file ends in, so that a parser needs no other bound.
package text
