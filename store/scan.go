package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// orZero scans into dst, and null as the zero value.
func orZero[T any](dst *T) sql.Scanner { return &nullable[T]{dst} }

type nullable[T any] struct{ dst *T }

func (n *nullable[T]) Scan(value any) error {
	var v sql.Null[T]
	err := v.Scan(value)
	*n.dst = v.V
	return err
}

// orNaN scans a number into dst, and null as NaN.
type orNaN struct{ dst *float64 }

func (n orNaN) Scan(value any) error {
	var v sql.NullFloat64
	if err := v.Scan(value); err != nil {
		return err
	}
	*n.dst = v.Float64
	if !v.Valid {
		*n.dst = math.NaN()
	}
	return nil
}

// moment scans milliseconds since 1970.
type moment struct{ dst *time.Time }

func (m moment) Scan(value any) error {
	ms, ok := value.(int64)
	if !ok {
		return fmt.Errorf("%v is not a time", value)
	}
	*m.dst = time.UnixMilli(ms).UTC()
	return nil
}

// seconds scans a duration.
type seconds struct{ dst *time.Duration }

func (s seconds) Scan(value any) error {
	var v sql.NullFloat64
	err := v.Scan(value)
	*s.dst = time.Duration(math.Round(v.Float64 * float64(time.Second)))
	return err
}

// unsigned scans a number that is kept as a signed one of the same bits.
type unsigned struct{ dst *uint64 }

func (u unsigned) Scan(value any) error {
	var v sql.NullInt64
	err := v.Scan(value)
	*u.dst = uint64(v.Int64)
	return err
}

// packed scans samples.
type packed struct{ dst *[]float64 }

func (p packed) Scan(value any) error {
	data, _ := value.([]byte)
	*p.dst = unpack(data)
	for _, s := range *p.dst {
		if !(s >= 0 && s <= math.MaxFloat32) {
			return fmt.Errorf("%v is not the time of a sample: the file is damaged", s)
		}
	}
	return nil
}

// fromJSON decodes into dst, and null as the zero value. It makes a new value for each row,
// because earlier rows share the one before.
func fromJSON[T any](dst *T) sql.Scanner { return decoder[T]{dst} }

type decoder[T any] struct{ dst *T }

func (d decoder[T]) Scan(value any) (err error) {
	var v T
	switch text := value.(type) {
	case string:
		err = json.Unmarshal([]byte(text), &v)
	case []byte:
		err = json.Unmarshal(text, &v)
	}
	*d.dst = v
	return err
}
