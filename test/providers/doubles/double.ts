import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { type Books, openBooks } from './books.ts'
import { type DoubleClock, openClock } from './clock.ts'
import { type Description, readDescription } from './described.ts'
import {
  AFTER_EFFECT,
  atGate,
  BEFORE_EFFECT,
  CONNECTION_FAULTS,
  type FaultRule,
  openFaults,
  spoil,
} from './faults.ts'
import { openGate } from './gate.ts'
import { digitsAt, printJson } from './json.ts'
import { type NoticeSource, type Notices, openNotices } from './notices.ts'

/** A request that is as described. */
export interface DoubleRequest {
  /** `GET /transfer/verify/{reference}` */
  operation: string
  method: string
  path: string
  params: Record<string, string>
  query: Record<string, string>
  headers: Record<string, string | undefined>
  // The description has already proved its shape. Of an upload, it is the text of the form.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
  /** The text of a number in the body, such as `2500.10`. */
  digits(...path: string[]): string | undefined
  remoteAddress: string
}

export interface Answer {
  status: number
  /** Printed as JSON; bigints and `digits` as numbers. */
  body: unknown
}

/** A page for a payer's browser. */
export interface Page {
  status: number
  html?: string
  location?: string
}

/** What a provider's double is given. */
export interface Kit {
  clock: DoubleClock
  books: Books
  notices: Notices
  /** From 0 up to 1, the same in every run with the same seed. */
  random(): number
  /** A new number for an id, unique among all of the double. */
  nextId(): number
  /** Where payers' browsers find the double's pages. */
  dashboardUrl(): string
}

/** A provider as its documentation and its description have it. */
export interface Provider extends NoticeSource {
  /** The name of its description. */
  description: string
  operations: Readonly<Record<string, (request: DoubleRequest) => Answer>>
  /** Refuses a request before it is checked: a wrong key, an address that is not allowed. */
  admit(request: DoubleRequest): Answer | undefined
  /** How the provider words a refusal that comes from elsewhere. */
  refusal(status: number, message: string): unknown
  /** What it answers at a path that it does not have; a refusal like any other by default. */
  noRoute?: Answer
  /** What it answers to a look-up of something that it does not know. */
  notFound(request: DoubleRequest): Answer
  /** The reference that a request names, for the list of calls. */
  referenceOf?(request: DoubleRequest): string | null
  pages?(method: string, url: URL, form: URLSearchParams): Page | undefined
  /** What people can do with it over HTTP: `POST /__double/act/NAME` with a JSON object. */
  acts?: Readonly<Record<string, (args: Record<string, string>) => unknown>>
}

interface CallToDouble {
  operation: string
  method: string
  path: string
  reference: string | null
  /** What the double did, whatever the caller was told; null if a fault came before. */
  status: number | null
  /** Whether it was an order, and the double executed it. */
  hadEffect: boolean
  fault: FaultRule['kind'] | null
}

export interface DoubleOptions {
  seed?: number
  /** The start of its time, which stands still. Without it, the double's time is the real one. */
  now?: Date
  /** Speaks TLS, with the certificate of `test/certificate.ts`. */
  tls?: boolean
  /** Instead of the description of this name. */
  described?: Description
  dashboardPort?: number
}

export interface Double<P extends Provider> {
  provider: P
  /** Where connectors call it. Everything on the way passes a gate. */
  baseUrl: string
  /** Where payers' browsers find its pages, and people its controls. No faults apply here. */
  dashboardUrl: string
  calls: readonly CallToDouble[]
  books: Books
  notices: Notices
  now(): Date
  /** Moves its time, with everything that is due, and waits for the notices. */
  advance(ms: number): Promise<void>
  /** Adds a fault. Returns how to take it back. */
  fault(rule: FaultRule): () => Promise<void>
  clearFaults(): Promise<void>
  /**
   * Returns what somebody did wrong since the last call: a request that is not as described, an
   * order executed twice, an accepted forgery, an answer of the double's own that is not as
   * described.
   */
  takeProblems(): string[]
  close(): Promise<void>
}

