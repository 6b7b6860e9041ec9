# SPDX-License-Identifier: Apache-2.0
VERSION := $(patsubst v%,%,$(shell git describe --tags --always --dirty 2>/dev/null))
MODULE := $(shell sed -n "s/^module //p" go.mod)
STAMP := -X $(MODULE)/internal/cli/command.stamped
LDFLAGS := -s -w $(STAMP)=$(VERSION) $(STAMP)Commit=$(shell git rev-parse HEAD 2>/dev/null) \
	$(STAMP)Committed=$(shell git log -1 --format=%cI 2>/dev/null)
BUILD := go build

# What is released has the same bytes wherever the clone lies; what runs here is compiled alike, so that it is once.
ifdef RELEASE
TRIM := -trimpath
BUILD += $(TRIM) -buildvcs=false
LDFLAGS += -buildid=
endif

BIN := bin
PREFIX := /usr/local
ROOT = $(DESTDIR)$(PREFIX)
DOC = $(ROOT)/share/doc/spmvtune
FILES = README.md CONTRIBUTING.md CHANGELOG.md LICENSE CITATION.cff
# What the pages tell to read, copy or run.
NAMED = library/spmvtune.h $(wildcard configs/*.toml) $(addprefix kernels/custom/testdata/,spmv.c cusparse.cu) \
	rule/code/example/select_spmv.c $(addprefix internal/release/,spmvtune.def spack/spmvtune/package.py)
COMPLETIONS = $(addprefix $(ROOT)/share/,bash-completion/completions zsh/site-functions fish/vendor_completions.d)

# Symbols of the driver are bound when they are first used (-z lazy): it is opened at run time.
# The CUDA toolkit is where CUDA_HOME or CUDA_PATH says, where nvcc lies, or in
# one of the usual places. Its headers are enough to build.
NVCC := $(shell command -v nvcc 2>/dev/null)
CUDA_ROOT := $(patsubst %/include/cuda.h,%,$(firstword $(wildcard $(foreach root,\
	$(CUDA_HOME) $(CUDA_PATH) $(and $(NVCC),$(abspath $(dir $(NVCC))..)) /usr/local/cuda /opt/cuda /usr,\
	$(root)/include/cuda.h))))
CUDA_LIBS := $(foreach dir,lib64 lib64/stubs lib/x86_64-linux-gnu lib/x86_64-linux-gnu/stubs lib/stubs,\
	$(patsubst %,-L%,$(wildcard $(CUDA_ROOT)/$(dir))))
COMPAT = $(CURDIR)/kernels/cuda/internal/compat
ifneq ($(CUDA_ROOT),)
CUDA_ENV = CGO_CFLAGS="-O2 -Wno-deprecated-declarations -I$(COMPAT) -I$(CUDA_ROOT)/include" \
	CGO_LDFLAGS="-O2 -Wl,-z,lazy -L$(COMPAT) $(CUDA_LIBS)"
endif

# What runs on this machine, whatever it builds for.
HOST_GO = env -u GOARCH -u CC $(CUDA_ENV) go
SPMVTUNE = $(if $(filter-out $(shell go env GOHOSTARCH),$(GOARCH)),$(HOST_GO) run $(TRIM) .,$(BIN)/spmvtune)
export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)

.DEFAULT_GOAL := build
.PHONY: help build lib install-lib install uninstall release test test-long check gpu-tests vet-cuda cgo clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

# Both programs have the same flags for C, so that SQLite is compiled once, which takes a third of a build: without -g, as
# symbols are stripped (-s).
build: ## bin/spmvtune, and bin/spmvtune-cuda where cuda.h is found
	$(CUDA_ENV) $(BUILD) -ldflags "$(LDFLAGS)" -o $(BIN)/spmvtune .
ifneq ($(CUDA_ROOT),)
	$(CUDA_ENV) $(BUILD) -tags cuda -ldflags "$(LDFLAGS)" -o $(BIN)/spmvtune-cuda .
endif

EXPORTS = -extldflags=-Wl,--version-script=$(CURDIR)/library/exports.map
LIB_TAGS = $(and $(CUDA_ROOT),-tags cuda)
lib: ## bin/libspmvtune.so, for the GPU as well where cuda.h is found, with its header and spmvtune.py
	$(CUDA_ENV) $(BUILD) $(LIB_TAGS) -buildmode=c-shared -ldflags "$(LDFLAGS) $(EXPORTS)" -o $(BIN)/libspmvtune.so ./library
	rm -f $(BIN)/libspmvtune.h
	install -m 644 library/spmvtune.h library/spmvtune.py $(BIN)

install-lib: lib ## the library, its header, its Python module, a pkg-config file and examples, below PREFIX
	install -d $(ROOT)/lib/pkgconfig $(ROOT)/include $(ROOT)/share/spmvtune/examples
	install -m 755 $(BIN)/libspmvtune.so $(ROOT)/lib
	install -m 644 library/spmvtune.h $(ROOT)/include
	install -m 644 library/spmvtune.py $(ROOT)/share/spmvtune
	install -m 644 examples/* $(ROOT)/share/spmvtune/examples
	sed 's|^Version:.*|Version: $(VERSION)|' library/spmvtune.pc >$(ROOT)/lib/pkgconfig/spmvtune.pc

install: build install-lib ## programs, the library, manual pages, completions, docs and a module file, below PREFIX (/usr/local)
	install -d $(ROOT)/bin $(ROOT)/share/man/man1 $(DOC)/docs $(COMPLETIONS) $(ROOT)/share/modulefiles/spmvtune
	install -m 755 $(BIN)/spmvtune $(wildcard $(BIN)/spmvtune-cuda) $(ROOT)/bin
	$(HOST_GO) run $(TRIM) ./internal/release man "$(VERSION)" $(ROOT)/share/man/man1
	$(SPMVTUNE) completion bash >$(ROOT)/share/bash-completion/completions/spmvtune
	$(SPMVTUNE) completion zsh >$(ROOT)/share/zsh/site-functions/_spmvtune
	$(SPMVTUNE) completion fish >$(ROOT)/share/fish/vendor_completions.d/spmvtune.fish
	install -m 644 $(FILES) $(DOC)
	internal/release/notices.sh $(BIN)/spmvtune $(BIN)/libspmvtune.so $(wildcard $(BIN)/spmvtune-cuda) >$(DOC)/NOTICES
	cp -r docs/. $(DOC)/docs
	cp --parents $(NAMED) $(DOC)
	ln -sfn ../../spmvtune/examples $(DOC)/examples
	install -m 644 internal/release/modulefile $(ROOT)/share/modulefiles/spmvtune/$(VERSION)

uninstall: ## what install puts below PREFIX
	rm -rf $(DOC) $(ROOT)/share/spmvtune $(ROOT)/share/modulefiles/spmvtune
	rm -f $(ROOT)/bin/spmvtune $(ROOT)/bin/spmvtune-cuda $(ROOT)/share/man/man1/spmvtune.1 \
		$(ROOT)/share/man/man1/spmvtune-*.1 $(ROOT)/lib/libspmvtune.so $(ROOT)/lib/pkgconfig/spmvtune.pc \
		$(ROOT)/include/spmvtune.h $(foreach file,bash-completion/completions/spmvtune zsh/site-functions/_spmvtune \
		fish/vendor_completions.d/spmvtune.fish,$(ROOT)/share/$(file))

release: ## archives, digests and bills of materials in dist/
	internal/release/release.sh

test: ## the tests that need no GPU and end within minutes
	go test ./...

test-long: ## all tests that need no GPU
	SPMVTUNE_LONG=1 go test -timeout 30m ./...

check: ## what CI runs
	bash .ci/run

vet-cuda: ## go vet of what has the tag cuda
	$(CUDA_ENV) go vet -tags cuda ./kernels/cuda/... ./library

cgo: ## a shell's line for the flags for C with which all is built
	@echo '$(and $(CUDA_ROOT),export $(CUDA_ENV))'

gpu-tests: ## bin/*.test and bin/gpu-check, which runs them on a machine with a GPU and without Go
ifeq ($(CUDA_ROOT),)
	$(error cuda.h is not found: set CUDA_HOME)
endif
	$(CUDA_ENV) go test -c -tags cuda -o bin/cuda.test ./kernels/cuda
	install -m 755 kernels/cuda/gpu-check.sh bin/gpu-check

clean: ## removes bin/ and dist/
	rm -rf bin dist
