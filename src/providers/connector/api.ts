import { createHash } from 'node:crypto'
import type {
  Balance,
  Call,
  EntryKind,
  EntryPage,
  Notice,
  ProbeReport,
  Range,
  Reports,
} from './http-connector.ts'
import type { Json } from './json.ts'
import { messageIn, outcomeOf } from './outcome.ts'
import type { HttpRequest } from './transport.ts'
import type { Connection, Outcome, RefusalCode } from './types.ts'

/** What connectors have in common that call an API with JSON and a key. */

interface ApiRequest extends Pick<HttpRequest, 'body' | 'query' | 'file'> {
  /** As documented: `GET /refund/{id}`. Only GET is safe to repeat, unless the request says so. */
  operation: `${HttpRequest['method']} /${string}`
  params?: Readonly<Record<string, string>>
  isSafeToRepeat?: boolean
}

/** What a response says if its status is one of validation errors. */
export type Refusal = readonly [says: RegExp, outcome: Known]

type Known =
  | Pick<Extract<Outcome<never>, { kind: 'refused' }>, 'kind' | 'code'>
  | Pick<Extract<Outcome<never>, { kind: 'notNow' }>, 'kind' | 'code'>
  | Pick<Extract<Outcome<never>, { kind: 'unknown' }>, 'kind' | 'reason'>

interface Api {
  /** The name of the credential with which requests are made. */
  credential: string
  /** Whether the body of a response with a status of success says so too. */
  isSuccess(call: Call, body: Json): boolean
  /** The texts that refusals are recognised by; undefined if it is not the provider that speaks. */
  refusalTexts(body: Json): readonly string[] | undefined
}

export type Send = <T>(
  call: Call,
  request: ApiRequest,
  read: (body: Json) => Outcome<T> | undefined,
  refusals?: readonly Refusal[],
) => Promise<Outcome<T>>

/**
 * Returns how to call an API. `read` gets the body of a successful response, and returns undefined
 * if it cannot read it. A response with the status 200 can still report a failure of what it is
 * about.
 */
export const openApi =
  (api: Api): Send =>
  async (call, request, read, refusals = []) => {
    const { operation, params = {}, ...rest } = request
    const { isSafeToRepeat = operation.startsWith('GET '), ...content } = rest
    const [method, template = ''] = operation.split(' ') as [HttpRequest['method'], string]
    const path = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(params[name] ?? ''))
    const headers = { authorization: `Bearer ${call.credentials.current(api.credential)}` }
    const sent = { operation, method, path, headers, isSafeToRepeat, ...content }
    const result = await call.http.send(sent)
    return outcomeOf(result, { isSafeToRepeat }, (status, body) => {
      if (status < 300) return api.isSuccess(call, body) ? read(body) : undefined
      const texts = REFUSED_WITH.includes(status) ? api.refusalTexts(body) : undefined
      const refused = texts && refusalOf(refusals, texts, body)
      return refused ?? (status === 404 && isSafeToRepeat ? NOT_FOUND : undefined)
    })
  }

/** A gateway answers 404 too. Only the provider's own words mean that it does not know an order. */
const NOT_FOUND = inconclusive('The response was 404, but not because of the order.')

/** Not 401 and 429, which are about the caller and not about the request. */
const REFUSED_WITH = [400, 403, 404, 422]

function refusalOf(
  refusals: readonly Refusal[],
  texts: readonly string[],
  body: Json,
): Outcome<never> | undefined {
  const said = texts.map((text) => text.slice(0, MESSAGE_LENGTH_MAX))
  const [, outcome] = refusals.find(([says]) => said.some((text) => says.test(text))) ?? []
  if (outcome?.kind === 'refused' && said.some((text) => mayPass(outcome.code, text))) {
    return undefined
  }
  return outcome && { ...outcome, message: messageIn(body) }
}

/**
 * Whether a refusal only holds for a while, so that it ends no order: it says so, or an amount is
 * too much for the account, and not for every order.
 */
const mayPass = (code: RefusalCode, text: string): boolean =>
  PASSING.test(text) || (code === 'amount_out_of_range' && OF_ACCOUNT.test(text))

const PASSING =
  /\b(?:later|at th(?:e|is) (?:moment|time)|temporar\w+|currently|now|yet|maintenance|downtime)\b/i
const OF_ACCOUNT = /\b(?:balance|funds?|wallet|limit|day|daily)\b/i

