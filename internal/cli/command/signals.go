package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// paging says that a pager has the terminal: Ctrl-C is for it. To ignore the signal meanwhile would last, since Go
// can't undo that.
var paging atomic.Bool

// UntilSignal returns a context that ends with parent, with Ctrl-C outside of a pager, or with SIGTERM.
func UntilSignal(parent context.Context) (context.Context, context.CancelFunc) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancelCause(parent)
	go endWith(ctx, cancel, came)
	return ctx, func() {
		signal.Stop(came)
		cancel(nil)
	}
}

// endWith calls cancel at the first signal that counts.
func endWith(ctx context.Context, cancel context.CancelCauseFunc, came <-chan os.Signal) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-came:
			if s != os.Interrupt || !paging.Load() {
				cancel(fmt.Errorf("%v signal received", s))
				return
			}
		}
	}
}
