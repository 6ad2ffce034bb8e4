# Two commands matter: "make gen-rules" and "make test". Both install what they
# need on a Debian machine that has Go, a C compiler, make and git.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

ARGS        ?=
FUZZTIME    ?= 10s
BENCHTIME   ?= 1s
# of "make bench": names of benchmarks (taso bench list), or --all
BENCH       ?=
# of "make rule-sets": names of rules/sets/manifest (none: all)
SETS        ?=
# of "make adversary": laws and models that are written, goroutines, and the seed
ADVERSARY_LAWS    ?= 200000
ADVERSARY_MODELS  ?= 20000
ADVERSARY_WORKERS ?= 2
ADVERSARY_SEED    ?= 1
# of "make pairs": numbers of pairs, processes, the seed, and a folder for wrong answers
PAIRS         ?= 24000
PAIRS_WORKERS ?= 2
PAIRS_SEED    ?= 1
PAIRS_KEEP    ?=
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

.DEFAULT_GOAL := help
.PHONY: help setup vendor build gen-rules rule-sets test sweeps example large cluster cluster-test bench models go-bench lint fuzz adversary pairs laws-found fit proto clean

help: ## print this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## check Go and the C compiler, install libz3-dev and g++ if missing, vendor
	@scripts/setup

vendor: ## refresh vendor/ and what cluster/ needs (after a new import or a change of go.mod)
	@scripts/setup vendor
	go -C cluster mod tidy
	@scripts/setup cluster

build: setup ## bin/taso
	go build -o bin/taso ./cmd/taso

gen-rules: build ## generate and prove rules.rules (more flags: ARGS="--workers 2")
	bin/taso gen-rules --max-ops 4 --out rules.rules $(ARGS)

rule-sets: build ## generate the rule sets that ship with taso (SETS="bert cnn"; a stopped run continues)
	@scripts/rule-sets $(SETS)

laws-found: build ## docs/laws-found.md: generate all rule sets, look the axioms up (minutes)
	@scripts/laws-found

# Tests allocate much: a larger heap saves a fifth of their time; the limit keeps them small on small machines.
test: export GOGC = 400
test: export GOMEMLIMIT = 3GiB
test: setup ## vet and all tests (CI=true: none skips for want of ONNX)
	@scripts/setup python
	go vet ./...
	go test -vet=off -timeout 30m ./...

sweeps: export GOGC = 400
sweeps: export GOMEMLIMIT = 3GiB
sweeps: setup ## what make test takes samples of (internal/sweep), whole
	@scripts/setup python
	TASO_WHOLE_SWEEPS=1 go test -vet=off -timeout 60m $$(git grep -lE 'sweeps?\.Size' -- '*_test.go' | xargs dirname | sort -u | sed 's|^|./|')

example: setup ## the worked example of CONTRIBUTING.md with the tests of all packages that it touches
	go test -tags example -run '^TestContributing$$' .

large: setup ## optimize a model of 2.4 GB (3 GB of disk, some minutes)
	go vet -tags large ./cmd/taso
	go test -tags large -run TestOptimizeLarge -v ./cmd/taso

# The module in cluster/ has Apache Beam's modules, which no other target fetches.
cluster: setup ## bin/taso-cluster: rules on many machines (docs/scale.md)
	@scripts/setup cluster
	go -C cluster build -o ../bin/taso-cluster ./cmd/taso-cluster

cluster-test: setup ## vet and the tests of cluster/, on Beam's local runner
	@scripts/setup cluster
	go -C cluster vet ./...
	go -C cluster test -timeout 30m ./...

bench: build ## make tables of RESULTS.md: BENCH="funnel moves" (none: list them)
	bin/taso bench $(if $(BENCH),run $(BENCH),list)

models: ## models of today, exported by PyTorch, beside ONNX Runtime (scripts/models says more; ARGS="llama swin")
	@scripts/models $(ARGS)

go-bench: setup ## Go's benchmarks of all packages (BENCHTIME=1s)
	go test -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

lint: setup ## gofmt, go vet, staticcheck
	@files=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go')); \
	if [[ -n $$files ]]; then printf 'not gofmt-ed:\n%s\n' "$$files" >&2; exit 1; fi
	go vet ./...
	go run $(STATICCHECK) ./...
	@scripts/setup cluster
	go -C cluster run $(STATICCHECK) ./...

fuzz: setup ## every fuzz target for a short time (FUZZTIME=10s)
	@git grep --untracked -hoE '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' >/dev/null || { echo 'no fuzz targets'; exit 0; }; \
	git grep --untracked -oE '^func Fuzz[A-Za-z0-9_]*' -- '*_test.go' | sort | \
	while IFS=: read -r file decl; do \
		echo "fuzz $$(dirname "$$file") $${decl#func }"; \
		in=.; if [[ $$file == cluster/* ]]; then in=cluster; scripts/setup cluster; fi; \
		go -C $$in test -run '^$$' -fuzz "^$${decl#func }\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$${file#cluster/}")"; \
	done
	@$(MAKE) --no-print-directory adversary ADVERSARY_LAWS=5000 ADVERSARY_MODELS=200

adversary: setup ## false laws, and models with false proofs, put to every engine (ADVERSARY_LAWS=200000 ADVERSARY_MODELS=20000)
	@scripts/setup python
	go test ./internal/adversary -run '^Test(Long|Models)$$' -v -timeout 0 -adversary.laws $(ADVERSARY_LAWS) \
		-adversary.models $(ADVERSARY_MODELS) -adversary.workers $(ADVERSARY_WORKERS) -adversary.seed $(ADVERSARY_SEED)

pairs: setup ## pairs of models put to taso verify: the table of right and wrong answers (PAIRS=24000)
	@scripts/setup python
	go test ./internal/modelpairs -run '^TestPairs$$' -v -timeout 0 -pairs.count $(PAIRS) -pairs.workers $(PAIRS_WORKERS) \
		-pairs.seed $(PAIRS_SEED) $(if $(PAIRS_KEEP),-pairs.keep $(abspath $(PAIRS_KEEP)))

fit: ## fit cost/machines to the times of DeepBench and write the table of errors in docs/costs.md
	go test ./cost -run '^TestDeepBench$$' -update
	go test ./parallel/machine -run '^TestDeepBench$$'

proto: ## generate onnx/onnxpb from onnx.proto (needs protoc: apt-get install protobuf-compiler)
	GOBIN=$(CURDIR)/.cache/bin go install google.golang.org/protobuf/cmd/protoc-gen-go@$$(go list -mod=mod -m -f '{{.Version}}' google.golang.org/protobuf)
	protoc --plugin=protoc-gen-go=$(CURDIR)/.cache/bin/protoc-gen-go --proto_path=onnx/onnxpb --go_out=onnx/onnxpb \
		--go_opt=paths=source_relative --go_opt=Monnx.proto=github.com/taso-go/taso/onnx/onnxpb onnx.proto

clean: ## remove what make made (not the installed packages)
	rm -rf bin vendor .cache cluster/vendor cluster/.cache rules.rules rules.cert
