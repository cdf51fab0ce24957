#!/bin/sh
# mcpx and the Deno that runs it, in one file: unpacked once for each version, then started from there.
self=$0
case $self in
  */*) ;;
  *) self=$(command -v "$self") ;;
esac
MCPX_LAUNCHER=$(cd "$(dirname "$self")" && pwd -P)/$(basename "$self")
export MCPX_LAUNCHER
base=${XDG_CACHE_HOME:-${HOME:+$HOME/.cache}}
case $base in
  /*) ;;
  *) base=${TMPDIR:-/tmp}/mcpx-$(id -u) ;;
esac
home=$base/mcpx/program/@DIGEST@
if [ ! -x "$home/deno" ]; then
  umask 077
  mkdir -p "$base/mcpx/program" || exit 1
  work=$(mktemp -d "$base/mcpx/program/.unpack-XXXXXX") || exit 1
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM HUP
  if ! tail -c +@OFFSET@ "$MCPX_LAUNCHER" | tar xz -C "$work"; then
    echo "error: Cannot unpack mcpx into $work." >&2
    echo "hint: df -h $base" >&2
    exit 1
  fi
  # Whoever is first wins; what the others unpacked is the same.
  mv "$work" "$home" 2>/dev/null || [ -x "$home/deno" ] || exit 1
  trap - EXIT INT TERM HUP
  rm -rf "$work"
fi
exec "$home/deno" run -A --quiet @FLAGS@ "$home/dist/mcpx.js" "$@"
