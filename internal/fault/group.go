package fault

import (
	"sync"

	"spmvtune/internal/mistake"
)

// A Group is a [sync.WaitGroup] whose Wait panics where one of its functions did, so that the caller
// can turn that into an error.
type Group struct {
	wait  sync.WaitGroup
	mu    sync.Mutex
	first error
}

// Go calls f in a goroutine.
func (g *Group) Go(f func()) {
	g.wait.Go(func() {
		err := mistake.Caught(func() error {
			return Caught(func() error { f(); return nil })
		})()
		if err != nil {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.first = err
		}
	})
}

// Wait waits for all functions.
func (g *Group) Wait() {
	g.wait.Wait()
	if g.first != nil {
		panic(g.first)
	}
}
