package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Samples returns the raw samples of the trial with this identity, in seconds
// per product and in the order they were taken; nil if it has none. They are
// kept in float32: GPU events give no more, and below 8 ms it still tells
// nanoseconds apart.
func (db *DB) Samples(ctx context.Context, identity string) ([]float64, error) {
	var data []byte
	err := db.read.QueryRowContext(ctx,
		`SELECT s.data FROM trial t JOIN sample s ON s.trial = t.id WHERE t.identity = ?`, identity).Scan(&data)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("reading samples of trial %s: %w", identity, failed(db.path, err))
	}
	return unpack(data), nil
}

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
