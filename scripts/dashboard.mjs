// Builds the dashboard (dashboard/dist) if its sources have changed since the last build. It is
// part of set-up, so it runs under Node 20 or newer and only needs what set-up installs.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const STAMP = 'dashboard/dist/.built-of'

/** Returns whether dashboard/dist was built from the current sources. */
export function isDashboardBuilt(root) {
  try {
    return readFileSync(join(root, STAMP), 'utf8') === fingerprint(root)
  } catch {
    return false
  }
}

/**
 * Builds the dashboard beside the existing build and replaces that once the new one is complete,
 * because a server may be running. Throws an Error whose message is for the person at the terminal.
 */
export async function buildDashboard(root) {
  const built = join(root, 'dashboard', 'dist')
  const next = `${built}.next`
  const { status, output } = await vite(root, next)
  if (status !== 0) throw new Error(`The dashboard could not be built:\n${output.trim()}`)
  writeFileSync(join(next, '.built-of'), fingerprint(root))
  rmSync(built, { recursive: true, force: true })
  renameSync(next, built)
}

/** Returns the hash of everything that goes into the build. */
function fingerprint(root) {
  const hash = createHash('sha256')
  const files = [
    'package-lock.json',
    'src/lib/csv.ts',
    'src/pages/styles/tokens.css',
    'src/pages/accent.ts',
    'src/pages/icon.svg',
    'src/lib/scopes.ts',
    'dashboard/index.html',
    'dashboard/vite.config.ts',
    ...filesBelow(root, 'dashboard/src'),
  ]
  for (const file of files) hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function filesBelow(root, folder) {
  return readdirSync(join(root, folder))
    .sort()
    .flatMap((name) => {
      const path = `${folder}/${name}`
      return statSync(join(root, path)).isDirectory() ? filesBelow(root, path) : [path]
    })
}

function vite(root, outDir) {
  const path = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const args = [path, 'build', 'dashboard', '--logLevel', 'warn', '--outDir', outDir]
  return new Promise((resolve) => {
    const env = { ...process.env, NODE_ENV: 'production' }
    const child = spawn(process.execPath, args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const keep = (text) => {
      output = (output + text).slice(-20_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => resolve({ status: 1, output: error.message }))
    child.on('close', (status) => resolve({ status, output }))
  })
}
