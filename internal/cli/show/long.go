package show

import (
	"fmt"
	"io"
	"sync"
	"time"

	"spmvtune/internal/term"
)

// Long says on w what is being done once it takes long: on a terminal on a line that counts the seconds and that end
// erases, elsewhere on a line.
func Long(w io.Writer, what string) (end func()) { return long(w, what, sayAfter, time.Second) }

func long(w io.Writer, what string, after, every time.Duration) (end func()) {
	began, ended, over := time.Now(), make(chan struct{}), make(chan struct{})
	terminal := term.SizeOf(w) != nil
	go func() {
		defer close(over)
		wait := after
		for drawn := false; ; drawn = true {
			select {
			case <-ended:
				if drawn && terminal {
					fmt.Fprint(term.Raw(w), eraseLine)
				}
				return
			case <-time.After(wait):
			}
			wait = every
			switch {
			case terminal:
				fmt.Fprintf(term.Raw(w), "%s%s  %s", eraseLine, term.Visible(what), time.Since(began).Round(time.Second))
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