const MESSAGE_LENGTH_MAX = 300

/** The outcome of a lookup that does not tell what happened to the order. */
export function inconclusive(message: string): Outcome<never> {
  return { kind: 'unknown', reason: 'inconclusive', message }
}

/**
 * Returns what a state says about the provider's word for it: nothing if we know the word. A text
 * that is not one word could be about a person, so it is not repeated.
 */
export const aboutWord = (word: string, isKnown: boolean): { unknownWord?: string } =>
  isKnown ? {} : { unknownWord: /^[\w-]{1,40}$/.test(word) ? word : 'several words' }

type Failure = Exclude<Outcome<never>, { kind: 'done' }>

/**
 * Turns a failure of a step before an order into an outcome of the order, which was not sent: only
 * what such a step says about the order itself can end it.
 */
export function beforeOrder(outcome: Failure): Failure {
  if (outcome.kind === 'unknown') {
    const message = outcome.message ?? 'The provider did not respond to the step before the order.'
    return { kind: 'notNow', code: 'not_reached', message, isUnsent: true }
  }
  if (outcome.kind === 'notNow') return { ...outcome, isUnsent: true }
  const isAboutUnknown = outcome.kind === 'refused' && outcome.code === 'unknown_order'
  return isAboutUnknown ? { ...outcome, code: 'bad_request' } : outcome
}

/** Turns a failure of a step before a lookup: that another thing is not known proves nothing. */
export function beforeLookUp(outcome: Failure, message: string): Outcome<never> {
  const isUnknown = outcome.kind === 'refused' && outcome.code === 'unknown_order'
  return isUnknown ? inconclusive(message) : outcome
}

/** A time without a zone is UTC, wherever this server is. */
export function dateOf(text = ''): Date | null {
  const [, day, time = '00:00:00', zone = 'Z'] = DATE.exec(text) ?? []
  const at = new Date(`${day}T${time}${zone}`)
  return Number.isNaN(at.getTime()) ? null : at
}

const DATE =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?)?$/i

/** Returns the name of a file without what could end it early in a header or a URL. */
export const safeFileName = (name: string): string => name.replace(/[^\w.-]/g, '_')

interface Probed {
  /** The name of the credential with which requests are made. */
  credential: string
  /** What is wrong with the credential in this environment. */
  faultOf: (key: string, environment: Connection['environment']) => string | undefined
  balances(call: Call): Promise<Outcome<readonly Balance[]>>
  checks: ProbeReport['checks']
}

/**
 * Returns a probe for providers where no request tells whose account it is, or how it is set up:
 * reading the balances shows that the key works.
 */
export const probeOf =
  ({ credential, faultOf, balances, checks }: Probed) =>
  async (call: Call): Promise<Outcome<ProbeReport>> => {
    const { environment } = call.connection
    const fault = faultOf(call.credentials.current(credential), environment)
    if (fault) {
      return { kind: 'notNow', code: 'credentials_refused', message: `The secret key ${fault}.` }
    }
    const outcome = await balances(call)
    if (outcome.kind !== 'done') return outcome
    const value = { accountName: null, environment, balances: outcome.value, checks }
    return { kind: 'done', value }
  }

type Lists<List> = Readonly<Partial<Record<EntryKind, List>>>

/** Returns reports with the kinds of entries that a provider has lists of. */
export const reportsOf = <List>(
  title: string,
  lists: Lists<List>,
  read: (
    call: Call,
    list: List,
    about: { kind: EntryKind; range: Range; cursor: string | null },
  ) => Promise<Outcome<EntryPage>>,
): Reports => ({
  kinds: Object.keys(lists) as EntryKind[],
  async entries(call, kind, range, cursor) {
    const list = lists[kind]
    if (list) return read(call, list, { kind, range, cursor })
    const message = `${title} has no list of entries of the kind ${kind}.`
    return { kind: 'refused', code: 'unsupported', message }
  },
})

/**
 * Returns a notification of a provider whose events have no id: a repeated delivery has the same
 * bytes.
 */
export const noticeOf = (
  body: Buffer,
  subject: Pick<Notice, 'type'> & Partial<Notice>,
): Notice => ({
  key: createHash('sha256').update(body).digest('hex'),
  about: 'none',
  reference: null,
  providerId: null,
  accountNumber: null,
  ...subject,
})
