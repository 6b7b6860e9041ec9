package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// A stallGuard reads a body, and ends the request when nothing came for a while, or in twice
// that next to nothing. The time that its caller takes between reads does not count.
type stallGuard struct {
	ctx    context.Context // of the request
	parent context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	most   time.Duration
	body   io.ReadCloser

	came   int           // bytes since there was progress
	waited time.Duration // for them
}

// errTrickle says that a server is too slow to be waited for.
var errTrickle = errors.New("next to nothing came")

func newStallGuard(ctx context.Context, most time.Duration) *stallGuard {
	g := &stallGuard{parent: ctx, most: most}
	g.ctx, g.cancel = context.WithCancelCause(ctx)
	g.timer = time.AfterFunc(most, func() { g.cancel(fmt.Errorf("nothing came for %s", most)) })
	return g
}

func (g *stallGuard) Read(p []byte) (int, error) {
	g.timer.Reset(g.most)
	start := time.Now()
	n, err := g.body.Read(p)
	g.timer.Stop()
	g.came, g.waited = g.came+n, g.waited+time.Since(start)
	switch {
	case g.came >= progressEnough:
		g.came, g.waited = 0, 0
	case err == nil && g.waited > 2*g.most:
		err = fmt.Errorf("%w: %d bytes in %s", errTrickle, g.came, g.waited.Round(time.Second))
	}
	if err != nil && err != io.EOF {
		err = g.explain(err)
	}
	return n, err
}

// explain replaces the error of a request that was given up.
func (g *stallGuard) explain(err error) error {
	if errors.Is(err, context.Canceled) && g.parent.Err() == nil {
		return context.Cause(g.ctx)
	}
	return err
}

func (g *stallGuard) stop() {
	g.timer.Stop()
	g.cancel(nil)
}

func (g *stallGuard) Close() error {
	g.stop()
	return g.body.Close()
}
