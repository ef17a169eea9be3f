// Installs the dependencies if they differ from package-lock.json; otherwise it is silent. It runs
// before every npm script and before `tradepost start`, under Node 20 or newer, so it has no
// dependencies itself. No other command installs anything. It installs the development tools even
// with NODE_ENV=production, because a clone builds the dashboard and runs from its sources.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { constants } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { buildDashboard, isDashboardBuilt } from './dashboard.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = join(ROOT, 'node_modules')
/** This file is in node_modules once the install is complete. */
const STAMP = '.tradepost-setup.json'
/** Where an install is built, and where the previous one is kept until the next start. */
const NEXT = join(ROOT, '.setup', 'next')
const FORMER = join(ROOT, '.setup', 'former')
const LOCK = join(ROOT, '.setup.lock')
const LOCK_TOUCH_MS = 2_000
/** A lock that has not been touched for this long belongs to a process that has exited. */
const LOCK_STALE_MS = 15_000
/** How long npm can take to exit after its set-up has been killed. */
const ORPHAN_MS = 120_000
/** How long an install can run without any output. */
const SLOW_MS = 75_000

/**
 * Makes node_modules match package-lock.json. It is safe if several run at once, after an
 * interrupted run, and beside a running server: the new tree is built beside the old one and takes
 * its name when it is complete. `isStart` removes the old tree. Throws an Error whose message is
 * for the person at the terminal.
 */
export async function setUp({ isStart = false } = {}) {
  const wanted = { lock: fingerprint() }
  if (isStart) rmSync(FORMER, { recursive: true, force: true })
  if (isDone(wanted)) return
  const release = await takeLock(wanted)
  if (!release) return
  try {
    if (!installed(wanted)) await install(wanted)
    if (!isDashboardBuilt(ROOT)) await buildDashboard(ROOT)
  } finally {
    release()
  }
}

/** Ends the process if set-up has not run for this version. Installs nothing. */
export function requireSetUp() {
  try {
    if (installed({ lock: fingerprint() })) return
    say(
      'Tradepost is not installed for this version yet: run npm start, or node scripts/setup.mjs.',
    )
  } catch (error) {
    say(error.message)
  }
  process.exit(1)
}

const isDone = (wanted) => installed(wanted) && isDashboardBuilt(ROOT)

function fingerprint() {
  let text
  try {
    text = readFileSync(join(ROOT, 'package-lock.json'))
  } catch {
    throw new Error(`package-lock.json is missing in ${ROOT}: clone the repository again`)
  }
  const hash = createHash('sha256').update(text).digest('hex')
  return `${hash} ${process.platform} ${process.arch}`
}

const installed = (wanted) => isComplete(MODULES, wanted)

function isComplete(modules, wanted) {
  try {
    const stamp = JSON.parse(readFileSync(join(modules, STAMP), 'utf8'))
    return stamp.lock === wanted.lock
  } catch {
    return false
  }
}

/**
 * Resolves to a function that releases the lock, or to undefined if another process has done the
 * work.
 */
async function takeLock(wanted) {
  for (let told = false; ; await sleep(200)) {
    if (tryLock()) {
      if (!isDone(wanted)) return holdLock()
      rmSync(LOCK, { recursive: true, force: true })
      return undefined
    }
    if (isDone(wanted)) return undefined
    const holder = lockHolder()
    if (holder.stale) takeAway(holder)
    else if (!told) say(`Waiting for another set-up that is running (process ${holder.pid}).`)
    told = true
  }
}

function tryLock() {
  try {
    mkdirSync(LOCK)
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw new Error(`Cannot write to ${ROOT} (${error.code}): run this as the user who owns it.`)
  }
  notePids(process.pid)
  return true
}

function notePids(...pids) {
  writeFileSync(join(LOCK, 'pid'), pids.join(' '))
}

function lockHolder() {
  const stats = statSync(LOCK, { throwIfNoEntry: false })
  if (!stats) return { stale: false }
  const [pid, npmPid] = pidsIn(LOCK)
  const untouchedMs = Date.now() - stats.mtimeMs
  // If only this process is killed, npm carries on, and two of them would damage each other's work.
  const patienceMs = npmPid && alive(npmPid) && !alive(pid) ? ORPHAN_MS : LOCK_STALE_MS
  const abandoned = pid && !alive(pid) && !(npmPid && alive(npmPid))
  return { pid, touched: stats.mtimeMs, stale: abandoned || untouchedMs > patienceMs }
}

function pidsIn(lock) {
  try {
    return readFileSync(join(lock, 'pid'), 'utf8').split(' ').map(Number)
  } catch {
    return []
  }
}

function alive(pid) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
}

/**
 * Removes a lock if its owner has not changed. It is renamed first, which only one process can do.
 */
function takeAway(holder) {
  if (lockHolder().touched !== holder.touched) return
  const aside = `${LOCK}.${process.pid}`
  try {
    renameSync(LOCK, aside)
    rmSync(aside, { recursive: true, force: true })
  } catch {}
}

