// Package term turns values into text for people: counts with their nouns, lists, numbers
// with the digits that matter, percentages, durations, lines that fit a terminal, tables,
// and words quoted for a shell. It knows nothing of matrices or trials beyond their plurals,
// and imports no other package of the module.
package term

// PageWidth is the width of running text, in columns: of help and of lists that explain (claims, kernels, convert)
// everywhere, and of sentences (Print, Item) on a terminal that is as wide. In files and pipes a sentence is one line.
const PageWidth = 100
