import { randomBytes } from 'node:crypto'
import { type Command, InvalidArgumentError } from 'commander'
import type { EventRecord } from '../../sdk/src/index.ts'
import { type ClientOptions, clientOptions, connect } from './client.ts'
import { follow, isWanted, untilStopped } from './follow.ts'
import { bold, dim, printLines } from './output.ts'
import { readList } from './values.ts'

interface Options extends ClientOptions {
  forwardTo: URL
  events?: string[]
  secret?: string
}

/** As long as the server itself waits for an answer. */
const TIMEOUT_MS = 15_000

export function listenCommand(program: Command): void {
  const listen = program
    .command('listen')
    .description('Forward events to a program on this machine, signed as webhooks are')
    .requiredOption('--forward-to <url>', 'where to: localhost:3000/hook', readForward)
    .option('--events <list>', 'only these types: invoice.paid,transfer.* (all)', readList)
    .option('--secret <whsec_…>', 'sign with this secret (a new one)', readSecret)
    .addHelpText(
      'after',
      `
Nothing has to reach this machine from outside: events are asked for, and sent on from here.

Examples:
  $ tradepost listen --forward-to localhost:3000/hook
  $ tradepost listen --forward-to localhost:3000/hook --events invoice.paid,transfer.*
  $ tradepost trigger invoice.paid --set data.amount=5000`,
    )
    .action(run)
  clientOptions(listen)
}

async function run({ forwardTo, events: types, secret, ...options }: Options): Promise<void> {
  const tradepost = await connect(options)
  const events = await follow(tradepost, untilStopped())
  const signingSecret = secret ?? `whsec_${randomBytes(32).toString('base64')}`
  printLines(
    `Forwarding events of ${bold(tradepost.baseUrl)} to ${bold(forwardTo.href)}`,
    `Signing secret: ${signingSecret}`,
    dim('Ctrl-C ends it.'),
  )
  for await (const event of events) {
    if (!isWanted(event.type, types)) continue
    const began = performance.now()
    const outcome = await forward(event, forwardTo, signingSecret)
    const ms = Math.round(performance.now() - began)
    const at = new Date().toTimeString().slice(0, 8)
    printLines(`${dim(at)}  ${event.type.padEnd(28)} ${outcome}  ${dim(`${ms} ms  ${event.id}`)}`)
  }
}

/** Sends an event once, with the body and the headers of a webhook. Answers how it went. */
async function forward(event: EventRecord, to: URL, secret: string): Promise<string> {
  const { id, type, timestamp, mode, businessId, sequence, data } = event
  const body = JSON.stringify({ id, type, timestamp, mode, businessId, sequence, data })
  const { signWebhook } = await import('../../sdk/src/index.ts')
  const headers = await signWebhook(body, { secret, id })
  try {
    const response = await fetch(to, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return String(response.status)
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } }
    return cause?.code ?? message
  }
}

/** `localhost:3000/hook` is meant as `http://localhost:3000/hook`. */
function readForward(text: string): URL {
  // A number alone would be an address of four bytes: `3000` is 0.0.11.184.
  const [, port] = /^(?:https?:\/\/)?(\d+)(?:[/?#]|$)/.exec(text) ?? []
  if (port) throw new InvalidArgumentError(`It must name the host too: localhost:${port}.`)
  const [, scheme] = /^([^/?#]*):\/\//.exec(text) ?? []
  const isWeb = scheme === undefined || /^https?$/i.test(scheme)
  const url = isWeb ? URL.parse(scheme === undefined ? `http://${text}` : text) : null
  if (!url) throw new InvalidArgumentError('It must be an address such as localhost:3000/hook.')
  if (url.username || url.password) {
    throw new InvalidArgumentError('It must be an address without a name and a password.')
  }
  return url
}

const SECRET_BYTES_MIN = 24

/** As libraries for Standard Webhooks take it. */
function readSecret(text: string): string {
  const [, digits] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (!digits) throw new InvalidArgumentError('It must be whsec_ and base64.')
  if (Buffer.from(digits, 'base64').length >= SECRET_BYTES_MIN) return text
  throw new InvalidArgumentError(`It must have at least ${SECRET_BYTES_MIN} bytes after whsec_.`)
}
