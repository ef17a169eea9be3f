import { type Command, InvalidArgumentError } from 'commander'
import { type ClientOptions, clientOptions, connect } from './client.ts'
import { dim, printJson, printLines } from './output.ts'

interface Options extends ClientOptions {
  set?: [path: string[], value: unknown][]
  json?: true
}

export function triggerCommand(program: Command): void {
  const trigger = program
    .command('trigger <type>')
    .description('Tell an event in test mode as if it had happened')
    .option('--set <path=value>', 'change its data: data.amount=5000', readSet)
    .option('--json', 'print the event')
    .addHelpText(
      'after',
      `
It goes to every webhook that wants the type, and to whoever listens. Nothing else changes: no
invoice is paid by it. docs/EVENTS.md has all types with an example of each.

Examples:
  $ tradepost trigger invoice.paid
  $ tradepost trigger invoice.paid --set data.amount=5000 --set data.customerName="Ada Obi"`,
    )
    .action(run)
  clientOptions(trigger)
}

async function run(type: string, { set = [], json, ...options }: Options): Promise<void> {
  const tradepost = await connect(options)
  const data: Record<string, unknown> = {}
  for (const [path, value] of set) put(data, path, value)
  const event = await tradepost.simulator.event({ type, data })
  if (json) printJson(event)
  else printLines(`${event.type} ${dim(event.id)}`)
}

/** `data.amount=5000`; `data.` may be left out. Numbers, true, false, null and JSON are values. */
function readSet(text: string, before: [string[], unknown][] = []): [string[], unknown][] {
  const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(text) ?? []
  const path = (name ?? '').split('.').filter((step, i) => !(i === 0 && step === 'data'))
  const isPath = path.length > 0 && path.every((step) => /^[A-Za-z_][\w-]*$|^\d{1,4}$/.test(step))
  if (!isPath || path.some((step) => step === '__proto__')) {
    throw new InvalidArgumentError('It must be like data.amount=5000.')
  }
  return [...before, [path, parsed(value ?? '')]]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let place = into
  for (const step of path.slice(0, -1)) {
    const next = place[step]
    place[step] = typeof next === 'object' && next !== null ? next : {}
    place = place[step] as Record<string, unknown>
  }
  place[path.at(-1)!] = value
}
