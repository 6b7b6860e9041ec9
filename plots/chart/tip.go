package chart

// Between prints a value with its interval.
func Between(number func(float64) string, v, low, high float64) string {
	if low == v && high == v {
		return number(v)
	}
	return number(v) + " (" + number(low) + " to " + number(high) + ")"
}
