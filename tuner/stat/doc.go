// Package stat says what samples of two configurations can tell of them.
//
// It makes no assumption about the distribution of samples but that those of one
// trial come from one: times of a product have a sharp lower end, a long tail and
// steps of the clock, and no normal distribution describes them. All tests are
// two-sided and go by ranks.
//
// It can't know what samples do not show. Those of a trial follow each other, and
// warm ones, each the mean of a batch, remember the clocks and the caches of the one
// before; so neighbours are alike, there is less in n samples than in n independent
// ones, and small p-values are smaller than they should be. A trial that is measured
// again also has other addresses, and another median. Who uses this package therefore
// asks, besides for significance, for an effect that matters: see Repeatability.
package stat
