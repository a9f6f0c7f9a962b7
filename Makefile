# make run: the site with a demo arena. make test: the whole suite on SQLite, then on PostgreSQL; what needs no
# database or asks only what is shown on SQLite alone, what needs a browser on PostgreSQL alone. Both begin with a
# migrated database, and the first time each takes as long to make as hundreds of tests: so they are made together.
# Everything they need is installed into .venv; `make clean` takes it away again, and keeps the data.

# Links in mails, feeds and invitations follow it (SITE_URL in foa/settings.py).
export PORT ?= 8000
JOBS ?= 2
BIN := .venv/bin
MANAGE := $(BIN)/python manage.py
# The scopes in the order of tests/conftest.py, long ones first: not those with the most tests.
PYTEST := $(BIN)/python -m pytest -n $(JOBS) --dist loadscope --no-loadscope-reorder
# The system's own Python where it is new enough, as production has it: distributions build it with profile-guided
# optimization, which makes it a third faster than one that was compiled without.
IS_PYTHON := -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
PYTHON ?= $(shell for one in /usr/bin/python3 python3 python3.13 python3.12 python3.11; do \
	$$one $(IS_PYTHON) && echo $$one && exit; done; echo python3)
# Where this is set, every start of Python compiles Django anew: seconds for each command and each worker of the tests.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help run test migrated test-fast test-sqlite test-postgresql test-pgbouncer test-two-sites services lint audit-dependencies bench bench-large lab-bench soak upgrade production container package lock locale clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-20s %s\n", $$1, $$2 }' Makefile

run: .venv/runtime .env ## the site on 127.0.0.1:8000 (PORT=8110 for another port), its worker, and a demo arena in which people play; data is kept
	@$(BIN)/python -c 'import socket; socket.create_server(("127.0.0.1", $(PORT)))' 2>/dev/null || \
		{ echo 'Port $(PORT) is taken. Choose another one: make run PORT=8110' >&2; exit 1; }
	@$(MANAGE) collectstatic --no-input --verbosity 0 & files=$$!; \
	$(MANAGE) migrate --verbosity 0 && wait $$files
# The site starts while the demo is made, and the others when it is there: they would delay the first page.
	@trap 'kill $$worker $$site $$arena 2>/dev/null; wait' EXIT; trap 'exit 130' INT; trap 'exit 143' TERM HUP; \
	$(BIN)/gunicorn --config python:foa.serving foa.wsgi --bind 127.0.0.1:$(PORT) --workers 2 --log-level warning & site=$$!; \
	$(MANAGE) load_demo || exit; \
	printf '\nThe rating office opens at http://127.0.0.1:$(PORT)/\n'; \
	$(MANAGE) run_jobs & worker=$$!; \
	$(MANAGE) simulate_arena --url http://127.0.0.1:$(PORT) & arena=$$!; \
	$(MANAGE) demo_logins; \
	wait $$site

test: migrated test-sqlite test-postgresql ## the suite on SQLite and on a PostgreSQL that it starts itself

migrated: .venv/dev services
	@$(BIN)/python -c 'from tests import migrated; migrated.sqlite()' & \
	$(BIN)/python -c 'from tests import postgresql; postgresql.data_directory()' & wait

test-fast: .venv/dev ## on SQLite, without browsers, other processes and what takes long, with fewer random examples
	env -u DATABASE_URL $(PYTEST) -m 'not browser and not process and not long' --hypothesis-profile few

test-sqlite: .venv/dev services
	env -u DATABASE_URL $(PYTEST) -m 'not browser'

test-postgresql: .venv/dev services
	$(PYTEST) -m 'not pure and not rendered' -p tests.postgresql --hypothesis-profile few

test-pgbouncer: .venv/dev services ## what asks PostgreSQL, through a PgBouncer that pools transactions
	$(PYTEST) -m 'not pure and not rendered' -p tests.pgbouncer --hypothesis-profile few

test-two-sites: .venv/dev services ## the browser tests before nginx, two sites and two workers
	$(BIN)/python -m pytest -p tests.postgresql -p tests.two_sites tests/browser

# Debian packages whose programs the tests start, each with its commands, one of which is enough. Root gets them
# installed where there is apt-get, one by one, since Ubuntu lacks some, and installing them starts nothing. Everybody
# else runs the tests without them: those that need one are skipped, and the last line names the packages
# (tests/services.py).
SERVICES := nginx:nginx openssl:openssl pgbackrest:pgbackrest pgbouncer:pgbouncer postgresql:pg_ctlcluster prometheus:promtool \
	redis-server:redis-server systemd:systemd-analyze curl:curl \
	chromium-headless-shell:chromium-headless-shell:chromium:google-chrome

