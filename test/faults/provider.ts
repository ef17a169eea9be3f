import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callerWith } from '../harness.ts'
import { openDouble } from '../providers/doubles/double.ts'
import type { FaultRule } from '../providers/doubles/faults.ts'
import { paystack } from '../providers/doubles/paystack/paystack.ts'
import type { Found } from './catalogue.ts'
import type { Business, Rig } from './rigs.ts'

const MONEY = '/api/transaction-service/external/v1'
const PAYMENTS = 8
const TRANSFERS = 6
const ENDED_MS = 180_000

/** After each of these, the provider has executed the order. */
const AFTER_EFFECT: readonly Omit<FaultRule, 'on'>[] = [
  { kind: 'hang_after_effect', ms: 3_000 },
  { kind: 'reset_after_effect' },
  { kind: 'status_after_effect', status: 502 },
  { kind: 'cut_body' },
]

/**
 * Moves live money through a double of Paystack that answers late, cuts its answers off, and sends
 * its notifications twice and in the wrong order. Everything must be executed once, and our books
 * must say what the double's say.
 */
export async function breakProvider(
  { url, query, json }: Rig,
  random: () => number,
  { id, keys }: Business,
): Promise<Found> {
  const double = await openDouble((kit) => paystack(kit, { transfers: { afterMs: 1_500 } }))
  const file = join(tmpdir(), `tradepost-faults-${process.pid}.key`)
  try {
    await writeFile(file, double.provider.secretKey(), { mode: 0o600 })
    const { connectionId, noticeUrl } = await json(
      ...['providers', 'connect', 'paystack', '--business', `${id}`, '--mode', 'live'],
      ...['--secret-key-file', file, '--base-url', double.baseUrl],
    )
    double.notices.url = noticeUrl
    const { post } = callerWith(url, keys.liveSecret)
    await usable(post)

    double.fault({ on: 'notice *', kind: 'duplicate' })
    double.notices.mode = 'hold'
    await Promise.all(Array.from({ length: PAYMENTS }, () => pay(post, double)))
    await double.notices.deliver('reversed', 2)
    double.notices.mode = 'send'
    const open = () => openOrders(query, id)
    await until(async () => (await open()).length === 0)

    for (const rule of AFTER_EFFECT) {
      const nth = 1 + Math.floor(random() * 2)
      double.fault({ on: 'POST /transfer*', times: 1, nth, ...rule })
    }
    const account = { bankCode: '057', accountNumber: '0123456789' }
    for (let i = 0; i < TRANSFERS; i++) {
      await post(`${MONEY}/transfers`, { ...account, amount: 1_000 + i })
      await sleep(300)
    }
    await until(async () => (await open()).length === 0)
    const left = await open()
    const [held] = await query(
      `select debits_minor - credits_minor as held_minor from ledger_accounts
       where business_id = $1 and live and kind = 'provider_clearing' and subject_id = $2`,
      [id, connectionId],
    )
    const known = BigInt(`${held?.held_minor ?? 0}`)
    const theirs = double.books.balance_minor('NGN')
    const violations = [
      ...left.map((what) => ({ promise: 'P13', what: `nobody could decide ${what}` })),
      ...double.takeProblems().map((what) => ({ promise: 'P13', what })),
      ...(known === theirs
        ? []
        : [{ promise: 'P14', what: `the provider holds ${theirs}, the books say ${known}` }]),
    ]
    return { violations }
  } finally {
    await rm(file, { force: true })
    await double.close()
  }
}

type Post = ReturnType<typeof callerWith>['post']
type Double = Awaited<ReturnType<typeof openDouble<ReturnType<typeof paystack>>>>

/** A server uses new routes once it has read them. */
async function usable(post: Post): Promise<void> {
  await until(async () => {
    const asked = { channel: 'USSD', amount: 500, bankCode: '058' }
    return (await post(`${MONEY}/transaction-with-ussd`, asked)).status === 200
  })
}

async function pay(post: Post, double: Double): Promise<void> {
  const asked = { channel: 'USSD', amount: 5_000, bankCode: '058' }
  const { status, text, body } = await post(`${MONEY}/transaction-with-ussd`, asked)
  if (status !== 200) throw new Error(`a live payment: ${status} ${text}`)
  double.provider.payer.dial(body.data.ussdCode)
}

/** Orders that nobody has decided, except for the charge that nobody pays. */
async function openOrders(query: Rig['query'], id: number): Promise<string[]> {
  const rows = await query(
    `select o.kind || ' ' || o.sent_reference as what from provider_orders o
     left join transactions t on t.business_id = o.business_id and t.live = o.live
       and t.id = o.subject_id and o.kind = 'charge'
     where o.business_id = $1 and o.live and o.ended_at is null
       and coalesce(t.amount_minor, 0) <> 50000`,
    [id],
  )
  return rows.map(({ what }) => `${what}`)
}

/** Waits for a condition, for at most three minutes. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + ENDED_MS; Date.now() < end; await sleep(300)) {
    if (await isTrue()) return
  }
}
