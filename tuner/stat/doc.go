// Package stat says what samples of two configurations tell about them.
//
// It assumes nothing about the distribution of samples except that the samples of one trial
// come from one distribution. Times of a product have a sharp lower end, a long tail and
// steps of the clock, which no normal distribution describes. All tests are two-sided and
// use ranks.
//
// It can't know what samples do not show. Samples of a trial follow each other, and warm
// ones, each the mean of a batch, remember the clocks and the caches of the one before.
// Neighbours are therefore alike: n samples hold less than n independent ones would, and
// small p-values are smaller than they should be. A trial that is measured again also has
// other addresses, and another median. So besides significance, ask for an effect that
// matters: see Repeatability.
package stat
