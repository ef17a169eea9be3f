import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, inject } from 'vitest'
import { freePort } from './ports.ts'

const ADMIN = 'pgbouncer'

/**
 * Starts PgBouncer in transaction mode with its defaults, in front of the cluster of the tests. Few
 * sessions serve many connections, so that each statement may run in another session.
 */
export async function startPgBouncer({ user, password }: { user: string; password: string }) {
  const { owner } = inject('cluster')
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'tradepost-pgbouncer-'))
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${owner.host} port=${owner.port} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
admin_users = ${ADMIN}
`,
  )
  const command = ['pgbouncer', '--quiet', join(folder, 'pgbouncer.ini')]
  // PgBouncer refuses to run as root. In its own user namespace it is someone else, who can still
  // use the sockets of the cluster.
  if (process.getuid?.() === 0) command.unshift('unshare', '--user')
  const [program, ...args] = command
  const child = spawn(program!, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  child.stderr.on('data', (chunk) => (log += chunk))
  const ended = once(child, 'close')
  afterAll(async () => {
    child.kill('SIGKILL')
    await ended
    await rm(folder, { recursive: true })
  })
  await Promise.race([
    listening(port),
    ended.then(() => {
      throw new Error(`PgBouncer ended: ${log}`)
    }),
  ])

  const urlOf = (database: string, as = user) => `postgres://${as}@127.0.0.1:${port}/${database}`

  /** Makes PgBouncer open new sessions. */
  async function reconnect(): Promise<void> {
    const client = new pg.Client({ connectionString: urlOf('pgbouncer', ADMIN) })
    await client.connect()
    await client.query('RECONNECT')
    await client.end()
  }
  return { port, urlOf, reconnect, log: () => log }
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await sleep(20)
  }
}
