package term

import (
	"io"
	"os"

	"golang.org/x/term"
)

// SizeOf returns a function that tells how many columns and lines the terminal behind w has;
// 0 stands for unknown. SizeOf returns nil if w is not a terminal on which text can be redrawn.
func SizeOf(w any) func() (width, height int) {
	if out, ok := w.(io.Writer); ok {
		w = Raw(out)
	}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("TERM") == "dumb" {
		return nil
	}
	return func() (width, height int) {
		width, height, err := term.GetSize(int(f.Fd()))
		if err != nil {
			return 0, 0
		}
		return width, height
	}
}
