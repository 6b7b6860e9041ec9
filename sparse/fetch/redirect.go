package fetch

import (
	"fmt"
	"net/http"
)

// mostRedirects is how many are followed.
const mostRedirects = 5

// A redirectError says that a redirect was not followed.
type redirectError struct{ reason string }

func (e *redirectError) Error() string { return e.reason }

// redirect follows a redirect, unless it would leave HTTPS. Where it leads to the usual
// port of http, the same is asked for over HTTPS.
func redirect(next *http.Request, via []*http.Request) error {
	if len(via) > mostRedirects {
		return &redirectError{fmt.Sprintf("more than %d redirects", mostRedirects)}
	}
	secure := via[0].URL.Scheme == "https"

	switch to := next.URL; {
	case to.Scheme == "https" || to.Scheme == "http" && !secure:
		return nil
	case to.Scheme == "http" && (to.Port() == "" || to.Port() == "80"):
		to.Scheme, to.Host = "https", to.Hostname()
		return nil
	default:
		return &redirectError{fmt.Sprintf("a redirect from https to %s://%s is not followed", to.Scheme, to.Host)}
	}
}
