package serve

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
)

// mostConnections is how many connections there may be.
const mostConnections = 128

// DefaultAddress is where a page is unless told: on the loopback of this machine, and at any free
// port if that one is taken.
const DefaultAddress = "localhost:8765"

// An Address is where a server listens.
type Address struct {
	net.Listener
	// URL is the address of the page, "" for a socket.
	URL string
	// Hosts are the names in addresses of the page; Any says that it has all addresses of the machine.
	Hosts []string
	Any   bool
	// Open says that others than this machine can reach it.
	Open bool
}

// Listen listens at HOST:PORT, or with unix:PATH at a socket that only this user may use.
func Listen(address string) (*Address, error) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		return listenSocket(path)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address: give HOST:PORT, as in %s, or unix:PATH", address, DefaultAddress)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listening at %s: %w", address, err)
	}
	a := &Address{Listener: bounded(l, mostConnections)}
	tcp, _ := l.Addr().(*net.TCPAddr)
	a.Open = tcp == nil || !tcp.IP.IsLoopback()
	a.Any = tcp != nil && tcp.IP.IsUnspecified()
	if addr, err := netip.ParseAddr(host); err == nil {
		host = addr.String()
	}
	if a.Open && !a.Any {
		a.Hosts = []string{strings.ToLower(host)}
	}
	if a.Any {
		if host, err = os.Hostname(); err != nil {
			host = "localhost"
		}
		a.Hosts = []string{strings.ToLower(host)}
	}
	a.URL = "http://" + net.JoinHostPort(host, fmt.Sprint(tcp.Port)) + "/"
	return a, nil
}

// bounded is a listener that waits while there are n connections.
func bounded(l net.Listener, n int) net.Listener { return &limited{l, make(chan struct{}, n)} }

type limited struct {
	net.Listener
	places chan struct{}
}

func (l *limited) Accept() (net.Conn, error) {
	l.places <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &conn{Conn: c, leave: sync.OnceFunc(func() { <-l.places })}, nil
}

type conn struct {
	net.Conn
	leave func()
}

func (c *conn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}
