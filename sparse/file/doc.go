// Package file reads and writes matrices in files, whatever their format: Matrix Market
// (package mtx), Rutherford-Boeing (rb), edge lists (snap), and, only written, scipy's
// archives (npz). Files are plain, gzipped, or in an archive of the SuiteSparse collection.
// The list of formats is here; each format's package says all else about it.
//
// The format follows from how the text starts where that leaves no doubt, and from the
// extension of the name, or of the member of the archive, where it does not. Packed files
// are recognised by their content. What a reader promises of memory, speed and errors is
// said in its package.
package file
