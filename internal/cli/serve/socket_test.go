package serve

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"spmvtune/internal/testing/testkit"
)

// A socket is its user's, and one that a killed server left is replaced.
func TestSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.sock")
	at := testkit.Must(Listen("unix:" + path))
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
	testkit.Fails(t, testkit.Err(Listen("unix:"+path)), "another server", "a second server")
	at.Listener.(*net.UnixListener).SetUnlinkOnClose(false)
	at.Close()
	at = testkit.Must(Listen("unix:" + path))
	at.Close()
}

// A server that takes no connection at the moment keeps its socket.
func TestBusySocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.sock")
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	testkit.Succeed(t, errors.Join(unix.Bind(fd, &unix.SockaddrUnix{Name: path}), unix.Listen(fd, 0)))
	for err == nil { // until nobody more can wait
		var c net.Conn
		if c, err = net.Dial("unix", path); err == nil {
			defer c.Close()
		}
	}
	if !errors.Is(err, syscall.EAGAIN) {
		t.Fatal(err)
	}
	testkit.Fails(t, testkit.Err(Listen("unix:"+path)), "choose another path", "a second server")
	if _, err := os.Lstat(path); err != nil {
		t.Errorf("the socket of the first: %v", err)
	}
}

// From the moment on at which a socket has a file, others can't connect.
func TestSocketIsPrivateAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.sock")
	l := testkit.Must((&net.ListenConfig{Control: private}).Listen(t.Context(), "unix", path))
	defer l.Close()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("its mode is %v, %v", info.Mode(), err)
	}
}
