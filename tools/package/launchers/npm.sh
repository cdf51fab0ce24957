#!/bin/sh
# Starts mcpx with the Deno that was installed beside it: directly, since going through Node costs a tenth of a second.
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in
    /*) self=$link ;;
    *) self=$(dirname "$self")/$link ;;
  esac
done
home=$(cd "$(dirname "$self")/.." && pwd -P)
case $(uname -s) in
  Darwin) system=darwin libc= ;;
  *) system=linux libc=-glibc ;;
esac
case $(uname -m) in
  arm64 | aarch64) machine=arm64 ;;
  *) machine=x64 ;;
esac
deno=
folder=$home
while :; do
  found=$folder/node_modules/@deno/$system-$machine$libc/deno
  if [ -x "$found" ]; then
    deno=$found
    break
  fi
  [ "$folder" = / ] && break
  folder=$(dirname "$folder")
done
if [ -z "$deno" ]; then
  deno=$(command -v deno) || {
    echo "error: Cannot start mcpx: there is no Deno for $system-$machine beside it." >&2
    echo "hint: npm install deno" >&2
    exit 1
  }
fi
MCPX_LAUNCHER=$home/bin/mcpx
export MCPX_LAUNCHER
exec "$deno" run -A --quiet @FLAGS@ "$home/dist/mcpx.js" "$@"
