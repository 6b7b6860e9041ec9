package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// shown is a terminal that notes whether Ctrl-C is the pager's while that writes.
type shown struct {
	text   bytes.Buffer
	paging bool
}

func (s *shown) Write(p []byte) (int, error) {
	s.paging = paging.Load()
	return s.text.Write(p)
}

// A pager is a command line of the shell. One that fails does not lose the page, and one that the user has left shows
// it once.
func TestPagerThatFails(t *testing.T) {
	for pager, want := range map[string]string{
		"cat": "shown", "X=-R cat": "shown", "sed 's/$/ paged/'": "shown paged",
		"false": "shown", "none-such --option": "shown", "sed --nonsense": "shown", "'": "shown",
		"true": "", "kill $$": "", "exit 141": "",
	} {
		var p page
		p.WriteString("shown")
		var w shown
		if err := p.show(t.Context(), pager, &w); err != nil || w.text.String() != want {
			t.Errorf("%s shows %q, want %q: %v", pager, w.text.String(), want, err)
		}
		if pager == "cat" && !w.paging || paging.Load() {
			t.Errorf("Ctrl-C is for %s: %t while it runs, %t afterwards", pager, w.paging, paging.Load())
		}
	}
}

// Ctrl-C does not end a command whose pager has the terminal. SIGTERM does, and Ctrl-C later.
func TestSignalsAtAPager(t *testing.T) {
	for _, last := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		ctx, cancel := context.WithCancelCause(t.Context())
		came := make(chan os.Signal)
		go endWith(ctx, cancel, came)
		paging.Store(true)
		came <- os.Interrupt
		came <- os.Interrupt // so that the first one was seen
		if ctx.Err() != nil {
			t.Error("Ctrl-C at a pager ends the command")
		}
		paging.Store(last != os.Interrupt)
		select {
		case came <- last:
		case <-ctx.Done(): // by the second one, which is seen only now
		}
		<-ctx.Done()
	}
	paging.Store(false)
}

// PAGER names the pager. Where it is empty, or less is not there, there is none.
func TestUserPager(t *testing.T) {
	for pager, want := range map[string]string{"": "", " ": "", "cat": "", "LESS=-R less": "LESS=-R less"} {
		t.Setenv(EnvPager, pager)
		if got := userPager(); got != want {
			t.Errorf("PAGER=%q is %q, want %q", pager, got, want)
		}
	}
	os.Unsetenv(EnvPager) // t.Setenv puts it back
	t.Setenv("PATH", t.TempDir())
	if got := userPager(); got != "" {
		t.Errorf("without less there is %q", got)
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("PATH"), "less"), []byte("#!/bin/sh\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := userPager(); got != "less" {
		t.Errorf("with less there is %q", got)
	}
}
