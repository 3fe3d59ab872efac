#!/usr/bin/env bash
# nvcc.sh FOLDER ARCH=FILE... -- NVCC ARGUMENT...
#
# Calls nvcc, and moves the PTX that it made for each ARCH (such as 90a) on the
# way to an object to FILE. FOLDER holds the intermediate files meanwhile: in
# /tmp, nvcc tells those of two calls apart by process ids, which sandboxes may
# share.
set -eu

folder=$1
shift
wanted=()
while [ "$1" != -- ]; do
  wanted+=("$1")
  shift
done
shift

rm -rf "$folder"
mkdir "$folder"
trap 'rm -rf "$folder"' EXIT
"$@" --keep --keep-dir "$folder"

for pair in "${wanted[@]}"; do
  if [ ${#wanted[@]} = 1 ]; then
    ptx=("$folder"/*.ptx)
  else
    ptx=("$folder"/*.compute_"${pair%%=*}".ptx)
  fi
  mv "${ptx[@]}" "${pair#*=}"
done
