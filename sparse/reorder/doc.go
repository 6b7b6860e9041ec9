// Package reorder puts the rows and columns of a matrix into another order, so that what lies
// together is read together.
package reorder
