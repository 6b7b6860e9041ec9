package fetch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	longestPause = 30 * time.Second
	// longestAsked is the longest that a server may ask to wait.
	longestAsked = 2 * time.Minute
)

// pauseBefore is the time to wait before a try, counted from 1 for the second. It doubles each
// time, and half of it is random, so that many clients cut off together come back one by one.
// What the server asked for is the least.
func pauseBefore(try int, first, asked time.Duration) time.Duration {
	d := min(first<<min(try-1, 16), longestPause)
	return max(d/2+time.Duration(rand.Int64N(int64(d/2)+1)), asked)
}

// retryAfter reads when the server wants to be asked again.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// tooLong says that a server asks to wait for too long.
func tooLong(d time.Duration) error {
	return fmt.Errorf("the server asks to come back in %s", d.Round(time.Second))
}
