package trial

// An Interval is a range of times in seconds. It is zero where nothing is known.
type Interval struct {
	Low, High float64
}