function holdLock() {
  const touch = setInterval(() => {
    try {
      utimesSync(LOCK, new Date(), new Date())
    } catch {}
  }, LOCK_TOUCH_MS)
  return () => {
    clearInterval(touch)
    rmSync(LOCK, { recursive: true, force: true })
  }
}

async function install(wanted) {
  const built = join(NEXT, 'node_modules')
  // A set-up that was interrupted between building and renaming has left a complete tree.
  if (!isComplete(built, wanted)) await build(wanted, built)
  if (existsSync(MODULES)) {
    mkdirSync(FORMER, { recursive: true })
    renameSync(MODULES, join(FORMER, `${Date.now()}`))
  }
  renameSync(built, MODULES)
  rmSync(NEXT, { recursive: true, force: true })
}

async function build(wanted, built) {
  const began = Date.now()
  say('Installing the dependencies. This takes a minute or two.')
  mkdirSync(NEXT, { recursive: true })
  for (const name of ['package.json', 'package-lock.json', '.npmrc']) {
    if (existsSync(join(ROOT, name))) copyFileSync(join(ROOT, name), join(NEXT, name))
  }
  // Without a network, npm tries every package several times before it reports an error.
  const slow = setTimeout(say, SLOW_MS, STILL)
  const { status, signal, output } = await npm([
    'ci',
    '--ignore-scripts',
    '--prefer-offline',
    '--include=optional',
    '--include=dev',
    '--engine-strict=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]).finally(() => clearTimeout(slow))
  if (signal) throw new Stopped(signal)
  if (status !== 0) throw new Error(explain(status, output))
  linkOurselves(built)
  writeFileSync(join(built, STAMP), JSON.stringify(wanted))
  say(`Installed in ${Math.round((Date.now() - began) / 1000)} s.`)
}

const STILL = 'Still installing: this machine or its network is slow, or there is no network.'

class Stopped extends Error {
  constructor(signal) {
    super('Stopped before the installation was complete; the next run starts it again.')
    this.status = 128 + constants.signals[signal]
  }
}

/**
 * Runs npm, if possible the same npm that runs this script, and keeps its output in case of a
 * failure.
 */
function npm(args) {
  const own = process.env.npm_execpath ?? ''
  const [command, ...first] =
    basename(own) === 'npm-cli.js' && existsSync(own) ? [process.execPath, own] : ['npm']
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], {
      cwd: NEXT,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (child.pid) notePids(process.pid, child.pid)
    let output = ''
    const keep = (text) => {
      output = (output + text).slice(-20_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    // On a signal, npm would spend half a minute cleaning up what the next `npm ci` removes anyway.
    const stop = (signal) => {
      stoppedBy = signal
      child.kill('SIGKILL')
    }
    let stoppedBy
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    for (const signal of signals) process.on(signal, stop)
    const done = () => {
      for (const signal of signals) process.off(signal, stop)
    }
    child.on('error', (error) => {
      done()
      reject(error.code === 'ENOENT' ? new Error(NO_NPM) : error)
    })
    child.on('close', (status, signal) => {
      done()
      resolve({ status, signal: stoppedBy ?? signal, output })
    })
  })
}

const NO_NPM =
  'npm was not found. Install Node 20 or newer together with npm (https://nodejs.org), then repeat ' +
  'the command.'

function explain(status, output) {
  const stack = /^npm error\s+(at |[{}]|(type|errno|syscall|code):|$)/
  const lines = output
    .trim()
    .split('\n')
    .filter((line) => !stack.test(line))
  return [
    `npm could not install the dependencies (it ended with ${status}):`,
    ...lines.slice(-12).map((line) => `  ${line}`),
    hint(output),
  ].join('\n')
}

function hint(output) {
  if (/ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|network/i.test(output)) {
    return 'The package registry cannot be reached: check the network or proxy, then repeat the command.'
  }
  if (/EACCES|EPERM/.test(output)) {
    return `Something below ${ROOT} belongs to another user: make yourself the owner (chown), then repeat the command.`
  }
  if (/ENOSPC/.test(output))
    return 'The disk is full: about 2 GB is needed while an install is replaced.'
  return 'Fix this problem, then repeat the command. Nothing else was changed.'
}

/**
 * Lets `npx tradepost` find this clone at once. npm 11 uses `bin` in package.json instead, which is
 * slower. Without this entry, npx would fetch a different package of that name before set-up.
 */
function linkOurselves(modules) {
  try {
    symlinkSync('../../bin/tradepost.js', join(modules, '.bin', 'tradepost'))
  } catch {}
}

/**
 * Prints to standard error, to keep it separate from output that a command writes for other
 * programs.
 */
function say(line) {
  process.stderr.write(`${line}\n`)
}

/** Runs `setUp`; if it fails, prints the reason and ends the process. */
export async function setUpOrExit(options) {
  try {
    await setUp(options)
  } catch (error) {
    say(error.message)
    process.exit(error.status ?? 1)
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  await setUpOrExit({ isStart: process.argv.includes('--start') })
}
