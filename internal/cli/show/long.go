package show

import (
	"cmp"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"spmvtune/internal/base/term"
)

// Long says on w what is being done once it takes long: on a terminal on a line that counts the seconds and that end
// erases, elsewhere on a line.
func Long(w io.Writer, what string) (end func()) { return long(w, what, sayAfter, time.Second) }

func long(w io.Writer, what string, after, every time.Duration) (end func()) {
	began, ended, over := time.Now(), make(chan struct{}), make(chan struct{})
	size := term.SizeOf(w)
	go func() {
		defer close(over)
		wait := after
		for drawn := false; ; drawn = true {
			select {
			case <-ended:
				if drawn && size != nil {
					fmt.Fprint(term.Raw(w), eraseLine)
				}
				return
			case <-time.After(wait):
			}
			wait = every
			switch {
			case size != nil:
				width, _ := size()
				fmt.Fprint(term.Raw(w), eraseLine, lasting(what, time.Since(began), cmp.Or(width, 80)-1))
			case !drawn:
				fmt.Fprintln(w, what)
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(ended)
		<-over
	})
}

// lasting says what is being done and for how long, in at most width columns.
func lasting(what string, took time.Duration, width int) string {
	seconds := fmt.Sprintf("  %s", took.Round(time.Second))
	return text.Trim(term.Visible(what), max(width-len(seconds), 0)) + seconds
}
