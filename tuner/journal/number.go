package journal

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// A number is a float64 that comes back from JSON bit by bit. Only which NaN it was is lost.
type number float64

// IsZero lets omitzero tell 0 from −0.
func (n number) IsZero() bool { return math.Float64bits(float64(n)) == 0 }

func (n number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

func (n *number) UnmarshalJSON(data []byte) error {
	v, err := parseNumber(data)
	*n = number(v)
	return err
}

// numbers are a list of numbers, encoded without a method call for each.
type numbers []float64

func (s numbers) MarshalJSON() ([]byte, error) {
	data := append(make([]byte, 0, 24*len(s)+2), '[')
	for i, v := range s {
		if i > 0 {
			data = append(data, ',')
		}
		data = appendNumber(data, v)
	}
	return append(data, ']'), nil
}

func (s *numbers) UnmarshalJSON(data []byte) error {
	*s = nil
	data, ok := bytes.CutPrefix(bytes.TrimSpace(data), []byte("["))
	if !ok {
		return fmt.Errorf("%s is not a list of numbers", data) // also null, which is not written
	}
	data = bytes.TrimSpace(data[:len(data)-1]) // encoding/json has seen that it closes
	if len(data) == 0 {
		return nil
	}

	*s = make(numbers, 0, bytes.Count(data, []byte(","))+1)
	for more := true; more; {
		var item []byte
		item, data, more = bytes.Cut(data, []byte(","))
		v, err := parseNumber(bytes.TrimSpace(item))
		if err != nil {
			*s = nil
			return err
		}
		*s = append(*s, v)
	}

	return nil
}

func appendNumber(data []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(data, `"NaN"`...)
	case math.IsInf(v, 0):
		return fmt.Appendf(data, `"%+v"`, v)
	}
	return strconv.AppendFloat(data, v, 'g', -1, 64)
}

// parseNumber reads one value of well-formed JSON.
func parseNumber(data []byte) (float64, error) {
	switch string(data) {
	case `"NaN"`:
		return math.NaN(), nil
	case `"+Inf"`:
		return math.Inf(1), nil
	case `"-Inf"`:
		return math.Inf(-1), nil
	}

	v, err := strconv.ParseFloat(string(data), 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a number", data)
	}
	return v, nil
}
