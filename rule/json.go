package rule

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// WriteJSON writes r in the form that Read reads. Equal rules give equal bytes.
func (r *Rule) WriteJSON(w io.Writer) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r); err != nil {
		return fmt.Errorf("encoding rule: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing rule: %w", err)
	}

	return nil
}

// Read reads what WriteJSON wrote. It refuses other versions, unknown keys and
// features, anything after the rule, and trees that can't be followed.
func Read(rd io.Reader) (*Rule, error) {
	data, err := io.ReadAll(rd)
	if err != nil {
		return nil, fmt.Errorf("reading rule: %w", err)
	}
	var head struct {
		Version *int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("reading rule: %w", err)
	}

	switch {
	case head.Version == nil:
		return nil, errors.New("reading rule: it has no version: is it a rule?")
	case *head.Version != Version:
		return nil, fmt.Errorf("reading rule: its format has version %d, this program reads version %d: learn it again",
			*head.Version, Version)
	}

	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var r Rule
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("reading rule: %w", err)
	}
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("reading rule: %w", err)
	}

	return &r, nil
}
