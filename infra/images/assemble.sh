#!/bin/sh
# Puts into /app what one process needs of the sources in the working directory: its package, the workspace packages that
# it depends on, and their dependencies from the registry. They stay in the layout of the workspace, because Node strips
# no types below node_modules.
# Usage: assemble.sh PACKAGE [FILE OR FOLDER THAT IT READS ALSO]...
set -eu
package=$1
shift

mkdir -p /app
cp package.json pnpm-lock.yaml pnpm-workspace.yaml /app
cp -R patches /app
# `--filter-prod` follows no development dependencies.
for folder in $(pnpm --filter-prod "$package..." list --depth -1 --parseable); do
  cp -R --parents "${folder#"$PWD"/}" /app
done
for also in "$@"; do cp -R --parents "$also" /app; done

cd /app
pnpm install --prod --frozen-lockfile --filter-prod "$package..."
# The workspace's root brings Node, which the image has already. Of libraries, programs read neither source maps, TypeScript
# and documentation, nor what is for browsers, demonstrations and tests.
rm -r node_modules/node-linux-* node_modules/.bin node_modules/.pnpm/node-linux-*
find node_modules/.pnpm -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.mdx' \
  -o -name '*.md' ! -iname 'LICEN[CS]E*' -o -name '*.browser.js' -o -path '*/playground/*' -o -path '*/test/perf/*' \
  -o -path '*/test/samples/*' \) -delete
# Of the parts that depend on the platform, those of this one are used.
machine=$(uname -m)
for release in node_modules/.pnpm/@temporalio+core-bridge@*/node_modules/@temporalio/core-bridge/releases/*; do
  case $release in */"$machine-unknown-linux-gnu" | *'/*') ;; *) rm -r "$release" ;; esac
done
pnpm --filter-prod "$package..." sbom --prod --lockfile-only --sbom-format cyclonedx --sbom-spec-version 1.6 \
  --sbom-type application --out sbom.cdx.json
