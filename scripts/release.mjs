// Builds everything that a release consists of into a directory:
//
//   npm run release -- [DIRECTORY] [--trial]
//
//   tradepost-VERSION.tgz         the package, to install with npm
//   tradepost-VERSION.sbom.json   what is in it, in CycloneDX's format
//   tradepost-chart-VERSION.tgz   the Helm chart (only on Linux, x64)
//   SHA256SUMS                    their checksums, for `sha256sum --check`
//
// It also freezes the migrations, unless this is a trial: commit migrations/released.txt together
// with the tag.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { broken, freeze } from './frozen.ts'
import { withHelm } from './helm.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const { values, positionals } = parseArgs({
  options: { trial: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const folder = resolve(positionals[0] ?? join(ROOT, 'release'))
/** More than the bill of materials with all development tools. */
const OUTPUT_BYTES_MAX = 64 * 1024 * 1024
const run = (program, ...args) =>
  execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: OUTPUT_BYTES_MAX })

const problems = broken(join(ROOT, 'migrations'))
if (!isOurs()) problems.push(`${folder} contains other files: name an empty directory`)
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exit(1)
}
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
run('npm', 'pack', '--silent', '--ignore-scripts=false', '--pack-destination', folder)
const bill = JSON.stringify(billOfMaterials(), undefined, 2)
writeFileSync(join(folder, `${name}-${version}.sbom.json`), `${bill}\n`)
packChart()
writeFileSync(join(folder, 'SHA256SUMS'), sums())
if (!values.trial) freeze(join(ROOT, 'migrations'))
console.log(readFileSync(join(folder, 'SHA256SUMS'), 'utf8').trimEnd())

/** Returns whether the directory can be replaced: only an empty one, or an earlier release. */
function isOurs() {
  if (!existsSync(folder)) return true
  const files = readdirSync(folder)
  return files.every((file) => file === 'SHA256SUMS' || file.startsWith(`${name}-`))
}

/**
 * Returns npm's bill of materials without the development tools. Packages that the builds of
 * the server and the dashboard contain are development dependencies for npm; each build has listed
 * its packages in licences.md.
 */
function billOfMaterials() {
  const bill = JSON.parse(run('npm', 'sbom', '--sbom-format=cyclonedx', '--package-lock-only'))
  const licences = ['dist', 'dashboard/dist']
    .map((built) => readFileSync(join(ROOT, built, 'licences.md'), 'utf8'))
    .join('\n')
  const built = new Set(
    [...licences.matchAll(/^## (\S+) - (\S+)/gm)].map(([, of, at]) => `${of}@${at}`),
  )
  const isDevelopment = ({ properties = [] }) =>
    properties.some(
      ({ name: of, value }) => of === 'cdx:npm:package:development' && value === 'true',
    )
  const components = bill.components.filter(
    (one) => !isDevelopment(one) || built.has(`${one.name}@${one.version}`),
  )
  const kept = new Set([
    bill.metadata.component['bom-ref'],
    ...components.map((one) => one['bom-ref']),
  ])
  const dependencies = bill.dependencies
    .filter(({ ref }) => kept.has(ref))
    .map(({ ref, dependsOn = [] }) => ({
      ref,
      dependsOn: dependsOn.filter((one) => kept.has(one)),
    }))
  bill.metadata.component.name = name
  return { ...bill, components, dependencies }
}

function packChart() {
  withHelm((helm) => {
    const scratch = mkdtempSync(join(tmpdir(), 'tradepost-chart-'))
    try {
      cpSync(join(ROOT, 'packaging', 'helm'), join(scratch, name), { recursive: true })
      helm('package', join(scratch, name), '--destination', scratch)
      // The temporary directory can be on another file system.
      copyFileSync(
        join(scratch, `${name}-${version}.tgz`),
        join(folder, `${name}-chart-${version}.tgz`),
      )
    } finally {
      rmSync(scratch, { recursive: true })
    }
  })
}

function sums() {
  const files = readdirSync(folder).sort()
  return files
    .map((file) => {
      const hash = createHash('sha256')
        .update(readFileSync(join(folder, file)))
        .digest('hex')
      return `${hash}  ${basename(file)}\n`
    })
    .join('')
}
