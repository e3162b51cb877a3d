#!/bin/sh
# The wheel, installed without development extras in an environment of its own, builds the sample archive from elsewhere.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$BIN/python" -m build --wheel --outdir "$work/dist" "$here" >"$work/build.log" 2>&1 || { cat "$work/build.log"; exit 1; }
"$BIN/python" -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check "$work"/dist/*.whl
cp -R "$here/runs" "$work/archive"
cd "$work"
"$work/venv/bin/sitegen" build archive -o out --quiet --no-cache
for page in index.html zh/index.html archive.json glossary/index.html; do
    test -s "out/$page" || { echo "the installed wheel did not write $page"; exit 1; }
done
echo "wheel: builds the sample archive outside the checkout"
