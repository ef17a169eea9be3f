import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { EventRecord, ListedRequestRecord, Tradepost } from '../../sdk/src/index.ts'
import { readConfig } from '../config.ts'
import { exportCommand } from './events-export.ts'
import {
  bold,
  dim,
  EXIT,
  printJson,
  printLines,
  printTable,
  terminal,
  UsageError,
} from './output.ts'
import { readList } from './values.ts'

interface Options extends ClientOptions {
  forwardTo: URL
  events?: string[]
  secret?: string
}

/** The same limit as for the server's own deliveries. */
const TIMEOUT_MS = 15_000

export function listenCommand(program: Command): void {
  const listen = program
    .command('listen')
    .description('Forward events to a program on this machine, signed like webhooks')
    .requiredOption(
      '--forward-to <url>',
      'where to send events, such as localhost:3000/hook',
      readForward,
    )
    .option(
      '--events <list>',
      'only these event types, such as invoice.paid,transfer.* (default: all)',
      readList,
    )
    .option('--secret <whsec_…>', 'secret to sign with (default: a new one)', readSecret)
    .addHelpText(
      'after',
      `
Works without incoming connections: the command fetches events and forwards them.

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
  await refuseUnknown(tradepost, types)
  const events = await follow(tradepost, untilStopped())
  const signingSecret = secret ?? `whsec_${randomBytes(32).toString('base64')}`
  printLines(
    `Forwarding events from ${bold(tradepost.baseUrl)} to ${bold(forwardTo.href)}`,
    `Signing secret: ${signingSecret}`,
    dim('Press Ctrl-C to stop.'),
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

/** Sends an event once, with the body and headers of a webhook. Returns what happened. */
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

/** Parses a URL; `localhost:3000/hook` means `http://localhost:3000/hook`. */
function readForward(text: string): URL {
  // A number alone would be parsed as an IP address: `3000` is 0.0.11.184.
  const [, port] = /^(?:https?:\/\/)?(\d+)(?:[/?#]|$)/.exec(text) ?? []
  if (port) throw new InvalidArgumentError(`It must include the host: localhost:${port}.`)
  const [, scheme] = /^([^/?#]*):\/\//.exec(text) ?? []
  const isWeb = scheme === undefined || /^https?$/i.test(scheme)
  const url = isWeb ? URL.parse(scheme === undefined ? `http://${text}` : text) : null
  if (!url) throw new InvalidArgumentError('It must be a URL such as localhost:3000/hook.')
  if (url.username || url.password) {
    throw new InvalidArgumentError('The URL must not contain a user name or password.')
  }
  return url
}

const SECRET_BYTES_MIN = 24

/** Parses a secret in the form that Standard Webhooks libraries accept. */
function readSecret(text: string): string {
  const [, digits] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (!digits) throw new InvalidArgumentError('It must be whsec_ followed by base64.')
  if (Buffer.from(digits, 'base64').length >= SECRET_BYTES_MIN) return text
  throw new InvalidArgumentError(`It must have at least ${SECRET_BYTES_MIN} bytes after whsec_.`)
}

interface TriggerOptions extends ClientOptions {
  set?: [path: string[], value: unknown][]
  json?: true
}

export function triggerCommand(program: Command): void {
  const trigger = program
    .command('trigger <type>')
    .description('Send a simulated event (test mode)')
    .option('--set <path=value>', 'change the event’s data, such as data.amount=5000', readSet)
    .option('--json', 'print the event as JSON')
    .addHelpText(
      'after',
      `
The event goes to every webhook endpoint that receives its type, and to tradepost listen. Nothing
else changes: no invoice is marked as paid. docs/EVENTS.md lists all types with an example of each.

Examples:
  $ tradepost trigger invoice.paid
  $ tradepost trigger invoice.paid --set data.amount=5000 --set data.customerName="Ada Obi"`,
    )
    .action(runTrigger)
  clientOptions(trigger)
}

async function runTrigger(
  type: string,
  { set = [], json, ...options }: TriggerOptions,
): Promise<void> {
  const data: Record<string, unknown> = {}
  for (const [path, value] of set) put(data, path, value)
  const tradepost = await connect(options)
  const event = await tradepost.simulator.event({ type, data })
  if (json) printJson(event)
  else printLines(`${event.type} ${dim(event.id)}`)
}

/**
 * Parses `data.amount=5000`, in which `data.` is optional. Numbers, `true`, `false`, `null` and
 * JSON are parsed; anything else is a string.
 */
function readSet(text: string, before: [string[], unknown][] = []): [string[], unknown][] {
  const [, name, value] = /^([\w.-]+)=(.*)$/s.exec(text) ?? []
  const path = (name ?? '').split('.').filter((step, i) => !(i === 0 && step === 'data'))
  const isPath = path.length > 0 && path.every((step) => /^[A-Za-z_][\w-]*$|^\d{1,4}$/.test(step))
  if (!isPath || path.some((step) => step === '__proto__')) {
    throw new InvalidArgumentError('It must have the form data.amount=5000.')
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
  for (const [i, step] of path.entries()) {
    refuseWrongStep(place, path.slice(0, i), step)
    const next = place[step]
    if (i === path.length - 1) place[step] = value
    else place[step] = typeof next === 'object' && next !== null ? next : {}
    place = place[step] as Record<string, unknown>
  }
}

/** Numbers are places in lists. The server would replace its whole list with an object. */
function refuseWrongStep(place: object, path: readonly string[], step: string): void {
  const isNumber = /^\d+$/.test(step)
  const length = Array.isArray(place) ? place.length : undefined
  if (length === undefined ? !isNumber : isNumber && Number(step) <= length) return
  const name = ['data', ...path].join('.')
  throw new UsageError(
    length === undefined
      ? `set all of ${name} before ${name}.${step}, as in --set '${name}=[{…}]'`
      : `${name} is a list of ${length}, and has no place ${step}`,
  )
}

interface EventOptions extends ClientOptions {
  events?: string[]
  json?: true
}

export function eventsCommands(program: Command): void {
  const events = program
    .command('events')
    .description('Watch what happens in a business, or export old events')
  exportCommand(events)
  const tail = events
    .command('tail')
    .description('Show events as they happen')
    .option(
      '--events <list>',
      'only these event types, such as invoice.paid,transfer.* (default: all)',
      readList,
    )
    .option('--json', 'print each event as a line of JSON')
    .action(tailEvents)
  clientOptions(tail)
}

/** Throws if a pattern doesn't match any event type, because it would never show anything. */
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

async function tailEvents({ events, json, ...options }: EventOptions): Promise<void> {
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

interface ResendOptions extends ClientOptions {
  webhook?: string
}

export function webhooksCommands(program: Command): void {
  const resend = program
    .command('webhooks')
    .description('Manage webhook deliveries')
    .command('resend <event>')
    .description('Send an event again to each of its endpoints')
    .option('--webhook <reference>', 'only to this endpoint')
    .addHelpText(
      'after',
      `
The exit status is 1 if an endpoint did not accept the event.

Examples:
  $ tradepost webhooks resend evt_0123456789abcdefghij
  $ tradepost webhooks resend evt_0123456789abcdefghij --webhook WHK_0123456789abcdefghij`,
    )
    .action(runResend)
  clientOptions(resend)
}

async function runResend(event: string, { webhook, ...options }: ResendOptions): Promise<void> {
  const { ApiError } = await import('../../sdk/src/index.ts')
  const tradepost = await connect(options)
  const targets = webhook ? [webhook] : await referencesOf(tradepost)
  const rows: string[][] = []
  let hasFailed = false
  try {
    for (const reference of targets) {
      try {
        const sent = await tradepost.webhooks.redeliver(reference, event)
        rows.push([reference, sent.status, String(sent.lastStatus ?? '-'), sent.lastError ?? '-'])
        if (sent.status !== 'Delivered') hasFailed = true
      } catch (error) {
        // If the server does not respond, trying the other endpoints would take just as long.
        if (webhook || !(error instanceof ApiError)) throw error
        const { status, message } = error
        // Endpoints that don't receive this type get no delivery.
        if (status === 404) continue
        // Disabled endpoints are skipped. Whatever the response for one, the others get theirs.
        rows.push([reference, status < 500 ? 'Not sent' : 'Unknown', '-', message])
        if (status !== 409) hasFailed = true
      }
    }
  } finally {
    if (rows.length > 0) printTable(['WEBHOOK', 'DELIVERY', 'RESPONSE', 'ERROR'], rows)
  }
  if (rows.length === 0) throw new Error(`no endpoint has a delivery of ${event}`)
  if (hasFailed) terminal().exitCode = EXIT.failed
}

async function referencesOf(tradepost: Awaited<ReturnType<typeof connect>>): Promise<string[]> {
  const references: string[] = []
  for await (const { reference } of tradepost.webhooks.list()) references.push(reference)
  return references
}

interface LogOptions extends ClientOptions {
  status?: string
  operation?: string
  json?: true
}

const PAUSE_MS = 1_000
const LIMIT = 100
const SEEN_MAX = 10_000

export function logsCommands(program: Command): void {
  const tail = program
    .command('logs')
    .description('Watch API requests')
    .command('tail')
    .description('Show API requests as they complete')
    .option('--status <status>', 'only this status, such as 4xx or 500')
    .option('--operation <name>', 'only this operation, such as create_invoice')
    .option('--json', 'print each request as a line of JSON')
    .action(tailLogs)
  clientOptions(tail)
}

async function tailLogs({ status, operation, json, ...options }: LogOptions): Promise<void> {
  const tradepost = await connect(options)
  const signal = untilStopped()
  const filter = { ...(status && { status }), ...(operation && { operation }), limit: LIMIT }
  const seen = new Set((await tradepost.requests.list(filter, { signal })).data.map(({ id }) => id))
  const read = async function* () {
    yield* (await unseen(tradepost, filter, seen, signal)).reverse()
  }
  for await (const call of again(read, PAUSE_MS, signal)) {
    seen.add(call.id)
    if (seen.size > SEEN_MAX) seen.delete(seen.values().next().value as number)
    printLines(json ? JSON.stringify(call) : lineOf(call))
  }
}

/** Reads the requests that are not in `seen`, newest first. */
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

const FOLLOW_PAUSE_MS = 700

/** How long after its timestamp an event can still become visible. */
const SETTLED_MS = 60_000

/** How many recent events to remember. Events from about the last minute may be read again. */
const FOLLOW_SEEN_MAX = 50_000

/**
 * Yields an account's events from now on until `signal` aborts, each only once and roughly in
 * order. Includes everything that happens after the promise resolves. Each poll reads all pages of
 * events that could be new.
 */
async function follow(
  tradepost: Tradepost,
  signal: AbortSignal,
): Promise<AsyncGenerator<EventRecord>> {
  const { data: latest } = await tradepost.events.list({ limit: LIMIT }, { signal })
  const newest = latest[0]
  const oldest = latest.at(-1)
  if (!newest || !oldest) return newEvents(tradepost, {}, new Set(), signal)
  // Older events are not new, unless they have only just become visible.
  const seen = new Set(latest.map(({ id }) => id))
  const startDate = settledBefore(newest)
  if (oldest.timestamp >= startDate && latest.length === LIMIT) {
    const before = { startDate, endDate: newest.timestamp }
    for await (const { id } of look(tradepost, before, signal)) seen.add(id)
  }
  return newEvents(tradepost, { startDate }, seen, signal)
}

function newEvents(
  tradepost: Tradepost,
  from: Position,
  seen: Set<string>,
  signal: AbortSignal,
): AsyncGenerator<EventRecord> {
  let position = from
  const read = async function* () {
    let resume: string | null = null
    const events = look(tradepost, position, signal, (said) => {
      resume = said
    })
    for await (const event of events) {
      if (seen.has(event.id)) continue
      seen.add(event.id)
      if (seen.size > FOLLOW_SEEN_MAX) seen.delete(seen.values().next().value as string)
      yield event
    }
    if (resume) position = { after: resume }
  }
  return again(read, FOLLOW_PAUSE_MS, signal)
}

type Position = { after?: string; startDate?: string; endDate?: string }

/**
 * Yields all events from a position onwards. Calls `resume` with the position for the next poll, if
 * there is one.
 */
async function* look(
  tradepost: Tradepost,
  position: Position,
  signal: AbortSignal,
  resume: (from: string | null) => void = () => {},
): AsyncGenerator<EventRecord> {
  for (let page = 1; ; page++) {
    const query = { sort: 'ASC', limit: LIMIT, page, ...position } as const
    const { data, meta } = await tradepost.events.list(query, { signal })
    if (page === 1) resume(meta.resume)
    yield* data
    if (!meta.hasNext) return
  }
}

const settledBefore = ({ timestamp }: EventRecord): string =>
  new Date(Date.parse(timestamp) - SETTLED_MS).toISOString()

const OUTAGE_PAUSE_MS = 2_000

/**
 * Yields what `read` yields, again and again until `signal` aborts. If the server is unavailable,
 * says so once, and continues when it is back.
 */
async function* again<T>(
  read: () => AsyncIterable<T>,
  pauseMs: number,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let isDown = false
  while (!signal.aborted) {
    try {
      yield* read()
      isDown = false
      await pause(pauseMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (!(await isTemporary(error))) throw error
      const { message } = error as Error
      if (!isDown) terminal().stderr.write(`${message} Trying again until the server responds.\n`)
      isDown = true
      await pause(OUTAGE_PAUSE_MS, signal)
    }
  }
}

/** Whether the server can be expected to respond again, as after a restart. */
async function isTemporary(error: unknown): Promise<boolean> {
  const { ConnectionError, RateLimitError, ServerError } = await import('../../sdk/src/index.ts')
  return [ConnectionError, RateLimitError, ServerError].some((type) => error instanceof type)
}

/** Ends early when `signal` aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => {})

/** Returns a signal that aborts on Ctrl-C, or when nothing reads the output any more. */
function untilStopped(): AbortSignal {
  const stopped = new AbortController()
  const stop = () => stopped.abort()
  for (const name of ['SIGINT', 'SIGTERM'] as const) terminal().once(name, stop)
  terminal().stdout.once('error', stop).once('close', stop)
  return stopped.signal
}

/**
 * Returns whether a type matches a pattern: `invoice.paid` or, for every invoice event,
 * `invoice.*`.
 */
const isWanted = (type: string, wanted: readonly string[] | undefined): boolean =>
  !wanted?.length ||
  wanted.some((one) => one === type || (one.endsWith('.*') && type.startsWith(one.slice(0, -1))))

/** Where a command that calls the API finds the server and the key. */
export interface ClientOptions {
  key?: string
  server?: string
}

/** Adds `--key` and `--server`. The defaults are the server on this machine and its test key. */
export const clientOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--key <key>',
        "secret key (default: this server's test key) (env: TRADEPOST_KEY)",
      ),
    )
    .addOption(
      new Option('--server <url>', 'server URL (default: this machine) (env: TRADEPOST_URL)'),
    )

/** Returns an API client. Throws UsageError if no key is given and there is no local one. */
async function connect(options: ClientOptions): Promise<Tradepost> {
  // Imported here, so that other commands don't load it.
  const { Tradepost: Client } = await import('../../sdk/src/index.ts')
  const { key, baseUrl } = await resolveTarget(options)
  return new Client({ key, baseUrl, headers: { 'user-agent': 'tradepost-cli' } })
}

export async function resolveTarget({ key, server }: ClientOptions) {
  const { env } = terminal()
  const config = readConfig(env)
  const { TRADEPOST_URL = config.PUBLIC_URL, TRADEPOST_KEY } = env
  const baseUrl = server ?? TRADEPOST_URL ?? `http://127.0.0.1:${config.PORT}`
  const given = key ?? TRADEPOST_KEY
  const kept = given ?? (await readFile(join(config.DATA_DIR, 'test-key'), 'utf8').catch(() => ''))
  if (!kept.trim()) {
    throw new UsageError(
      `There is no test key in ${config.DATA_DIR}: set one with --key or TRADEPOST_KEY.`,
    )
  }
  return { key: kept.trim(), baseUrl }
}
