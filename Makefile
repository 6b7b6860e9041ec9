VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS := -X spmvtune/internal/cli.version=$(VERSION)

.PHONY: build test check clean

build: ## bin/spmvtune
	go build -ldflags "$(LDFLAGS)" -o bin/spmvtune .

test: ## all tests
	go test ./...

check: ## what CI runs
	bash .ci/run

clean:
	rm -rf bin
