package term

import (
	"strings"
	"testing"
)

// Whatever a command finds is a table: fields within fields have dots, in the order of the JSON.
func TestTabulate(t *testing.T) {
	type inner struct {
		B int     `json:"b"`
		A float64 `json:"a"`
	}
	type outer struct {
		Name string   `json:"name"`
		In   *inner   `json:"in,omitempty"`
		Yes  bool     `json:"yes"`
		List []string `json:"list"`
		Deep []inner  `json:"deep"`
	}
	one := outer{"x", &inner{1 << 60, 0.5}, true, []string{"p", "q"}, []inner{{2, 3}}}
	for _, tt := range []struct {
		v    any
		want string
	}{
		{one, "name,value\nname,x\nin.b,1152921504606846976\nin.a,0.5\nyes,true\nlist,\"p, q\"\n" +
			"deep,\"[{\"\"b\"\":2,\"\"a\"\":3}]\"\n"},
		{[]outer{{Name: "first"}, one}, "name,yes,list,deep,in.b,in.a\nfirst,false,,,,\n" +
			"x,true,\"p, q\",\"[{\"\"b\"\":2,\"\"a\"\":3}]\",1152921504606846976,0.5\n"},
		{[]int{3, 4}, "value\n3\n4\n"},
		{Table{Columns: []string{"c"}, Rows: [][]any{{1}}}, "c\n1\n"},
	} {
		var b strings.Builder
		if err := Format(&b, "csv", tt.v); err != nil || b.String() != tt.want {
			t.Errorf("%v: got %v\n%s, want\n%s", tt.v, err, b.String(), tt.want)
		}
	}
}
