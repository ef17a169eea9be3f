import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What a span says about its work. It never contains secrets, URLs, amounts, account numbers or
 * personal data, because traces leave this server.
 */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>

/** A piece of work, with its start and its end. */
export interface Span {
  set(attributes: Attributes): void
  /** Marks the span as failed. `type` is a code or the name of an error, never its message. */
  fail(type: string): void
  end(): void
}

/** What started the work. */
type Kind = 'server' | 'client' | 'internal'

export interface NewSpan {
  kind: Kind
  attributes: Attributes
  /** The span that this one is part of. */
  parent?: Span | undefined
  /** The headers of a request, which can name a span of the client. */
  headers?: Readonly<Record<string, string | string[] | undefined>>
}

interface Tracer {
  begin(name: string, span: NewSpan): Span
}

/** The span of the request or job that is being processed, and what its statements have taken. */
interface Active {
  span: Span
  /** Whether each statement has its own span. Jobs look for work all the time. */
  showsStatements: boolean
  /** Shared with the spans inside of it. */
  total: { count: number; ms: number; isEnded: boolean }
}

const active = new AsyncLocalStorage<Active>()

// Statements, calls and jobs of all parts of a process are traced together, as its only log is one.
let tracer: Tracer | undefined

/** Turns tracing on for this process. Returns a function that turns it off. */
export function setTracer(one: Tracer): () => void {
  tracer = one
  return () => {
    tracer = undefined
  }
}

export const isTracing = (): boolean => tracer !== undefined

/** Runs work in a span. The work gets no span unless tracing is on. */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  if (!tracer) return work(undefined)
  const outer = active.getStore()
  const span = tracer.begin(name, { kind: 'client', attributes, parent: outer?.span })
  // Its statements also count for the request or job.
  return active.run({ ...(outer ?? newActive(span)), span }, async () => {
    try {
      return await work(span)
    } catch (error) {
      span.fail(nameOf(error))
      throw error
    } finally {
      span.end()
    }
  })
}

/** Runs work in a span that is not part of another, whatever started it. */
export async function inOwnSpan<T>(
  name: string,
  attributes: Attributes,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  return active.exit(() => inSpan(name, attributes, work))
}

/** Runs a job in a span, which is only kept if the job found work. Returns what the job returns. */
export async function inJobSpan(name: string, work: () => Promise<number>): Promise<number> {
  if (!tracer) return work()
  // Whatever woke the job is not what it works for.
  const span = tracer.begin(`job ${name}`, { kind: 'internal', attributes: {} })
  const own = newActive(span)
  try {
    const count = await active.run(own, work)
    if (count > 0) endActive(own, { 'tradepost.job.rows': count })
    return count
  } catch (error) {
    span.fail(nameOf(error))
    endActive(own, {})
    throw error
  }
}

/** The span of a request, until its response has been sent. */
export interface RequestSpan {
  /** Runs `work` and all that follows from it in the span. */
  enter(work: () => void): void
  /** Ends the span. `failure` is why the server failed, if it did. */
  end(attributes: Attributes, failure: string | undefined): void
}

/** Starts the span of a request, if tracing is on. */
export function beginRequest(
  name: string,
  span: Required<Pick<NewSpan, 'attributes' | 'headers'>>,
): RequestSpan | undefined {
  if (!tracer) return undefined
  const own = {
    ...newActive(tracer.begin(name, { kind: 'server', ...span })),
    showsStatements: true,
  }
  return {
    enter: (work) => active.run(own, work),
    end(attributes, failure) {
      if (failure !== undefined) own.span.fail(failure)
      endActive(own, attributes)
    },
  }
}

const newActive = (span: Span): Active => ({
  span,
  showsStatements: false,
  total: { count: 0, ms: 0, isEnded: false },
})

function endActive(one: Active, attributes: Attributes): void {
  const { count, ms } = one.total
  one.total.isEnded = true
  one.span.set({
    ...attributes,
    'tradepost.database.statements': count,
    'tradepost.database.ms': Math.round(ms * 10) / 10,
  })
  one.span.end()
}

/** Runs a statement, and measures it for the request or job that it is part of. */
export function timed<T>(text: string, run: () => Promise<T>): Promise<T> {
  if (!tracer) return run()
  const now = active.getStore()
  // What goes on after the response is not part of it.
  if (!now || now.total.isEnded) return run()
  return measure(tracer, now, text, run)
}

async function measure<T>(
  { begin }: Tracer,
  { span: parent, showsStatements, total }: Active,
  text: string,
  run: () => Promise<T>,
): Promise<T> {
  const began = performance.now()
  const attributes = { 'db.system.name': 'postgresql' }
  const span = showsStatements
    ? begin(summaryOf(text), { kind: 'client', attributes, parent })
    : undefined
  try {
    return await run()
  } catch (error) {
    span?.fail(nameOf(error))
    throw error
  } finally {
    total.count++
    total.ms += performance.now() - began
    span?.end()
  }
}

/** Statements are written in the code, so there are only so many. */
const SUMMARIES_MAX = 5_000
const summaries = new Map<string, string>()

/** Returns what a statement does, such as `insert invoices`, without its values. */
function summaryOf(statement: string): string {
  // Those that are planned each time contain their values.
  const text = statement.startsWith('/*') ? statement.replace(/'(?:[^']|'')*'/g, "''") : statement
  const known = summaries.get(text)
  if (known) return known
  const write = /\b(insert) into (\w+)|\b(update) (\w+)\s+(?:\w+\s+)?set\b|\b(delete) from (\w+)/i
  const read = /\b(select)\b[\s\S]*?\b(?:from|join) (?!unnest\b|lateral\b)(\w+)/i
  const [verb, table] = (write.exec(text) ?? read.exec(withoutParts(text)) ?? [])
    .slice(1)
    .filter((part) => part !== undefined)
  const first = /^\s*(\w+)/.exec(text)?.[1] ?? 'statement'
  const summary = verb && table ? `${verb} ${table}`.toLowerCase() : first.toLowerCase()
  if (summaries.size < SUMMARIES_MAX) summaries.set(text, summary)
  return summary
}

/** Removes what is in brackets, such as a subquery. */
function withoutParts(text: string): string {
  const shorter = text.replace(/\([^()]*\)/g, '')
  return shorter === text ? text : withoutParts(shorter)
}

/** Messages can quote values, so only codes and names are told. */
function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown }
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'Error'
}
