package export

import "bytes"

// members are a JSON object that keeps the order of its members.
type members []member

type member struct {
	name  string
	value any
}

// MarshalJSON writes the object.
func (m members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, one := range m {
		name, err := jsonText(one.name)
		if err != nil {
			return nil, err
		}
		value, err := jsonText(one.value)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
