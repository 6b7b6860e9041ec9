// Package stat says what measurements of configurations tell about them.
//
// Samples of a trial say where its median is within the run, and no more: they follow each
// other, and warm ones, each the mean of a batch, remember the clocks and the caches of the one
// before. A trial that is measured again also has other addresses, and another median. So what
// decides are measurements that were repeated. SpreadOf learns from them how far two
// measurements of one configuration differ, anywhere on a device; Judge compares leaders by
// their repeat runs.
//
// Quantiles, medians and ranks assume nothing about distributions: times have a sharp lower
// end, a long tail and steps of the clock. Judge alone takes logarithms of medians to be normal.
package stat
