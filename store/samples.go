package store

import (
	"encoding/binary"
	"math"
)

// pack stores samples as little-endian float32.
func pack(samples []float64) []byte {
	data := make([]byte, 0, 4*len(samples))
	for _, s := range samples {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(s)))
	}
	return data
}

func unpack(data []byte) []float64 {
	var samples []float64
	for ; len(data) >= 4; data = data[4:] {
		samples = append(samples, float64(math.Float32frombits(binary.LittleEndian.Uint32(data))))
	}
	return samples
}
