// Checks the licence of every package in package-lock.json, and asks the registry whether they have
// known vulnerabilities that are serious. Some registries do not say.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** What a release may contain without conditions for the operator. */
const FREE = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0']
FREE.push('ISC', 'MIT', 'MIT-0', 'Python-2.0', 'Unlicense')

/** Other licences, with the packages that may have them and the reason. */
const SPECIAL = [
  // Separate libraries, which sharp loads.
  { licence: 'LGPL-3.0-or-later', packages: /^@img\/sharp-/ },
  // Fonts, which stay separate files.
  { licence: 'OFL-1.1', packages: /^@expo-google-fonts\// },
  // Development tools, of which no release contains anything.
  { licence: 'MPL-2.0', packages: /^(axe-core|@axe-core\/playwright|lightningcss.*)$/ },
  // Their package.json does not say. Their licence files are MIT.
  { licence: undefined, packages: /^(busboy|humanize-number|png-js|reserved|streamsearch)$/ },
]

const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
const problems = []
for (const [path, { license }] of Object.entries(packages)) {
  const name = path.split('node_modules/').at(-1)
  if (name && !isAllowed(name, license)) problems.push(`${name} has the licence ${license}`)
}
problems.push(...vulnerabilities())
for (const line of problems) console.error(line)
if (problems.length > 0) process.exit(1)

/** `A AND B` needs both to be allowed; of `A OR B`, one is enough. */
function isAllowed(name, license) {
  const isFine = (one) =>
    FREE.includes(one) || SPECIAL.some((rule) => rule.licence === one && rule.packages.test(name))
  if (license === undefined) return isFine(undefined)
  const choices = license.replaceAll(/[()]/g, '').split(' OR ')
  return choices.some((choice) => choice.split(' AND ').every(isFine))
}

function vulnerabilities() {
  const args = ['audit', '--audit-level=high', '--package-lock-only', '--json']
  const { stdout } = spawnSync('npm', args, { cwd: ROOT, encoding: 'utf8' })
  const report = JSON.parse(stdout || '{}')
  if (!report.vulnerabilities) {
    console.log('The registry did not say which vulnerabilities are known.')
    return []
  }
  return Object.values(report.vulnerabilities)
    .filter(({ severity }) => ['high', 'critical'].includes(severity))
    .map(({ name, severity, range }) => `${name} ${range} has a vulnerability (${severity})`)
}
