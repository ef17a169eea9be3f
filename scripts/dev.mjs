// npm run dev: the server, which restarts after a change in src or migrations, and the dashboard
// with hot reload. Both listen on loopback only. The embedded database belongs to this process, so
// it keeps running while the server restarts.

import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const path = (relative) => join(ROOT, relative)
const WATCHED = [path('src'), path('migrations')]
const HOST = '127.0.0.1'
const NODE_MAJOR_MIN = 24

/** The paths that the server handles. Vite serves the dashboard at all others. */
const OF_SERVER =
  '^/(api|console|media|brand|accent|assets|docs|openapi\\.json|mailbox|favicon\\.ico)(?=[/?.]|$)'

/** Editors can save several files at once, for which one restart is enough. */
const SETTLE_MS = 100
/** Requests or streams that are still open must not hold up the next version. */
const STOP_MS = 3_000

if (Number.parseInt(process.versions.node, 10) < NODE_MAJOR_MIN) {
  console.error(
    `npm run dev needs Node ${NODE_MAJOR_MIN} or newer, and this is ${process.version}.`,
  )
  process.exit(1)
}

// Imported here because older versions of Node can't parse them.
const { pino } = await import('pino')
const { createServer } = await import('vite')
const { readConfig } = await import('../src/config.ts')
const { openConfigured } = await import('../src/db/connect.ts')
const { LOG_OPTIONS } = await import('../src/log.ts')

const config = readConfig(process.env)
const PORT = config.PORT === 0 ? 4000 : config.PORT
const log = pino({ ...LOG_OPTIONS, level: 'warn' }, pino.destination({ dest: 2, sync: true }))
const database = await openConfigured(config, log)

let server = start()
let isDue = false
let isStopping = false
let restarting = Promise.resolve()

const vite = await createServer({
  configFile: path('dashboard/vite.config.ts'),
  plugins: [{ name: 'beside-the-server', configureServer: besideServer }],
  server: {
    host: HOST,
    fs: { allow: ['dashboard', 'src', 'sdk', 'node_modules'].map(path) },
    // Meanwhile, set-up can build the dashboard.
    watch: { ignored: ['**/dashboard/dist*/**'] },
    proxy: { [OF_SERVER]: `http://${HOST}:${PORT}` },
  },
})
await vite.listen()
console.log('\n  The dashboard with hot reload:')
vite.printUrls()

/** Called again when Vite restarts, as it does when its configuration changes. */
function besideServer({ middlewares, watcher }) {
  // The dashboard waits while the server starts, so that it doesn't show an error.
  middlewares.use(async (request, _response, next) => {
    if (new RegExp(OF_SERVER).test(request.url)) await listening()
    next()
  })
  watcher.add(WATCHED)
  watcher.on('all', (_event, file) => {
    const isOfServer = WATCHED.some((folder) => file.startsWith(folder))
    if (isOfServer && !/\.(test|fixture)\.ts$/.test(file)) restart()
  })
  // Vite would end the process before the database has stopped.
  process.stdin.removeAllListeners('end')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.removeAllListeners(signal).on(signal, () => void stop())
  }
}

/** Starts a server. If it fails, the next change starts a new one. */
function start() {
  const args = ['--import', path('src/loader.js'), path('src/cli/main.ts'), 'start']
  const env = { ...process.env, HOST, PORT: String(PORT) }
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env })
  const started = { child, isEnding: false, hasEnded: false }
  started.ended = new Promise((resolve) => {
    child.once('error', resolve)
    child.once('exit', resolve)
  }).then(() => {
    started.hasEnded = true
    if (!started.isEnding) console.error('The server stopped. It starts again after a change.')
  })
  return started
}

async function end(started) {
  started.isEnding = true
  started.child.kill('SIGTERM')
  const late = setTimeout(() => started.child.kill('SIGKILL'), STOP_MS)
  await started.ended
  clearTimeout(late)
}

function restart() {
  if (isDue || isStopping) return
  isDue = true
  restarting = restarting.then(async () => {
    await sleep(SETTLE_MS)
    isDue = false
    await end(server)
    if (!isStopping) server = start()
  })
}

/** Resolves when the server accepts connections or has exited. */
async function listening() {
  for (;;) {
    await restarting
    if (server.hasEnded || (await canConnect())) return
    await sleep(SETTLE_MS)
  }
}

function canConnect() {
  return new Promise((resolve) => {
    const socket = connect(PORT, HOST)
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}

async function stop() {
  if (isStopping) process.exit(1)
  isStopping = true
  await restarting
  await end(server)
  await vite.close()
  await database.stop()
  process.exit(0)
}