/** Opens a double of a provider on loopback. */
export async function openDouble<P extends Provider>(
  build: (kit: Kit) => P,
  options: DoubleOptions = {},
): Promise<Double<P>> {
  const random = openRandom(options.seed ?? 1)
  const clock = openClock(options.now ?? new Date(), options.now === undefined)
  const books = openBooks(clock.now)
  const faults = openFaults(random, clock.now)
  const calls: CallToDouble[] = []
  let problems: string[] = []
  const report = (problem: string) => void problems.push(problem)
  const twiceReported = new Set<string>()
  let lastId = 1_000

  const notices = openNotices({
    clock,
    faults,
    random,
    report,
    // The provider is built with the notices, which it sends.
    source: () => provider,
  })
  const provider: P = build({
    clock,
    books,
    notices,
    random,
    nextId: () => ++lastId,
    dashboardUrl: () => dashboardUrl,
  })
  const description = options.described ?? readDescription(provider.description)
  const api = await listen((request, response) => void handle(request, response))
  const gate = await openGate({ port: api.port }, { tls: options.tls ?? false })
  gate.decide = () => {
    const rule = faults.take('connection', CONNECTION_FAULTS)
    return rule ? atGate(rule) : { kind: 'pass' }
  }
  const dashboard = await listen(
    (request, response) => void serveDashboard(request, response),
    options.dashboardPort,
  )
  const dashboardUrl = `http://127.0.0.1:${dashboard.port}`

  // ------------------------------------------------------------------ calls of connectors

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', socket } = incoming
    const { pathname: path, searchParams } = new URL(incoming.url ?? '/', 'http://double')
    const subject = `${method} ${path}`
    const before = faults.take(subject, BEFORE_EFFECT)
    const after = before ? undefined : faults.take(subject, AFTER_EFFECT)
    const json = await text(incoming).catch(() => undefined)
    // The caller went away before the request was complete.
    if (json === undefined) return
    const found = description.match(method, path)
    const request: DoubleRequest = {
      operation: found?.operation ?? subject,
      method,
      path,
      params: found?.params ?? {},
      query: Object.fromEntries(searchParams),
      headers: incoming.headers as Record<string, string | undefined>,
      body: undefined,
      digits: (...keys) => digitsAt(json, keys),
      remoteAddress: socket.remoteAddress ?? '',
    }
    const call: CallToDouble = {
      operation: request.operation,
      method,
      path,
      reference: null,
      status: null,
      hadEffect: false,
      fault: before?.kind ?? after?.kind ?? null,
    }
    calls.push(call)

    if (before) return interrupt(before, request, response)
    const answer = execute(request, json, found !== undefined)
    call.reference = referenceOf(request)
    call.status = answer.status
    call.hadEffect = method !== 'GET' && answer.status < 300
    if (after) await disturb(after, answer, response)
    else reply(response, answer)
  }

  function referenceOf(request: DoubleRequest): string | null {
    if (provider.referenceOf) return provider.referenceOf(request)
    const { body, params, query } = request
    return body?.reference ?? params.reference ?? query.reference ?? null
  }

  /** Answers as the provider would, and reports what is not as described. */
  function execute(request: DoubleRequest, sent: string, isKnown: boolean): Answer {
    const { operation, params, query } = request
    const refuse = (status: number, message: string) => {
      report(`${operation}: ${message}`)
      return { status, body: provider.refusal(status, message) }
    }
    const isUpload = description.isUpload(operation)
    const type = isUpload ? 'multipart/form-data' : 'application/json'
    if (sent !== '' && !request.headers['content-type']?.startsWith(type)) {
      return refuse(400, `the content type is not ${type}`)
    }
    try {
      if (isUpload) request.body = sent
      else if (sent !== '') request.body = JSON.parse(sent)
    } catch {
      return refuse(400, 'the body is not JSON')
    }
    const refused = provider.admit(request)
    if (refused) return refused
    const act = provider.operations[operation]
    if (!isKnown) {
      const refusal = refuse(404, 'is not described')
      return provider.noRoute ?? refusal
    }
    if (!act) return refuse(404, 'is described, but the double does not have it')
    const wrong = description.requestFaults(operation, { params, query, body: request.body })
    if (wrong.length > 0) return refuse(400, wrong.join('; '))
    try {
      const answer = act(request)
      const printed = JSON.parse(printJson(answer.body))
      for (const fault of description.answerFaults(operation, answer.status, printed)) {
        report(`the double's own answer to ${operation}, ${answer.status}: ${fault}`)
      }
      return answer
    } catch (error) {
      return refuse(500, `the double failed: ${error instanceof Error ? error.stack : error}`)
    }
  }

  /** A fault instead of the effect. */
  async function interrupt(
    rule: FaultRule,
    request: DoubleRequest,
    response: ServerResponse,
  ): Promise<void> {
    const { kind, status = 500, ms } = rule
    if (kind === 'reset_after_read') return void response.socket?.resetAndDestroy()
    if (kind === 'not_found_for') return reply(response, provider.notFound(request))
    if (kind === 'hang_before_effect') {
      if (ms === undefined) return
      await wait(ms)
    }
    reply(response, { status, body: provider.refusal(status, 'Try again later') }, rule)
  }

  /** A fault after the effect. */
  async function disturb(rule: FaultRule, answer: Answer, response: ServerResponse): Promise<void> {
    const { kind, status = 500, ms } = rule
    switch (kind) {
      case 'reset_after_effect':
        return void response.socket?.resetAndDestroy()
      case 'hang_after_effect':
        if (ms === undefined) return
        await wait(ms)
        return reply(response, answer)
      case 'status_after_effect':
        return reply(response, { status, body: provider.refusal(status, 'Try again later') }, rule)
      case 'html':
        response.writeHead(rule.status ?? 200, { 'content-type': 'text/html' })
        return void response.end('<!doctype html><title>We will be back soon</title>')
      case 'redirect':
        response.writeHead(302, { location: `${dashboardUrl}/moved` })
        return void response.end()
      case 'huge':
        return replyText(response, answer.status, printJson(answer.body) + ' '.repeat(HUGE_BYTES))
      case 'cut_body':
        return cutBody(response, answer)
      case 'slow_body':
        return slowBody(response, answer, ms ?? 1_000)
      default:
        return reply(response, { ...answer, body: spoil(answer.body, rule) })
    }
  }

  // ---------------------------------------------------------------------- pages, controls

  async function serveDashboard(
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { method = 'GET' } = incoming
    const url = new URL(incoming.url ?? '/', dashboardUrl)
    const body = await text(incoming)
    const [, isControl, name = ''] = /^\/__double\/(act\/)?(\w+)$/.exec(url.pathname) ?? []
    if (url.pathname.startsWith('/__double/')) {
      try {
        const args = body === '' ? {} : JSON.parse(body)
        const result = isControl ? provider.acts?.[name]?.(args) : await control(method, name, args)
        await notices.settled()
        return replyText(response, 200, printJson({ result: result ?? null }))
      } catch (error) {
        return replyText(response, 400, printJson({ error: `${error}` }))
      }
    }
    const page = provider.pages?.(method, url, new URLSearchParams(body)) ?? { status: 404 }
    const { status, html = '', location } = page
    const type = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
    response.writeHead(status, { ...type, ...(location && { location }) }).end(html)
  }

  /** What another process, or a person, can do with any double. */
  async function control(method: string, name: string, args: FaultRule & { url?: string }) {
    if (name === 'faults' && method === 'POST') return void double.fault(args)
    if (name === 'faults' && method === 'DELETE') return double.clearFaults()
    if (name === 'advance') return double.advance(Number(args.ms))
    if (name === 'notices') {
      notices.url = args.url
      return undefined
    }
    if (name !== 'state') throw new Error(`there is no ${name}`)
    return {
      calls,
      rules: faults.rules(),
      entries: books.entries,
      notices: notices.sent,
      executed: Object.fromEntries(books.executed),
    }
  }

  // ------------------------------------------------------------------------------- double

  async function followRefusals(): Promise<void> {
    if (faults.refuses()) gate.refuse()
    else await gate.accept()
  }

  const double: Double<P> = {
    provider,
    baseUrl: gate.url,
    dashboardUrl,
    calls,
    books,
    notices,
    now: clock.now,
    async advance(ms) {
      clock.advance(ms)
      await notices.settled()
    },
    fault(rule) {
      const remove = faults.add(rule)
      if (rule.kind === 'refuse') void followRefusals()
      // A pooled connection would be used without meeting the gate again.
      else if (rule.on === '*' && (CONNECTION_FAULTS as readonly string[]).includes(rule.kind)) {
        gate.resetAll()
      }
      return () => {
        remove()
        return followRefusals()
      }
    },
    async clearFaults() {
      faults.clear()
      await followRefusals()
    },
    takeProblems() {
      for (const [reference, times] of books.executed) {
        if (times === 1 || twiceReported.has(reference)) continue
        twiceReported.add(reference)
        report(`${reference} was executed ${times} times`)
      }
      const taken = problems
      problems = []
      return taken
    },
    async close() {
      clock.stop()
      await gate.close()
      await Promise.all([api, dashboard].map((one) => one.close()))
    },
  }
  return double
}

/** More than anybody reads of a response. */
const HUGE_BYTES = 1_500_000

async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
  port = 0,
): Promise<{ port: number; close(): Promise<void> }> {
  const server: Server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function reply(response: ServerResponse, { status, body }: Answer, rule?: FaultRule): void {
  const retryAfter = rule?.retryAfter
  if (retryAfter !== undefined) response.setHeader('retry-after', `${retryAfter}`)
  replyText(response, status, printJson(body))
}

function replyText(response: ServerResponse, status: number, json: string): void {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
  })
  response.end(json)
}

/** Ends the connection in the middle of the body. */
function cutBody(response: ServerResponse, { status, body }: Answer): void {
  const json = printJson(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
  })
  response.write(json.slice(0, json.length / 2), () => response.socket?.destroySoon())
}

async function slowBody(response: ServerResponse, { status, body }: Answer, ms: number) {
  const json = printJson(body)
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  const step = Math.ceil(json.length / 10)
  for (let at = 0; at < json.length; at += step) {
    await wait(ms / 10)
    response.write(json.slice(at, at + step))
  }
  response.end()
}

/** A generator of numbers that depend on the seed alone (mulberry32). */
export function openRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
