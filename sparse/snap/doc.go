// Package snap reads edge lists as the Stanford Large Network Dataset Collection has
// them (Leskovec and Krevl, snap.stanford.edu/data), from a [text.Source].
//
// A line is an edge: the number of the vertex that it leaves, a tab or blanks, and the number
// of the vertex that it reaches. Lines that start with # are comments. Numbers need not be
// consecutive: the vertices that occur, in the order of their numbers, are the rows and columns
// of the matrix, and an edge is an entry in the row that it leaves and the column that it
// reaches. So vertices without an edge are not in the matrix. Graphs are read as directed: the
// collection also has undirected ones that list each edge once, and does not say so in a form
// that programs could read.
//
// Three passes, each on all cores: blocks of lines become edges; the numbers of
// vertices become ranks, by a bitmap where numbers lie close together and by maps of
// ranges where they do not; and edges become entries, of which package bands makes a
// sorted CSR. The result does not depend on the number of cores.
//
// Memory is the matrix, 12 bytes to an edge, and one working copy of the edges: first
// 8 bytes to each, 16 where a block has vertices beyond 2³², and 8 with weights; from
// these, piece by piece, 6 bytes, 14 with weights. For the numbers, it is up to 4
// bytes to an edge, or about 40 bytes to a vertex where they are far apart.
//
// What the format leaves open:
//
//   - A third number is the weight of the edge, as in the collection's signed and
//     weighted networks; all lines have it or none. In its temporal networks it is a
//     time, which nothing tells apart: cut it off if weights matter. Without it the
//     matrix is a pattern.
//   - An edge that is listed more than once is one entry: weights, or ones, are added
//     up, as package mtx does. An edge from a vertex to itself is on the diagonal.
//   - Where comments before the first edge say "Nodes: 5 Edges: 7", fewer edges than
//     that mean that the file was cut off.
//
// Numbers of vertices go from 0 to 2⁶³. Every refusal is a [*text.Error] with file,
// line and reason.
package snap
