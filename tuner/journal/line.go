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

// castagnoli has an instruction of its own on current processors.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A line starts with its checksum, in eight hexadecimal digits. Its number comes next,
// except in journals of versions before it had one.
const (
	lineStart = `{"crc":"`
	lineSum   = 8
	lineComma = `",`
	lineHead  = len(lineStart) + lineSum + len(lineComma)
	lineNo    = `"n":`
)

// maxLine bounds a line, and with it what a reader holds of a file that has lost
// its ends of lines: a million samples fit.
const maxLine = 32 << 20

// seal makes the line of a record, with the end of the line. n is its number, from 1.
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
	return checksummed(body), nil
}

// checksummed makes a line of its body.
func checksummed(body []byte) []byte {
	return fmt.Appendf(nil, "%s%08x%s%s\n", lineStart, crc32.Checksum(body, castagnoli), lineComma, body)
}

var errForm = errors.New("this is not a line of a journal")

// unseal takes a line, without its end, apart. n is 0 where the line has no number.
func unseal(line []byte) (n int, kind string, record []byte, err error) {
	if len(line) < lineHead || string(line[:len(lineStart)]) != lineStart ||
		string(line[lineHead-len(lineComma):lineHead]) != lineComma {
		return 0, "", nil, errForm
	}
	var sum [lineSum / 2]byte
	if _, err := hex.Decode(sum[:], line[len(lineStart):len(lineStart)+lineSum]); err != nil {
		return 0, "", nil, errForm
	}
	body := line[lineHead:]
	want := uint32(sum[0])<<24 | uint32(sum[1])<<16 | uint32(sum[2])<<8 | uint32(sum[3])
	if got := crc32.Checksum(body, castagnoli); got != want {
		return 0, "", nil, fmt.Errorf("its checksum is %08x, but %08x was written", got, want)
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
