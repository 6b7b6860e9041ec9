package analysis

import (
	"fmt"
	"strings"
	"testing"
)

// A few choices are told one by one, in their order; of many those that lose most, after
// what all come to.
func TestFarthest(t *testing.T) {
	var far []distance
	for i := range mostChoices {
		far = append(far, distance{fmt.Sprintf("choice %d", i), 1})
	}
	if notes := farthest(far); len(notes) != mostChoices || notes[0].Error() != "choice 0" {
		t.Errorf("%q", notes)
	}
	far = append(far, distance{"bad", 0.25}, distance{"worst", 0.0625}, distance{"good", 1}, distance{"good", 1})
	notes := farthest(far)
	if len(notes) != mostChoices+1 || notes[1].Error() != "worst" || notes[2].Error() != "bad" ||
		notes[3].Error() != "choice 0" {
		t.Fatalf("%q", notes)
	}
	// 2^-6 over sixteen choices.
	if want := "16 choices reach 77.1%"; !strings.Contains(notes[0].Error(), want) {
		t.Errorf("%q does not say %q", notes[0], want)
	}
	if farthest(nil) != nil {
		t.Error("something is said of no choice")
	}
}