services: ## as root, the Debian packages whose programs the tests start; without them those tests are left out
	@export PATH="$$PATH:/usr/sbin" DEBIAN_FRONTEND=noninteractive; \
	[ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 0; \
	missing=$$(for one in $(SERVICES); do \
		for command in $$(echo "$${one#*:}" | tr : ' '); do command -v "$$command" >/dev/null && continue 2; done; \
		echo "$${one%%:*}"; done); \
	[ -n "$$missing" ] || exit 0; \
	[ -e /usr/sbin/policy-rc.d ] || { trap 'rm /usr/sbin/policy-rc.d' EXIT; \
		printf '#!/bin/sh\nexit 101\n' > /usr/sbin/policy-rc.d; chmod +x /usr/sbin/policy-rc.d; }; \
	apt-get update -qq; \
	for one in $$missing; do \
		apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=600 "$$one" >/dev/null || left="$$left $$one"; done; \
	[ -z "$$left" ] || echo "The tests that need these packages are left out:$$left" >&2

lint: .venv/dev ## style, types, layers, migrations, production settings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/djade --check --target-version 5.2 $$(git ls-files 'templates/*.html')
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MANAGE) makemigrations --check --dry-run
	$(BIN)/python -m tests.deployment.migrations
	SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(64))') \
		ALLOWED_HOSTS=ratings.example HTTPS=true TRUSTED_PROXIES=unix EMAIL_URL=smtp://mail.example:25 $(MANAGE) check --deploy --fail-level WARNING

audit-dependencies: .venv/bin/uv ## pinned packages against the published advisories; asks an index of them, so it isn't part of `lint`
	$(BIN)/uv tool run --from 'pip-audit>=2.9,<3' pip-audit --strict --progress-spinner off --disable-pip --require-hashes \
		--requirement requirements.txt --requirement requirements-dev.txt

bench: .venv/dev ## measured speed beside its limits, on both databases; ARGS="--only saving --on SQLite" for parts
	$(BIN)/python -m tests.benchmarks $(ARGS)

bench-large: .venv/dev ## ten million games among 100,000 members (hours)
	BENCH_GAMES=10000000 $(BIN)/python -m tests.benchmarks --only importing,rebuild,saving,corrections $(ARGS)

lab-bench: .venv/dev ## our rules beside Elo, Glicko-1, openskill and WHR: the table in docs/lab.md
	@$(BIN)/python -m tests.benchmarks.side_by_side

soak: .venv/dev ## everybody uses the office while its parts are killed (an hour); ARGS="--minutes 3 --seed 7"
	$(BIN)/python -m tests.soak $(ARGS)

upgrade: .venv/dev ## the version FROM and this one side by side under load, and the way back; FROM=REVISION
	$(BIN)/python -m tests.deployment.upgrade $(FROM) $(ARGS)

production: .venv/dev ## docs/production.md to the letter, in a Debian that it makes and boots; as root
	$(BIN)/python -m tests.deployment.production $(ARGS)

container: .venv/dev ## docs/containers.md to the letter, with Docker or podman; ARGS=--nested on a machine that is a container
	$(BIN)/python -m tests.deployment.container $(ARGS)

package: .venv/dev ## a wheel in build/, and beside it the packages it needs, pinned
	@mkdir -p build
	@cp requirements.txt requirements-streams.txt requirements-lab.txt build/
	$(BIN)/hatchling build --target wheel --directory build

lock: .venv/dev ## pin the dependencies of pyproject.toml anew, without naming an index
	for extra in '' streams lab dev; do \
		$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade \
			$${extra:+--extra $$extra} pyproject.toml -o requirements$${extra:+-$$extra}.txt; \
	done

locale: .venv/dev ## the Polish catalogue anew, needs gettext
	$(MANAGE) makemessages -l pl --no-location --no-obsolete --ignore .venv --ignore staticfiles --ignore tests
	$(MANAGE) compilemessages -l pl --ignore .venv

clean: ## take away what the other commands have made, but not the database
	rm -rf .venv staticfiles .mypy_cache .pytest_cache .ruff_cache .hypothesis

# After the tool's own words.
NO_PACKAGES := echo 'The packages can’t be installed: is there a network, and do pip and uv know your proxy or index?' >&2; exit 1

.env:
	@umask 077; $(PYTHON) -c 'import secrets; print("SECRET_KEY=" + secrets.token_urlsafe(64))' > .env

.venv/bin/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'Python 3.11 or newer is needed; $(PYTHON) is older or missing. To name another one: make PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { \
		[ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv --clear .venv; } || { \
		echo 'The venv module of Python is needed: install python3-venv.' >&2; exit 1; }
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check uv || { $(NO_PACKAGES); }

.venv/runtime: requirements.txt | .venv/bin/uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.txt || { $(NO_PACKAGES); }
	@touch $@

.venv/dev: requirements-dev.txt | .venv/bin/uv
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $< || { $(NO_PACKAGES); }
	@touch $@
