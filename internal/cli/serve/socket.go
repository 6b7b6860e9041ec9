package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// listenSocket listens at a socket of this user.
func listenSocket(path string) (*Address, error) {
	if err := removeLeft(path); err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{Control: private}).Listen(context.Background(), "unix", path)
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", path, err)
	}
	info, err := os.Lstat(path)
	if err == nil && info.Mode().Perm()&0o077 != 0 {
		err = fmt.Errorf("others could connect to %s: its file system gives it the mode %v; choose another folder", path,
			info.Mode().Perm())
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Address{Listener: bounded(l, mostConnections)}, nil
}

// removeLeft removes a socket that a server has left which was killed. Only a connection that is refused says so: a
// server that is busy, or that belongs to another user, answers with other errors.
func removeLeft(path string) error {
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
		return nil // listening says what is wrong
	}
	c, err := net.Dial("unix", path)
	switch {
	case err == nil:
		return errors.Join(fmt.Errorf("another server answers at %s: choose another path", path), c.Close())
	case errors.Is(err, syscall.ECONNREFUSED):
		return os.Remove(path)
	case errors.Is(err, os.ErrNotExist):
		return nil // its server has just ended
	}
	return fmt.Errorf("a server may be using %s (%w): choose another path, or remove it", path, err)
}

// private gives a socket a mode before it has a file, which takes it over on Linux: there is no moment in which others
// can connect, and the mask of the process, which holds for all of its files, stays.
func private(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) { failed = unix.Fchmod(int(fd), 0o600) })
	return errors.Join(err, failed)
}
