package reorder

import "embed"

// Source has the files with the orders, which are part of the identity of a kernel's trials.
//
//go:embed apply.go mates.go order.go rcm.go
var Source embed.FS
