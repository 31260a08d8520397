#!/bin/sh
# Bundles the page of `llt view` into llt/view/static. Needs node and npm; users of llt need neither.
set -eu
cd "$(dirname "$0")"
out=../llt/view/static
npm ci --ignore-scripts --no-audit --no-fund --silent
three=$(node -p 'require("./package-lock.json").packages["node_modules/three"].version')
mkdir -p "$out"
npx --no-install esbuild src/main.js --bundle --minify --format=esm --target=es2022 \
    --legal-comments=none --banner:js="/* llt view, with three.js $three; see LICENSES.txt */" \
    --outfile="$out/viewer.js" --log-level=warning
npx --no-install esbuild src/viewer.css --bundle --minify --target=es2022 \
    --outfile="$out/viewer.css" --log-level=warning
cp src/index.html "$out/index.html"
{
    echo "viewer.js contains three.js $three (https://threejs.org) under this licence:"
    echo
    cat node_modules/three/LICENSE
    for part in delaunator robust-predicates; do
        echo
        echo "and $part $(node -p "require('./node_modules/$part/package.json').version") under this:"
        echo
        cat node_modules/$part/LICENSE*
    done
    echo
    echo "The color tables viridis and cividis are in the public domain (CC0); all else is llt's own,"
    echo "under the licence of llt."
} > "$out/LICENSES.txt"
