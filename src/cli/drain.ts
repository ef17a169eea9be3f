import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { readConfig } from '../config.ts'
import { type Found, findServers } from '../processes/control.ts'
import type { DrainStatus } from '../processes/drain.ts'
import { EXIT, printJson, printLines, terminal } from './output.ts'

export function drainCommand(program: Command): void {
  program
    .command('drain')
    .description('Take the servers on this machine out of service without stopping them')
    .option('--pid <number>', 'only the server with this process id', readNumber)
    .option('--timeout <seconds>', 'how long to wait until they are drained', readNumber, 60)
    .option('--json', 'print [{pid, state, requests, working}] as JSON')
    .addHelpText(
      'after',
      `
Finds the servers that use the same DATA_DIR, and waits until they are drained:

  - /health/ready responds with 503, so that load balancers send requests elsewhere
  - requests that still arrive are handled, and their connections closed
  - background jobs finish what they have started, and begin nothing new

A server is drained once its jobs have ended and no request has arrived for 10 s. It keeps running
until you stop it with SIGTERM, and only a restart puts it back into service. Work that is due
waits for the other servers of the database, or for the restart. SIGUSR2 to a server's first process
starts the same.

The exit status is 1 if a server is not drained in time, or if none is running.

Examples:
  $ tradepost drain
  $ tradepost drain --pid 4711 --timeout 30 --json`,
    )
    .action(drain)
}

interface Options {
  pid?: number
  timeout: number
  json?: true
}

type Seen = Omit<DrainStatus, 'state'> & { state: DrainStatus['state'] | 'stopped' }

const LOOK_MS = 500

async function drain({ pid, timeout, json }: Options): Promise<void> {
  const { DATA_DIR } = readConfig(terminal().env)
  const all = await findServers(DATA_DIR)
  const servers = all.filter((one) => pid === undefined || one.pid === pid)
  if (servers.length === 0) {
    const which = pid === undefined ? 'no server' : `no server with process id ${pid}`
    throw new Error(`${which} is running on this machine with DATA_DIR ${DATA_DIR}`)
  }
  const until = performance.now() + timeout * 1000
  const tell = (line: string) => {
    if (!json) printLines(line)
  }
  const seen = await Promise.all(servers.map((server) => drainOne(server, until, tell)))
  if (json) printJson(seen)
  const isDone = seen.every(({ state }) => state !== 'draining')
  if (!isDone) terminal().exitCode = EXIT.failed
}

async function drainOne(server: Found, until: number, tell: (line: string) => void) {
  const { pid } = server
  let told = ''
  for (let what: 'drain' | 'status' = 'drain'; ; ) {
    const answer = (await server.ask(what)) as DrainStatus | undefined | null
    const seen = answer === null ? SILENT : (answer ?? STOPPED)
    // A server that does not respond may not have read it.
    if (seen !== SILENT) what = 'status'
    const isLate = performance.now() >= until
    const line = `Server ${pid} ${isLate && seen.state === 'draining' ? 'is not drained: ' : ''}${saysOf(seen)}`
    if (line !== told) tell(line)
    told = line
    if (isLate || seen.state !== 'draining') return { pid, ...seen }
    await sleep(LOOK_MS)
  }
}

const STOPPED: Seen = { state: 'stopped', requests: 0, working: false }
/** Whether it drains is not known, so it counts as a server that is not drained yet. */
const SILENT: Seen = { state: 'draining', requests: 0, working: true }

function saysOf(seen: Seen): string {
  const { state, requests, working } = seen
  if (seen === SILENT) return 'does not respond.'
  if (state === 'stopped') return 'has stopped.'
  if (state !== 'draining') return `is ${state}.`
  const parts = [
    ...(requests > 0 ? [`${requests} ${requests === 1 ? 'request' : 'requests'}`] : []),
    ...(working ? ['background work'] : []),
  ]
  if (parts.length === 0) return 'is draining: it waits until no request arrives for 10 s.'
  return `is draining: ${parts.join(' and ')} in progress.`
}

function readNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a whole number.')
}
