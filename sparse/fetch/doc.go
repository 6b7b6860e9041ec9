// Package fetch downloads matrices of the SuiteSparse collection (Davis and Hu, "The
// University of Florida Sparse Matrix Collection", ACM TOMS 38, 2011), each once.
//
// A [Collection] is servers and a folder. [Collection.Get] returns the file of a
// matrix, GROUP/NAME.tar.gz in that folder, and downloads it before if it is not
// there. The archive is kept as it came: it is about a third of the matrix in it, and
// package mtx reads it as it streams.
//
// However many processes ask, one downloads: it holds a lock on a file, which ends
// with the process however that ends, and the others wait and find the file there. It
// writes to a partial file, which a later try goes on with, in this process or in
// another one, and which gets its name when it is checked and on the disk. A file of
// that name is therefore whole.
//
// What is checked is the length that the server gave; its MD5, if the server sends one
// (Content-MD5) or has a file NAME.tar.gz.md5 beside it; and always the archive
// itself: gzip's own checksum, and that the matrix of that name is in it. The
// collection's own server is not known to publish digests.
//
// A connection is given up when nothing came for a while, never because the whole took
// long. What may pass is tried again, after a pause that doubles; a try that brought
// something does not count. Redirects stay on HTTPS: the collection's server is known
// to point to plain http for its files, and is then asked over HTTPS there.
//
// Nothing here asks a server unless Get is called.
package fetch
