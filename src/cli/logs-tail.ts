import type { Command } from 'commander'
import type { ListedRequestRecord, Tradepost } from '../../sdk/src/index.ts'
import { type ClientOptions, clientOptions, connect } from './client.ts'
import { pause, untilStopped } from './follow.ts'
import { dim, printLines } from './output.ts'

interface Options extends ClientOptions {
  status?: string
  operation?: string
  json?: true
}

const PAUSE_MS = 1_000
const LIMIT = 100
const SEEN_MAX = 10_000

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
  const seen = new Set((await tradepost.requests.list(filter, { signal })).data.map(({ id }) => id))
  try {
    while (!signal.aborted) {
      for (const call of (await unseen(tradepost, filter, seen, signal)).reverse()) {
        seen.add(call.id)
        if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value as number)
        printLines(json ? JSON.stringify(call) : lineOf(call))
      }
      await pause(PAUSE_MS, signal)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** What came since, newest first: the pages before one on which something was seen already. */
async function unseen(
  tradepost: Tradepost,
  filter: object,
  seen: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<ListedRequestRecord[]> {
  const calls: ListedRequestRecord[] = []
  let cursor: string | undefined
  do {
    const { data, meta } = await tradepost.requests.list(
      { ...filter, ...(cursor && { cursor }) },
      { signal },
    )
    const fresh = data.filter(({ id }) => !seen.has(id))
    calls.push(...fresh)
    cursor = fresh.length === LIMIT ? (meta.next ?? undefined) : undefined
  } while (cursor)
  return calls
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
