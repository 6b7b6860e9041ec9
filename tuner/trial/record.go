package trial

// A Record is what is recorded of a trial: the result in force, and the measurements that
// repeat it in the order of time (sentinels, finals and spreads).
type Record struct {
	Result
	Repeats []Result
}

// Finals returns the medians of the finals in seconds, in the order of time.
func (r Record) Finals() []float64 {
	var medians []float64
	for _, repeat := range r.Repeats {
		if repeat.Final {
			medians = append(medians, repeat.Median)
		}
	}
	return medians
}

// Detail says how much of a record is wanted.
type Detail int

const (
	// Brief is the identity, the status and the times, without samples and repeats.
	Brief Detail = iota
	// Full has the samples and the repeats, too.
	Full
)
