import type { Command } from 'commander'
import { type ClientOptions, clientOptions, connect } from './client.ts'
import { follow, isWanted, untilStopped } from './follow.ts'
import { dim, printLines, UsageError } from './output.ts'
import { readList } from './values.ts'

interface Options extends ClientOptions {
  events?: string[]
  json?: true
}

export function eventsTail(events: Command): void {
  const tail = events
    .command('tail')
    .description('Show events as they happen')
    .option('--events <list>', 'only these types: invoice.paid,transfer.* (all)', readList)
    .option('--json', 'print each as a line of JSON')
    .action(run)
  clientOptions(tail)
}

/** Throws for a pattern that no type of event matches: nothing would ever be shown for it. */
async function refuseUnknown(
  tradepost: Awaited<ReturnType<typeof connect>>,
  patterns: readonly string[] = [],
): Promise<void> {
  if (patterns.length === 0) return
  const types = (await tradepost.events.listTypes().toArray()).map(({ type }) => type)
  const unknown = patterns.filter((pattern) => !types.some((type) => isWanted(type, [pattern])))
  if (unknown.length === 0) return
  throw new UsageError(`no event type matches ${unknown.join(', ')}; docs/EVENTS.md lists them all`)
}

async function run({ events, json, ...options }: Options): Promise<void> {
  const tradepost = await connect(options)
  await refuseUnknown(tradepost, events)
  for await (const event of await follow(tradepost, untilStopped())) {
    if (!isWanted(event.type, events)) continue
    const { reference } = event.data as { reference?: string }
    printLines(
      json
        ? JSON.stringify(event)
        : `${dim(event.timestamp)}  ${event.type.padEnd(28)} ${reference ?? ''}  ${dim(event.id)}`,
    )
  }
}
