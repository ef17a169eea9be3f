// Checks that do not run Tradepost itself: npm run check [format|types|prose|unused …]
// Prints whether each passed, the output of those that failed, and a line of counts.

import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const CHECKS = {
  // Runs first, because it takes longest and only uses one thread.
  unused: ['unused code and dependencies', 'knip', '--no-config-hints'],
  format: ['format and lint', 'biome', 'ci', '--error-on-warnings', '.'],
  types: ['types', 'tsc', '--noEmit', '-p', '.'],
  // Without Node's types, as the SDK only uses what every runtime provides.
  sdk: ['types of the SDK', 'tsc', '--noEmit', '-p', 'sdk'],
  dashboard: ['types of the dashboard', 'tsc', '--noEmit', '-p', 'dashboard'],
  promises: ['floating promises', 'oxlint', '--type-aware', '--deny-warnings'],
  prose: ['plain English', 'node', 'scripts/prose.mjs'],
  dependencies: ['licences and vulnerabilities', 'node', 'scripts/dependencies.mjs'],
  packaging: ['packaging', 'node', 'scripts/packaging.mjs'],
}

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !(name in CHECKS))
if (unknown.length > 0) {
  console.error(
    `Unknown check: ${unknown.join(', ')}. Choose from ${Object.keys(CHECKS).join(', ')}.`,
  )
  process.exit(2)
}

const names = wanted.length > 0 ? wanted : Object.keys(CHECKS)
const waiting = [...names]
let failed = 0
// One check per core, because some of them only use one.
await Promise.all(Array.from({ length: availableParallelism() }, checkNext))
console.log(`${names.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

async function checkNext() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const [title, command, ...args] = CHECKS[name]
    const began = Date.now()
    const { status, output } = await run(command, args)
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    console.log(`${status === 0 ? 'passed' : 'FAILED'}  ${title} (${seconds} s)`)
    if (status === 0) continue
    failed++
    console.log(output.trimEnd())
  }
}

function run(command, args) {
  return new Promise((resolve) => {
    const path = command === 'node' ? process.execPath : join(ROOT, 'node_modules/.bin', command)
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' }
    const child = spawn(path, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = (text) => {
      output += text
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => resolve({ status: 1, output: error.message }))
    child.on('close', (status) => resolve({ status, output }))
  })
}
