package serve

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// known reports whether the host of a request is a name of this server, with any port: a tunnel may
// end at another one. Another site can give its own name our address, but then its name stands here.
func (s *Server) known(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
	if addr, err := netip.ParseAddr(name); err == nil {
		return addr.IsLoopback() || s.opt.AnyAddress || slices.Contains(s.opt.Hosts, addr.String())
	}
	return name == "localhost" || slices.Contains(s.opt.Hosts, name)
}

// foreign reports whether a page of another site asks. A browser says so; whoever is not a browser
// says nothing, and holds nobody's rights.
func foreign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return true
	}
	origin := r.Header.Get("Origin")
	return origin != "" && origin != "http://"+r.Host
}
