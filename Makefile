VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -s -w -X spmvtune/internal/cli/command.stamped=$(VERSION)

# NVML's symbols are bound when they are first used (-z lazy): it is opened at run time.
# The CUDA toolkit is where CUDA_HOME or CUDA_PATH says, where nvcc lies, or in
# one of the usual places. Its headers are enough to build.
NVCC := $(shell command -v nvcc 2>/dev/null)
CUDA_ROOT := $(patsubst %/include/cuda.h,%,$(firstword $(wildcard $(foreach root,\
	$(CUDA_HOME) $(CUDA_PATH) $(and $(NVCC),$(abspath $(dir $(NVCC))..)) /usr/local/cuda /opt/cuda /usr,$(root)/include/cuda.h))))
CUDA_LIBS := $(foreach dir,lib64 lib64/stubs lib/x86_64-linux-gnu lib/x86_64-linux-gnu/stubs lib/stubs,\
	$(patsubst %,-L%,$(wildcard $(CUDA_ROOT)/$(dir))))
CUDA_ENV = CGO_CFLAGS="-O2 -g -Wno-deprecated-declarations -I$(CURDIR)/kernels/cuda/internal/compat -I$(CUDA_ROOT)/include" \
	CGO_LDFLAGS="-O2 -g -Wl,-z,lazy $(CUDA_LIBS)"

.PHONY: build test test-long check gpu-tests vet-cuda clean

build: ## bin/spmvtune, and bin/spmvtune-cuda where cuda.h is found
	go build -ldflags "$(LDFLAGS)" -o bin/spmvtune .
ifneq ($(CUDA_ROOT),)
	$(CUDA_ENV) go build -tags cuda -ldflags "$(LDFLAGS)" -o bin/spmvtune-cuda .
endif

test: ## the tests that need no GPU and end within minutes
	go test ./...

test-long: ## all tests that need no GPU
	SPMVTUNE_LONG=1 go test -timeout 30m ./...

check: ## what CI runs
	bash .ci/run

vet-cuda: ## go vet with the tag cuda
	$(CUDA_ENV) go vet -tags cuda ./...

gpu-tests: ## bin/*.test and bin/gpu-check, which runs them on a machine with a GPU and without Go
ifeq ($(CUDA_ROOT),)
	$(error cuda.h is not found: set CUDA_HOME)
endif
	$(CUDA_ENV) go test -c -tags cuda -o bin/cuda.test ./kernels/cuda
	install -m 755 kernels/cuda/gpu-check.sh bin/gpu-check

clean:
	rm -rf bin
