package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
)

// Current processors have an instruction for the polynomial castagnoli.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A line starts with its checksum in eight hexadecimal digits. Its number comes next, except
// in older journals.
const (
	lineStart = `{"crc":"`
	lineSum   = 8
	lineComma = `",`
	lineHead  = len(lineStart) + lineSum + len(lineComma)
	lineNo    = `"n":`
)

// maxLine bounds the length of a line, and so what a reader holds of a file that has lost its
// line ends. A million samples fit.
const maxLine = 32 << 20

// seal returns line number n, from 1, with its end.
func seal(n int, kind string, record any) ([]byte, error) {
	data, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	body := make([]byte, 0, len(lineNo)+20+len(kind)+len(data)+5)
	body = append(body, lineNo...)
	body = strconv.AppendInt(body, int64(n), 10)
	body = append(body, `,"`...)
	body = append(body, kind...)
	body = append(body, `":`...)
	body = append(body, data...)
	body = append(body, '}')
	if lineHead+len(body) >= maxLine {
		return nil, fmt.Errorf("a record of %d bytes is too long", len(body))
	}
	return Checksummed(body), nil
}

// Checksummed returns the line of a body, which is a JSON object without its opening brace.
func Checksummed(body []byte) []byte {
	return fmt.Appendf(nil, "%s%08x%s%s\n", lineStart, crc32.Checksum(body, castagnoli), lineComma, body)
}

var errForm = errors.New("not a line of a journal")

// Checked returns the body of a line, without its end, whose checksum is right.
func Checked(line []byte) (body []byte, err error) {
	if len(line) < lineHead || string(line[:len(lineStart)]) != lineStart ||
		string(line[lineHead-len(lineComma):lineHead]) != lineComma {
		return nil, errForm
	}

	var sum [lineSum / 2]byte
	if _, err := hex.Decode(sum[:], line[len(lineStart):len(lineStart)+lineSum]); err != nil {
		return nil, errForm
	}
	body = line[lineHead:]
	want := uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])
	if got := crc32.Checksum(body, castagnoli); got != want {
		return nil, fmt.Errorf("its checksum is %08x, but %08x was written", got, want)
	}
	return body, nil
}

// unseal parses a line without its end. n is 0 if the line has no number.
func unseal(line []byte) (n int, kind string, record []byte, err error) {
	body, err := Checked(line)
	if err != nil {
		return 0, "", nil, err
	}
	if numbered, ok := bytes.CutPrefix(body, []byte(lineNo)); ok {
		digits, rest, _ := bytes.Cut(numbered, []byte(","))
		if n, err = strconv.Atoi(string(digits)); err != nil || n < 1 {
			return 0, "", nil, errForm
		}
		body = rest
	}
	body, ok := bytes.CutPrefix(body, []byte(`"`))
	name, rest, found := bytes.Cut(body, []byte(`":`))
	record, closed := bytes.CutSuffix(rest, []byte("}"))
	if !ok || !found || !closed {
		return 0, "", nil, errForm
	}
	return n, string(name), record, nil
}
