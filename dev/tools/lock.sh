#!/bin/sh
# Makes requirements.lock from pyproject.toml: `make lock`, or `make lock ARGS=--upgrade`; and from
# the same pins requirements-lab.lock, the part of it that a learner needs, and
# requirements-course.lock, the part that an instructor needs.
# Each package comes with the SHA-256 of its files, so that what is installed is what was pinned.
# It runs in an environment of its own, so that no index, mirror or folder of this machine gets in.
set -eu
cd "$(dirname "$0")/../.."

# FILE ARGUMENTS...
lock() {
    out=$1
    shift
    env -i PATH="$PATH" HOME="$HOME" UV_NO_CONFIG=1 \
        ${SSL_CERT_FILE:+SSL_CERT_FILE="$SSL_CERT_FILE"} \
        ${HTTPS_PROXY:+HTTPS_PROXY="$HTTPS_PROXY"} \
        .venv/bin/uv pip compile pyproject.toml --generate-hashes \
        --universal --python-version 3.11 --fork-strategy requires-python \
        --no-emit-package recsys-workbook-content \
        --no-emit-index-url --no-emit-find-links --no-annotate \
        --custom-compile-command "make lock" \
        --quiet --output-file "$out" "$@"
}

lock requirements.lock --extra dev "$@"
# Hatchling builds the project itself, which is installed without an environment of its own.
for part in lab=workbook course=course; do
    echo hatchling | lock "requirements-${part%=*}.lock" - --extra "${part#*=}" \
        --constraints requirements.lock
done
