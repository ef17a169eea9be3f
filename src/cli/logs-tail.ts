import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import type { ListedRequestRecord } from '../../sdk/src/index.ts'
import { type ClientOptions, clientOptions, connect } from './client.ts'
import { untilStopped } from './follow.ts'
import { dim, printLines } from './output.ts'

interface Options extends ClientOptions {
  status?: string
  operation?: string
  json?: true
}

const PAUSE_MS = 1_000
const LIMIT = 100

export function logsTail(logs: Command): void {
  const tail = logs
    .command('tail')
    .description('Show calls of the API as they are answered')
    .option('--status <status>', 'only these: 4xx, 500')
    .option('--operation <name>', 'only of this operation: create_invoice')
    .option('--json', 'print each as a line of JSON')
    .action(run)
  clientOptions(tail)
}

async function run({ status, operation, json, ...options }: Options): Promise<void> {
  const tradepost = await connect(options)
  const signal = untilStopped()
  const filter = { ...(status && { status }), ...(operation && { operation }), limit: LIMIT }
  const read = async () => (await tradepost.requests.list(filter, { signal })).data
  const seen = new Set((await read()).map(({ id }) => id))
  while (!signal.aborted) {
    // Newest first; the next look comes before a page of them is full, or some are not shown.
    for (const call of (await read()).reverse()) {
      if (seen.has(call.id)) continue
      seen.add(call.id)
      if (seen.size > 10 * LIMIT) seen.delete(seen.values().next().value as number)
      printLines(json ? JSON.stringify(call) : lineOf(call))
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => {})
  }
}

const lineOf = ({
  at,
  method,
  url,
  status,
  durationMs,
  errorCode,
  requestId,
}: ListedRequestRecord) =>
  [dim(at), status, method.padEnd(4), url, errorCode ?? '', dim(`${durationMs} ms  ${requestId}`)]
    .filter((part) => part !== '')
    .join('  ')
