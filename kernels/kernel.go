package kernels

// A Kernel is a row of the catalogue: what a kernel is called, where it comes
// from, what can be chosen for it, and what it needs to be legal.
type Kernel struct {
	Name    string  `json:"kernel"`           // stable: databases and sweep files use it
	Paper   string  `json:"paper"`            // the paper's own name, printed in legends beside Name; "" if it has none
	Source  string  `json:"source"`           // paper and section, or the peer's publication
	Format  Format  `json:"format"`           //
	Backend string  `json:"backend"`          // "cpu" or "cuda"
	Mapping string  `json:"mapping"`          // one line: which thread does what
	Block   string  `json:"block"`            // what block means; "" if there is no choice
	Grid    string  `json:"grid"`             // what grid means; "" if there is no choice
	Params  []Param `json:"params,omitempty"` //
	Legal   string  `json:"legal,omitempty"`  // what a legal configuration needs, in words
	// Blocks bounds block; it is empty if there is no choice.
	Blocks Range `json:"blocks"`
	// Sorted says that columns must increase within a row.
	Sorted bool `json:"sorted_columns"`
	// Scope says over which entries the error of a row is bounded.
	Scope Scope `json:"error_scope"`
	// Deterministic says that the same problem, device and configuration give the same bits in every run.
	Deterministic bool `json:"deterministic"`
	// Guest says that a sweep defines the kernel: it is not in the catalogue.
	Guest bool `json:"guest,omitempty"`
}

// A Format is how a kernel stores the matrix.
type Format string

const (
	COO  Format = "coo"
	CSR  Format = "csr"
	SELL Format = "sell"
	BSR  Format = "bsr"
	// Tiles has CSR's order with short indices, by tiles of rows.
	Tiles Format = "tiles"
	// Panels of columns, whose entries have columns of 16 bits.
	Panels Format = "panels"
)

// A Scope is the set of entries whose magnitudes bound the error of a row.
type Scope string

const (
	ScopeRow   Scope = "row"   // the row's own
	ScopeBlock Scope = "block" // those of the scan windows that the row touches: the kernel subtracts prefixes
)

// A Param is a choice beyond block and grid.
type Param struct {
	Name    string   `json:"name"`
	Values  []string `json:"values"`  // legal values where they are few; nil: any positive integer
	Default string   `json:"default"` // used where a configuration does not set it
	Doc     string   `json:"doc"`
	// Optional says that a configuration which has the default does not name the parameter.
	Optional bool `json:"optional,omitempty"`
}
