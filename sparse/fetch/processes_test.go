// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

// A process of these tests downloads G/N from the server to the folder that this
// variable names, and prints the states that it went through.
const helper = "SPMVTUNE_FETCH_TEST"

func TestMain(m *testing.M) {
	if server, dir, ok := strings.Cut(os.Getenv(helper), " "); ok {
		last := Done
		c := &Collection{Servers: []string{server}, Dir: dir, Stall: time.Minute, pause: time.Millisecond}
		c.Notify = func(p Progress) {
			if p.State != last {
				fmt.Println("state", p.State)
				last = p.State
			}
		}
		if _, err := c.Get(context.Background(), gn); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// downloader starts such a process.
func downloader(t *testing.T, s *server, dir string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helper+"="+s.URL+" "+dir)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	testkit.Succeed(t, cmd.Start())
	return cmd, &out
}

// However many processes ask, the server is asked once.
func TestOneDownload(t *testing.T) {
	good := archive(t, "N", 2_000_000, 1)
	s := serve(t, good, func(s *server, w http.ResponseWriter, r *http.Request) {
		time.Sleep(500 * time.Millisecond)
		s.give(w, r)
	})
	c := collection(t)
	var all []*exec.Cmd

	var said []*strings.Builder
	for range 6 {
		cmd, out := downloader(t, s, c.Dir)
		all, said = append(all, cmd), append(said, out)
	}

	waited := 0
	for i, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, said[i])
		}
		if strings.Contains(said[i].String(), fmt.Sprint("state ", Waiting)) {
			waited++
		}
	}

	holds(t, c, good)
	got := s.asked()
	testkit.Check(t, len(got) == 1 && waited != 0, "the server was asked %d times, %d processes waited", len(got), waited)
}

// When the one that downloads is killed, another one goes on where it was.
func TestKilled(t *testing.T) {
	good := archive(t, "N", 400_000, 1)
	s := serve(t, good, stall(300_000))
	c := collection(t, s)
	path, _ := c.Path(gn)
	first, _ := downloader(t, s, c.Dir)

	for {
		if info, err := os.Stat(path + ".part"); err == nil && info.Size() == 300_000 {
			break
		}
		time.Sleep(time.Millisecond)
	}

	second, out := downloader(t, s, c.Dir)
	for i := range 3 { // it waits meanwhile
		testkit.Equal(t, len(s.asked()), 1, "requests after %d pauses", i)
		time.Sleep(100 * time.Millisecond)
	}
	testkit.Succeed(t, first.Process.Kill())

	first.Wait()
	if err := second.Wait(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	holds(t, c, good)
	testkit.EqualLists(t, s.asked()[1:], []string{"bytes=300000-"}, "asked for")
}
