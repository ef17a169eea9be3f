#!/usr/bin/env node
// The `tradepost` command, for Node 20 and newer. It continues with a Node that the server
// supports, in src/cli/main.ts in a clone and in dist/main.js in a release. In a clone, `start`
// installs missing dependencies.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { basename, dirname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const path = (relative) => fileURLToPath(new URL(`../${relative}`, import.meta.url))
/** A release has no scripts and no sources: scripts/build.mjs has bundled them. */
const isClone = existsSync(path('scripts/setup.mjs'))
const MAIN = isClone ? path('src/cli/main.ts') : path('dist/main.js')
/** Compiles the files that Node can't run directly, and keeps the result. */
const LOADER = path('src/loader.js')

/**
 * Bounds the server's memory under load, at no measurable cost: V8 would let new objects take up
 * 128 MB, and garbage three times as much as what is in use. Under load, 64 connections made it
 * 490 MB without these limits and 270 MB with them.
 */
const V8_LIMITS = ['--max-semi-space-size=16', '--heap-growing-percent=100']
const isServer = process.argv[2] === 'start'
/** Started by a server that is running, so everything is installed already. */
const isWorker = isServer && process.argv[3] === '--as-worker'
const limits = isServer ? V8_LIMITS : []
process.env.TRADEPOST_COMMAND ??= commandAs(process.argv[1])
/** glibc would give each thread its own heap, and return little of it. */
const env = isServer ? { MALLOC_ARENA_MAX: '2', ...process.env } : process.env

const isFitHere = isFit(process.versions.node)
if (isFitHere && isServer) applyLimits()
if (isClone) {
  const { requireSetUp, setUpOrExit } = await import('../scripts/setup.mjs')
  if (isServer && !isWorker) await setUpOrExit({ isStart: true })
  else requireSetUp()
}
const pinned = pinnedNode()
if (isFitHere) await goOnHere()
else if (pinned) goOnUnder(pinned)
else {
  process.stderr.write(
    `Tradepost needs Node 24.12 or newer, but this is ${process.version}: ` +
      'install it from https://nodejs.org, then run the command again.\n',
  )
  process.exit(1)
}

/**
 * Returns how people run this command, for hints. It is on the PATH in the container image and
 * after a global installation. npx and npm scripts run it from `node_modules/.bin`, which is not.
 */
function commandAs(path) {
  const isOnPath = basename(path) === 'tradepost' && basename(dirname(path)) !== '.bin'
  return isOnPath ? 'tradepost' : 'npx tradepost'
}

/** Returns undefined if npm has no Node for this platform. */
function pinnedNode() {
  try {
    const { resolve } = createRequire(import.meta.url)
    return resolve(`node-${process.platform}-${process.arch}/bin/node`)
  } catch {
    return undefined
  }
}

/** From this version on, Node strips types without a flag or a warning. */
function isFit(version) {
  const [major, minor] = version.split('.').map(Number)
  if (major === 24) return minor >= 12
  if (major === 25) return minor >= 2
  return major > 25
}

/**
 * Starts again in the same process, because the limits only apply at the start of a process. A
 * parent that talks to this process over a channel would lose it, and Windows can't do this.
 */
function applyLimits() {
  const { execPath, execArgv, argv, platform, connected } = process
  if (platform === 'win32' || connected || execArgv.includes(V8_LIMITS[0])) return
  process.execve(execPath, [execPath, ...execArgv, ...V8_LIMITS, ...argv.slice(1)], env)
}

async function goOnHere() {
  if (isClone) await import(pathToFileURL(LOADER).href)
  process.argv[1] = MAIN
  await import(pathToFileURL(MAIN).href)
}

/**
 * The child gets its own session. Otherwise Ctrl-C would reach it twice, from the terminal and from
 * this process, and the second one means "stop immediately".
 */
function goOnUnder(node) {
  const hook = isClone ? ['--import', pathToFileURL(LOADER).href] : []
  const args = [...limits, ...hook, MAIN, ...process.argv.slice(2)]
  const childEnv = { ...env, TRADEPOST_PARENT: String(process.pid) }
  const child = spawn(node, args, { stdio: 'inherit', detached: true, env: childEnv })
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`could not run ${node}: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (status, signal) => process.exit(status ?? 128 + constants.signals[signal]))
}
