import { Agent } from 'node:http'
import { send } from '../../request.ts'
import type { DoubleClock } from './clock.ts'
import type { Faults } from './faults.ts'
import { printJson } from './json.ts'

/** One event at the provider, which it delivers as a webhook. */
interface NoticeSent {
  /** As the provider names it: `charge.success`. */
  type: string
  body: string
  /** The status of each delivery; 0 if nobody answered. */
  statuses: number[]
}

export const FORGERIES = [
  /** Without a signature. */
  'unsigned',
  /** Signed with a key that is not ours. */
  'other_key',
  /** Correctly signed, then one digit of the body changed. */
  'changed_body',
  /** With the signature of another notice. */
  'other_signature',
  /** With half of the signature. */
  'cut_signature',
] as const
type Forgery = (typeof FORGERIES)[number]

export interface Notices {
  /** Where they go; nowhere if undefined. */
  url: string | undefined
  /** `hold` keeps them until `deliver`, `drop` loses them for ever. */
  mode: 'send' | 'hold' | 'drop'
  sent: readonly NoticeSent[]
  /** Sends a notice soon, so that the answer to the request that caused it can be first. */
  notify(type: string, body: unknown): void
  /** Delivers what was held. */
  deliver(order?: 'as_sent' | 'reversed' | 'shuffled', copies?: number): Promise<void>
  /**
   * Sends a forgery of the last notice, and returns the status. The double reports an accepted
   * forgery as a problem.
   */
  forge(kind: Forgery): Promise<number>
  /** Sends a notice that is signed with any key, and returns the status. */
  sendSignedWith(key: string, type: string, body: unknown): Promise<number>
  /** Resolves when no delivery is in progress. */
  settled(): Promise<void>
}

/** What a provider says about its notices. */
export interface NoticeSource {
  /** The headers that prove a body, with the present key unless another one is given. */
  sign(body: string, key?: string): Record<string, string>
  /** Whether the headers prove the body too, or only who sent it. */
  proves: 'sender' | 'body'
  /** The delays before each further delivery of a notice that was not accepted. */
  retriesMs: readonly number[]
}

interface NoticeOptions {
  clock: DoubleClock
  faults: Faults
  random: () => number
  report: (problem: string) => void
  source: () => NoticeSource
}

export function openNotices(options: NoticeOptions): Notices {
  const { clock, faults, random, report, source } = options
  const sent: NoticeSent[] = []
  const underWay = new Set<Promise<unknown>>()
  let held: NoticeSent[] = []

  /** Posts a body, and returns the status. */
  async function post(body: string, headers: Record<string, string>): Promise<number> {
    if (notices.url === undefined) return 0
    // A pooled connection may be one that a killed server has left behind.
    const agent = new Agent()
    const all = { 'content-type': 'application/json', ...headers }
    const posted = send(notices.url, { method: 'POST', agent, headers: all, body })
    const status = await posted.then(
      (reply) => reply.status,
      () => 0,
    )
    agent.destroy()
    return status
  }

  async function deliverOnce(notice: NoticeSent, retry = 0): Promise<void> {
    const status = await post(notice.body, source().sign(notice.body))
    notice.statuses.push(status)
    const delayMs = source().retriesMs[retry]
    if (notices.url === undefined || (status >= 200 && status < 300) || delayMs === undefined)
      return
    clock.after(delayMs, () => track(deliverOnce(notice, retry + 1)))
  }

  function track(delivery: Promise<unknown>): void {
    underWay.add(delivery)
    void delivery.finally(() => underWay.delete(delivery))
  }

  async function settled(): Promise<void> {
    while (underWay.size > 0) await Promise.all(underWay)
  }

  const notices: Notices = {
    url: undefined,
    mode: 'send',
    sent,
    notify(type, body) {
      const notice = { type, body: printJson(body), statuses: [] }
      sent.push(notice)
      const fault = faults.take(`notice ${type}`, ['lose', 'duplicate', 'hold'])
      if (notices.mode === 'drop' || fault?.kind === 'lose') return
      const copies = fault?.kind === 'duplicate' ? [notice, notice] : [notice]
      if (notices.mode === 'hold' || fault?.kind === 'hold') held.push(...copies)
      else track(later().then(() => Promise.all(copies.map((one) => deliverOnce(one)))))
    },
    async deliver(order = 'as_sent', copies = 1) {
      const all = held.flatMap((notice) => Array<NoticeSent>(copies).fill(notice))
      held = []
      if (order === 'reversed') all.reverse()
      if (order === 'shuffled') shuffle(all, random)
      for (const notice of all) await deliverOnce(notice)
      await settled()
    },
    async forge(kind) {
      const last = sent.at(-1)
      if (!last) throw new Error('there is no notice to forge')
      if (source().proves === 'sender' && (kind === 'changed_body' || kind === 'other_signature')) {
        throw new Error(`this provider's notices do not prove their body, so ${kind} is no forgery`)
      }
      const status = await post(...forged(kind, last.body, source()))
      if (status >= 200 && status < 300) report(`a forged notice (${kind}) was accepted: ${status}`)
      return status
    },
    sendSignedWith(key, type, body) {
      const text = printJson(body)
      sent.push({ type, body: text, statuses: [] })
      return post(text, source().sign(text, key))
    },
    settled,
  }
  return notices
}

const later = () => new Promise((resolve) => setImmediate(resolve))

function forged(
  kind: Forgery,
  body: string,
  { sign }: NoticeSource,
): [body: string, headers: Record<string, string>] {
  if (kind === 'unsigned') return [body, {}]
  if (kind === 'other_key') return [body, sign(body, 'sk_test_of_somebody_else')]
  // The last digit of an amount or of an id: the body stays valid JSON.
  const changed = body.replace(/\d(?=\D*$)/, (digit) => `${(+digit + 1) % 10}`)
  if (kind === 'changed_body') return [changed, sign(body)]
  if (kind === 'other_signature') return [body, sign(`${body} `)]
  const half = Object.entries(sign(body)).map(([name, text]) => [
    name,
    text.slice(0, text.length / 2),
  ])
  return [body, Object.fromEntries(half)]
}

function shuffle(list: unknown[], random: () => number): void {
  for (let i = list.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[list[i], list[j]] = [list[j], list[i]]
  }
}
