// Package program runs somebody else's program, which multiplies a matrix and prints how long that
// took. What it is told stands in a command: words with placeholders, which never go through a shell.
//
// A program has a folder of its own, a time limit and a limit on the sizes of files. When it ends,
// what it started ends with it. Nothing it does is taken on trust but its times.
package program
