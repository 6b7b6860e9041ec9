package trial

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Key is the first half of a trial's identity. Among a million trials the chance that two share
// their 64 bits is 3·10⁻⁸.
type Key uint64

// KeyOf returns the key of an identity.
func KeyOf(id string) Key {
	key, err := strconv.ParseUint(id[:min(len(id), 16)], 16, 64)
	if err != nil { // not an identity of this program: hash it
		for _, b := range []byte(id) {
			key = (key ^ uint64(b)) * 1099511628211 // FNV-1a
		}
	}
	return Key(key)
}

// IDs lists trials: "3:" and the keys of three trials in base64. "" stands for a list that is not
// known, as in journals of early versions.
type IDs string

// ListOf lists keys, in their order and each once.
func ListOf(keys iter.Seq[Key]) IDs {
	sorted := slices.Compact(slices.Sorted(keys))
	data := make([]byte, 0, 8*len(sorted))
	for _, k := range sorted {
		data = binary.BigEndian.AppendUint64(data, uint64(k))
	}
	return IDs(fmt.Sprintf("%d:%s", len(sorted), base64.RawStdEncoding.EncodeToString(data)))
}

// Keys returns the keys of a list. It returns false if the list is not known.
func (l IDs) Keys() ([]Key, bool) {
	count, text, _ := strings.Cut(string(l), ":")
	n, err := strconv.Atoi(count)
	data, wrong := base64.RawStdEncoding.DecodeString(text)
	if err != nil || wrong != nil || len(data) != 8*n {
		return nil, false
	}
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = Key(binary.BigEndian.Uint64(data[8*i:]))
	}
	return keys, true
}

// Unite returns the list of all that lists have. It is not known if one of them is not.
func Unite(lists ...IDs) IDs {
	all := map[Key]bool{}
	for _, l := range lists {
		keys, known := l.Keys()
		if !known {
			return ""
		}
		for _, k := range keys {
			all[k] = true
		}
	}
	return ListOf(maps.Keys(all))
}
