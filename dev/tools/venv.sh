#!/bin/sh
# Makes .venv and installs into it what requirements.lock pins, and the project itself.
# `make` runs this when one of them has changed. `dev/tools/venv.sh lab` installs the part of it that a
# learner needs, `dev/tools/venv.sh course` that of an instructor, and `dev/tools/venv.sh uv` stops once
# uv is there.
set -eu
cd "$(dirname "$0")/../.."
started=$(date +%s)

say() { printf '· %s\n' "$*"; }

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

# Prints the Python to use: the one asked for, or the first that is new enough and complete.
find_python() {
    incomplete=
    # 3.11 is what the pinned set is tested with most.
    set -- python3.11 python3.12 python3.13 python3 python3.14 python
    [ -z "${PYTHON:-}" ] || set -- "$PYTHON"
    for name in "$@"; do
        fits "$name" || continue
        if "$name" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
        incomplete=${incomplete:-$name}
    done
    if [ -n "$incomplete" ]; then
        version=$("$incomplete" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        echo "$incomplete cannot make a virtual environment: its module venv or ensurepip is missing." >&2
        echo "On Debian and Ubuntu: apt install python$version-venv" >&2
    elif [ -n "${PYTHON:-}" ]; then
        echo "PYTHON=$PYTHON is not a Python 3.11 or newer. Name one that is, or none." >&2
    else
        echo "No Python 3.11 or newer was found. Install one, or name it: make PYTHON=/path/to/python3.11" >&2
    fi
    return 1
}

# One that was interrupted while it was made has no pip.
if ! fits .venv/bin/python || ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    python=$(find_python)
    say "making .venv with $("$python" --version) ($python)"
    "$python" -m venv --clear .venv
fi

# uv installs the set in a fraction of pip's time. It is a convenience: without it pip does.
pin=$(sed -n 's/^uv==\([^ ;]*\).*/\1/p' requirements.lock 2>/dev/null || true)
pip() { .venv/bin/python -m pip --disable-pip-version-check "$@"; }
get_uv() {
    [ -n "$pin" ] || { pip install --quiet uv; return; }
    # Its own lines of the lock, for it is held to its hashes as all the others are.
    sed -n '/^uv==/,/[^\\]$/p' requirements.lock >.venv/uv.lock
    pip install --quiet --require-hashes -r .venv/uv.lock
}
if [ "$(.venv/bin/uv --version 2>/dev/null | cut -d' ' -f2)" != "${pin:-any}" ]; then
    say "getting uv, which installs the rest"
    get_uv || say "uv cannot be had here"
fi
[ "${1:-}" = uv ] && exit

# pip's settings are unknown to uv; a mirror set for one is meant for the other.
mirror=${PIP_INDEX_URL:-$(pip config get global.index-url 2>/dev/null || true)}
with_uv() {
    [ -x .venv/bin/uv ] || return 1
    [ -z "$mirror" ] || export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$mirror}"
    # Left to the first start, compiling is done at every start where Python may not write.
    .venv/bin/uv pip install --quiet --compile-bytecode --python .venv/bin/python "$@"
}
install() {
    with_uv "$@" || { say "pip takes over, which is slower"; pip install --quiet "$@"; }
}

lock=requirements.lock stamp=.installed
case "${1:-}" in
lab | course) lock=requirements-$1.lock stamp=.$1 ;;
esac
count=$(grep -c == "$lock")
say "installing the $count packages of $lock; the first time takes a minute"
# Whoever looks on sees that it goes on.
tell() {
    while sleep 1; do
        there=$(find .venv/lib -maxdepth 3 -name '*.dist-info' 2>/dev/null | wc -l)
        printf '\r  %s packages are there, %s s ' "$((there))" "$(($(date +%s) - started))"
    done
}
watcher=
if [ -t 1 ]; then
    tell &
    watcher=$!
    trap 'kill "$watcher" 2>/dev/null' EXIT
fi
# All that is needed stands in the lock; asked to look once more, an older pip takes the extra of a
# package for a package without a pin.
install --require-hashes --no-deps -r "$lock"
if [ -n "$watcher" ]; then
    kill "$watcher"
    trap - EXIT
    printf '\n'
fi
# Clones had this name once. It is another project's, with the same import.
set -- .venv/lib/python*/site-packages/recsys_metrics-*.dist-info
[ ! -e "$1" ] || pip uninstall --quiet --yes recsys-metrics
say "installing recsys-workbook itself"
install --no-deps --no-build-isolation -e .
# What installs the rest is got again when the rest is asked for.
if [ "$stamp" != .installed ] && [ -x .venv/bin/uv ]; then pip uninstall --quiet --yes uv; fi
pwd -P >".venv/$stamp"
say "ready after $(($(date +%s) - started)) s"
