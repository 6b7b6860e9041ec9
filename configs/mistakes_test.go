package configs

import (
	"fmt"
	"strings"
	"testing"
)

const (
	aMatrix = "[[matrix]]\ngenerate = \"mycielskian\"\norder = 4\n"
	aKernel = "[[kernel]]\nname = \"cpu_csr\"\n"
)

// Each text has one mistake. want is line, key, and parts of the message.
func TestMistakes(t *testing.T) {
	after := func(text string) string { return minimal + text } // begins at line 6
	matrix := func(text string) string { return aKernel + "[[matrix]]\n" + text }
	kernel := func(text string) string { return aMatrix + "[[kernel]]\n" + text } // begins at line 5
	for _, tt := range []struct {
		name, text string
		line       int
		key        string
		want       []string
	}{
		// keys and types
		{"unknown top key", "titel = \"x\"\n" + minimal, 1, "titel", []string{"unknown key", `did you mean "title"?`}},
		{"unknown section", after("[protokoll]\nwarmup = 1"), 6, "protokoll", []string{`did you mean "protocol"?`}},
		{"key of another section", after("[device]\nwarmup = 1"), 7, "device.warmup",
			[]string{"the keys here are backend, index"}},
		{"key in kernel", kernel("name = \"cpu_csr_rows\"\nblok = 3"), 6, "kernel.blok",
			[]string{`did you mean "block"?`}},
		{"key in the second kernel", minimal + "[[kernel]]\nname = \"cpu_coo\"\n\npresicion = \"float32\"", 9,
			"kernel.presicion", []string{`"precision"`}},
		{"string for integer", after("[protocol]\nwarmup = \"3\""), 7, "protocol.warmup",
			[]string{`want an integer, not the string "3"`}},
		{"integer for string", "title = 3\n" + minimal, 1, "title", []string{"want a string, not the integer 3"}},
		{"string for flag", after("[slurm]\nexclusive = \"yes\""), 7, "slurm.exclusive", []string{"true or false"}},
		{"value for section", "protocol = 3\n" + minimal, 1, "protocol", []string{"want a table"}},
		{"list for section", after("[[protocol]]\nwarmup = 1"), 6, "protocol", []string{"only one", "[protocol]"}},
		{"section for list", aKernel + "[matrix]\ngenerate = \"mycielskian\"\norder = 4", 3, "matrix",
			[]string{"[[matrix]]"}},
		{"values in list of tables", "kernel = [1]\n" + aMatrix, 1, "kernel", []string{"[[kernel]]"}},
		{"two lines in a string", "title = \"a\\nb\"\n" + minimal, 1, "title", []string{"on one line"}},
		{"hostile name", "name = \"$(reboot)\"\n" + minimal, 1, "name", []string{"safely"}},
		{"name with a folder", "name = \"../x\"\n" + minimal, 1, "name", []string{"safely"}},
		// protocol and search
		{"cache", after("[protocol]\ncache = \"hot\""), 7, "protocol.cache", []string{`"cold", "warm" or "both"`}},
		{"negative warmup", after("[protocol]\nwarmup = -1"), 7, "protocol.warmup", []string{"the least is 0"}},
		{"too large", after("[protocol]\nwarmup = 9999999999"), 7, "protocol.warmup", []string{"too large"}},
		{"one sample count", after("[protocol]\nsamples = 10"), 7, "protocol.samples", []string{"[10, 200]"}},
		{"no samples", after("[protocol]\nsamples = [\n0,\n10]"), 8, "protocol.samples", []string{"the least is 1"}},
		{"target of 1", after("[protocol]\ntarget = 1"), 7, "protocol.target", []string{"between 0 and 1"}},
		{"target of nan", after("[protocol]\ntarget = nan"), 7, "protocol.target", []string{"between 0 and 1"}},
		{"target as text", after("[protocol]\ntarget = \"1%\""), 7, "protocol.target", []string{"want a fraction"}},
		{"duration", after("[protocol]\ntrial_budget = \"2 seconds\""), 7, "protocol.trial_budget",
			[]string{"is not a duration", `"500ms"`}},
		{"duration without unit", after("[protocol]\ntimeout = 60"), 7, "protocol.timeout",
			[]string{"want a duration", `"2s"`}},
		{"negative duration", after("[search]\nbudget = { time = \"-1s\" }"), 7, "search.budget.time",
			[]string{"negative"}},
		{"no time", after("[protocol]\ntrial_budget = \"0s\""), 7, "protocol.trial_budget",
			[]string{"must be greater than zero"}},
		{"budget beyond timeout", after("[protocol]\ntrial_budget = \"2m\""), 7, "protocol.trial_budget",
			[]string{"killed"}},
		{"slow below 1", after("[protocol]\nslow = 0.5"), 7, "protocol.slow", []string{"0 or a factor from 1 up"}},
		{"slow as text", after("[protocol]\nslow = \"3x\""), 7, "protocol.slow", []string{"want 0 or a factor"}},
		{"slow of inf", after("[protocol]\nslow = inf"), 7, "protocol.slow", []string{"0 or a factor from 1 up"}},
		{"negative seed", after("[protocol]\nseed = -1"), 7, "protocol.seed", []string{"the least is 0"}},
		{"negative sentinel", after("[protocol]\nsentinel = -1"), 7, "protocol.sentinel", []string{"the least is 0"}},
		{"negative finals", after("[protocol]\nfinals = -1"), 7, "protocol.finals", []string{"the least is 0"}},
		{"fractional seed", after("[protocol]\nseed = 1.5"), 7, "protocol.seed", []string{"want an integer"}},
		{"strategy", after("[search]\nstrategy = \"gird\""), 7, "search.strategy", []string{`did you mean "grid"?`}},
		{"a strategy that there is no more", after("[search]\nstrategy = \"annealing\""), 7, "search.strategy",
			[]string{"\"grid\", \"random\", \"racing\""}},
		{"random without a bound", after("[search]\nstrategy = \"random\""), 7, "search.strategy",
			[]string{"budget = { trials = 100 }"}},
		{"order", after("[search]\norder = \"random\""), 7, "search.order", []string{`"file" or "shuffled"`}},
		// families
		{"empty list of an argument", matrix("generate = \"mycielskian\"\norder = []"), 5, "matrix.order",
			[]string{"is empty"}},
		{"one name for several", matrix("name = \"m\"\ngenerate = \"mycielskian\"\norder = [4, 5]"), 4, "matrix.name",
			[]string{"one name for the 2 matrices"}},
		{"wrong element", matrix("generate = \"mycielskian\"\norder = [4, 500]"), 5, "matrix.order",
			[]string{"500 is out of range"}},
		{"where without matrices", matrix("generate = \"mycielskian\"\norder = [4, 5]\nwhere = \"nnz > 1000\""), 6,
			"matrix.where", []string{"no matrix satisfies"}},
		{"where over kernels", matrix("generate = \"mycielskian\"\norder = 4\nwhere = \"block > 3\""), 6,
			"matrix.where", []string{`unknown variable "block"`, "cols, nnz, rows"}},
		{"test class", after("[learn]\ntest = [\"mycielskan\"]"), 7, "learn.test",
			[]string{`did you mean "mycielskian"?`}},
		{"budget key", after("[search.budget]\ntrails = 3"), 7, "search.budget.trails", []string{`"trials"`}},
		{"figure", after("[report]\nfigures = [\n  \"throughput-vs-block\",\n  \"throughput-vs-blocks\",\n]"), 9,
			"report.figures", []string{`did you mean "throughput-vs-block"?`}},
		{"device index", after("[device]\nindex = -1"), 7, "device.index", nil},
		{"key of an array", after("[[slurm.array]]\ntime = \"1:00\""), 7, "slurm.array.time", []string{"unknown key"}},
		{"value of an array", after("[[slurm.array]]\ngpus = \"many\""), 7, "slurm.array.gpus", []string{"number of GPUs"}},
		{"the same device twice", after("[device]\nindex = [0, 1, 0]"), 7, "device.index", []string{"different GPUs"}},
		{"no devices", after("[device]\nindex = []"), 7, "device.index", []string{"empty"}},
		{"every device", after("[device]\nindex = \"every\""), 7, "device.index", []string{`"every"`, `"all"`}},
		{"devices of the processor", after("[device]\nbackend = \"cpu\"\nindex = \"all\""), 8, "device.index",
			[]string{"backend is cpu"}},
		{"devices without kernels", after("[device]\nindex = [0, 1]"), 7, "device.index",
			[]string{"all kernels of the sweep are for the processor"}},
		// slurm
		{"time limit", after("[slurm]\ntime = \"one hour\""), 7, "slurm.time", []string{"HH:MM:SS"}},
		{"memory", after("[slurm]\nmem = \"16 GB\""), 7, "slurm.mem", []string{`"16G"`}},
		{"chunk", after("[slurm]\nchunk = \"20\""), 7, "slurm.chunk", []string{"is not a duration"}},
		{"extra", after("[slurm]\nextra = [\"mail\"]"), 7, "slurm.extra", []string{"is not an option"}},
		{"managed extra", after("[slurm]\nextra = [\"--output=x\"]"), 7, "slurm.extra",
			[]string{"--output is managed", "leave it out"}},
		{"extra with a key", after("[slurm]\nextra = [\"--mail-type=END\", \"-pgpu\"]"), 7, "slurm.extra",
			[]string{"--partition is managed", "the key partition"}},
		{"abbreviated extra", after("[slurm]\nextra = [\"--arr=1-3\"]"), 7, "slurm.extra",
			[]string{"--array is managed"}},
		{"letter for an extra", after("[slurm]\nextra = [\"--j=x\"]"), 7, "slurm.extra",
			[]string{"--job-name is managed", "the key name"}},
		{"extra behind a flag", after("[slurm]\nextra = [\"-OW\"]"), 7, "slurm.extra", []string{"--wait is managed"}},
		{"extra's old name", after("[slurm]\nextra = [\"--tasks=4\"]"), 7, "slurm.extra",
			[]string{"--tasks is managed"}},
		{"extra without its value", after("[slurm]\nextra = [\"--comment\"]"), 7, "slurm.extra",
			[]string{"--comment=VALUE"}},
		{"short extra without its value", after("[slurm]\nextra = [\"-L\"]"), 7, "slurm.extra", []string{"-LVALUE"}},
		{"end of options", after("[slurm]\nextra = [\"--\"]"), 7, "slurm.extra", []string{"not an option"}},
		{"extra of two lines", after("[slurm]\nextra = [\"--comment=a\\n--wrap=b\"]"), 7, "slurm.extra",
			[]string{"on one line"}},
		{"NUL in a value", after("[slurm]\npartition = \"a\\u0000b\""), 7, "slurm.partition",
			[]string{"control character"}},
		{"early signal", after("[slurm]\nsignal = \"USR1@99999\""), 7, "slurm.signal", []string{"65535"}},
		{"extra with a blank", after("[slurm]\nextra = [\"--reservation lab\"]"), 7, "slurm.extra",
			[]string{"--name=value"}},
		{"signal", after("[slurm]\nsignal = \"USR1\""), 7, "slurm.signal", []string{"USR1@120"}},
		{"gpus", after("[slurm]\ngpus = \"a30\""), 7, "slurm.gpus", []string{"a30:2"}},
		{"no workers", after("[slurm]\ngpus_per_task = 0"), 7, "slurm.gpus_per_task", []string{"the least is 1"}},
		{"setup of two lines", after("[slurm]\nsetup = [\"a\\nb\"]"), 7, "slurm.setup", []string{"one line"}},
		// matrices
		{"no matrix", aKernel, 1, "matrix", []string{"add a [[matrix]] section"}},
		{"empty list of matrices", "matrix = []\n" + aKernel, 1, "matrix", []string{"add a [[matrix]] section"}},
		{"matrix without a source", matrix("name = \"x\""), 3, "matrix",
			[]string{`"path", "generate" or "suitesparse"`}},
		{"two sources", matrix("path = \"a.mtx\"\ngenerate = \"road\""), 5, "matrix.generate", []string{"together"}},
		{"missing file", matrix("path = \"a.mtx\""), 4, "matrix.path",
			[]string{"no file", "relative to the sweep file"}},
		{"glob without a match", matrix("path = \"none/*.mtx\""), 4, "matrix.path", []string{"no file matches"}},
		{"complex", matrix("path = \"errors.go\"\ncomplex = \"real\""), 5, "matrix.complex", []string{`"real-part"`}},
		{"download without a group", matrix("suitesparse = \"delaunay_n23\""), 4, "matrix.suitesparse",
			[]string{"Group/Name"}},
		{"download of a path", matrix("suitesparse = \"../etc\""), 4, "matrix.suitesparse", []string{"Group/Name"}},
		{"download by number", matrix("suitesparse = 5"), 4, "matrix.suitesparse", []string{"want a string"}},
		{"file and download", matrix("path = \"errors.go\"\nsuitesparse = \"HB/1138_bus\""), 5, "matrix.suitesparse",
			[]string{"together", "only suitesparse and generate"}},
		{"argument of no twin", matrix("suitesparse = \"HB/1138_bus\"\nnx = 3"), 5, "matrix.nx",
			[]string{"unknown key"}},
		{"argument of another twin", matrix("suitesparse = \"HB/1138_bus\"\ngenerate = \"mycielskian\"\norder = 4\n" +
			"nx = 3"), 7, "matrix.nx", []string{"unknown key"}},
		{"twin without its argument", matrix("suitesparse = \"HB/1138_bus\"\ngenerate = \"mycielskian\""), 3,
			"matrix.order", []string{"required"}},
		{"downloads alike", matrix("suitesparse = \"HB/1138_bus\"\n[[matrix]]\nsuitesparse = \"HC/1138_bus\""), 6,
			"matrix.suitesparse", []string{"1138_bus"}},
		{"generator", matrix("generate = \"mycielski\"\norder = 4"), 4, "matrix.generate",
			[]string{`did you mean "mycielskian"?`}},
		{"argument", matrix("generate = \"mycielskian\"\norder = 4\nsize = 3"), 6, "matrix.size",
			[]string{"unknown key"}},
		{"misspelled argument", matrix("generate = \"giant_row\"\nrows = 9\ngiant = 5\nrow_nz = 3"), 7, "matrix.row_nz",
			[]string{`did you mean "row_nnz"?`}},
		{"argument left out", matrix("generate = \"mycielskian\""), 3, "matrix.order", []string{"required"}},
		{"argument out of range", matrix("generate = \"mycielskian\"\norder = 99"), 5, "matrix.order", []string{"99"}},
		{"argument of another type", matrix("generate = \"mycielskian\"\norder = \"4\""), 5, "matrix.order",
			[]string{"no number"}},
		{"arguments at odds", matrix("generate = \"giant_row\"\nrows = 9\ngiant = 50"), 6, "matrix.giant",
			[]string{"50"}},
		{"matrix too large", matrix("generate = \"grid_5pt\"\nnx = 100_000\nny = 100_000"), 4, "matrix.generate",
			[]string{"32-bit"}},
		{"file's key at a generator", matrix("generate = \"mycielskian\"\norder = 4\nexpand = false"), 6,
			"matrix.expand", []string{"only to files"}},
		{"names alike", matrix("generate = \"mycielskian\"\norder = 4\n") + aMatrix, 7, "matrix.generate",
			[]string{`line 3 is also called "mycielskian-4"`}},
		{"strange generator", matrix("generate = \"fem_of_many_cells\""), 4, "matrix.generate",
			[]string{"the closest generators are ", "fem_blocks", "`spmvtune help config` lists all"}},
		{"strange figure", kernel("name = \"cpu_csr\"\n[report]\nfigures = [\"nonsense\"]"), 7, "report.figures",
			[]string{"figures are winner-map, ", "matrix-patterns"}},
		// kernels
		{"no kernel", aMatrix, 1, "kernel", []string{"add a [[kernel]] section"}},
		{"kernel without a name", kernel("block = 3"), 4, "kernel.name", []string{"names no kernel"}},
		{"empty list of kernels", kernel("name = []"), 5, "kernel.name", []string{"names no kernel"}},
		{"kernel as number", kernel("name = 5"), 5, "kernel.name", []string{"want a string"}},
		{"number among kernels", kernel("name = [\n\"cpu_csr\",\n5]"), 7, "kernel.name",
			[]string{"want a string, not the integer 5"}},
		{"unknown kernel", kernel("name = [\n\"cpu_csr\",\n\"cpu-cso\"]"), 7, "kernel.name",
			[]string{"no kernel is called", "did you mean"}},
		{"strange kernel", kernel("name = \"matmul\""), 5, "kernel.name", []string{"the closest kernels are ", "`spmvtune kernels` lists all"}},
		{"kernel of another backend", kernel("name = \"coo_atomic\"\n[device]\nbackend = \"cpu\""), 5, "kernel.name",
			[]string{"runs on cuda"}},
		{"precision", kernel("name = \"cpu_csr\"\nprecision = \"float16\""), 6, "kernel.precision",
			[]string{"float16", "did you mean"}},
		{"no precision", kernel("name = \"cpu_csr\"\nprecision = []"), 6, "kernel.precision", []string{"empty"}},
		{"impossible block", kernel("name = \"cpu_sell\"\nblock = [8, 5000]"), 6, "kernel.block",
			[]string{"5000 is impossible for cpu_sell", "from 1 to 1024"}},
		{"block of part of a warp", kernel("name = [\"coo_atomic\", \"csr_vector\"]\n" +
			"block = { from = 16, to = 1024, step = 16 }"), 6, "kernel.block", []string{"16 is impossible for " +
			"csr_vector", "multiple of 32", "section of its own"}},
		{"block as text", kernel("name = \"cpu_sell\"\nblock = \"auto\""), 6, "kernel.block",
			[]string{"want a list, an integer"}},
		{"no block", kernel("name = \"cpu_sell\"\nblock = []"), 6, "kernel.block", []string{"empty"}},
		{"fractional block", kernel("name = \"cpu_sell\"\nblock = 1.5"), 6, "kernel.block",
			[]string{"not the number 1.5"}},
		{"steps without an end", kernel("name = \"cpu_sell\"\nblock = { from = 1 }"), 6, "kernel.block",
			[]string{"to is missing"}},
		{"steps backwards", kernel("name = \"cpu_sell\"\nblock = { from = 9, to = 1 }"), 6, "kernel.block.from",
			[]string{"more than to"}},
		{"steps of nothing", kernel("name = \"cpu_sell\"\nblock = { from = 1, to = 9, step = 0 }"), 6,
			"kernel.block.step", []string{"least is 1"}},
		{"steps without number", kernel("name = \"cpu_csr_rows\"\nblock = { from = 1, to = 1000000000 }"), 6,
			"kernel.block", []string{"larger step"}},
		{"misspelled step", kernel("name = \"cpu_sell\"\nblock = { from = 1, to = 9, setp = 2 }"), 6,
			"kernel.block.setp", []string{`"step"`}},
		{"no power of two", kernel("name = \"cpu_sell\"\nblock = { pow2 = [4, 100] }"), 6, "kernel.block.pow2",
			[]string{"100 is not a power of two"}},
		{"powers backwards", kernel("name = \"cpu_sell\"\nblock = { pow2 = [32, 4] }"), 6, "kernel.block.pow2",
			[]string{"more than the second"}},
		{"one power", kernel("name = \"cpu_sell\"\nblock = { pow2 = 4 }"), 6, "kernel.block.pow2",
			[]string{"two integers"}},
		{"grid as text", kernel("name = \"cpu_sell\"\ngrid = \"all\""), 6, "kernel.grid", []string{`"auto"`}},
		{"grid of nothing", kernel("name = \"cpu_sell\"\ngrid = [1,\n0]"), 7, "kernel.grid", []string{"least is 1"}},
		{"grid per nothing", kernel("name = \"cpu_sell\"\ngrid = { per_sm = [0] }"), 6, "kernel.grid.per_sm",
			[]string{"least is 1"}},
		{"grid as flag", kernel("name = \"cpu_sell\"\ngrid = true"), 6, "kernel.grid", []string{"per_sm"}},
		{"parameter of no kernel", kernel("name = \"cpu_sell\"\nsgima = 3"), 6, "kernel.sgima",
			[]string{`did you mean "sigma"?`}},
		{"parameter of the other kernel", kernel("name = [\"cpu_sell\", \"cpu_csr\"]\nsigma = 3"), 6, "kernel.sigma",
			[]string{"not a parameter of cpu_csr"}},
		{"parameter of another kernel alone", kernel("name = \"coo_scan_shared\"\nreorder = \"rcm\""), 6, "kernel.reorder",
			[]string{"not a parameter of coo_scan_shared", "leave it out"}},
		{"parameter's value", kernel("name = \"coo_segscan_warp_chunk_unroll\"\nunroll = [2, 3]"), 6, "kernel.unroll",
			[]string{`"3" is impossible`, "2, 4, 8"}},
		{"parameter below 1", kernel("name = \"cpu_sell\"\nsigma = 0"), 6, "kernel.sigma",
			[]string{"positive integer"}},
		{"parameter as flag", kernel("name = \"csr_hybrid\"\nshared = true"), 6, "kernel.shared",
			[]string{"an integer or a name"}},
		{"no parameter", kernel("name = \"cpu_sell\"\nsigma = []"), 6, "kernel.sigma", []string{"empty"}},
		{"too many combinations", kernel("name = \"cpu_csr_rows\"\nblock = { from = 1, to = 60000 }\n" +
			"grid = { from = 1, to = 60000 }"), 4, "kernel", []string{"more than 1048576 combinations"}},
		{"unknown variable", kernel("name = \"cpu_sell\"\nwhere = \"blok > 3\""), 6, "kernel.where",
			[]string{`did you mean "block"?`}},
		{"another kernel's variable", kernel("name = \"cpu_sell\"\nwhere = \"unroll > 3\""), 6, "kernel.where",
			[]string{`unknown variable "unroll"`}},
		{"expression cut short", kernel("name = \"cpu_sell\"\nwhere = \"block >\""), 6, "kernel.where",
			[]string{"unexpected"}},
		{"expression of a number", kernel("name = \"cpu_sell\"\nwhere = \"block + 1\""), 6, "kernel.where",
			[]string{"expected bool"}},
		{"types mixed", kernel("name = \"cpu_sell\"\nwhere = 'block > \"3\"'"), 6, "kernel.where",
			[]string{"mismatched types"}},
		{"no expression", kernel("name = \"cpu_sell\"\nwhere = \"\""), 6, "kernel.where",
			[]string{"leave the key out"}},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			es := mistakes(t, tt.text)
			if len(es) != 1 {
				t.Fatalf("got %d mistakes, want one:\n%v", len(es), es)
			}
			e := es[0]
			if e.Line != tt.line || e.Key != tt.key {
				t.Errorf("at line %d, key %s; want %d, %s", e.Line, e.Key, tt.line, tt.key)
			}

			if want := fmt.Sprintf("s.toml:%d: %s: ", tt.line, tt.key); !strings.HasPrefix(e.Error(), want) {
				t.Errorf("got %q, want it to begin with %q", e, want)
			}
			for _, part := range tt.want {
				if !strings.Contains(e.Error(), part) {
					t.Errorf("got %q, want %q in it", e, part)
				}
			}
		})
	}
}

// An unknown kernel must not hide or make other mistakes of its section: what
// may be its parameters is let through, what can't be is not.
func TestUnknownKernelHidesNothing(t *testing.T) {
	es := mistakes(t, aMatrix+`[[kernel]]
name = "cpu_sel"
sigma = 3
where = "sigma > block and blok > 1"
blok = 5
`)
	var keys []string

	for _, e := range es {
		keys = append(keys, fmt.Sprint(e.Line, e.Key))
	}
	if got, want := strings.Join(keys, " "), "5kernel.name 7kernel.where 8kernel.blok"; got != want {
		t.Errorf("got %s, want %s:\n%v", got, want, es)
	}
}
