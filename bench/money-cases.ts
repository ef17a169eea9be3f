import { randomInt } from 'node:crypto'
import { fundWallet } from '../src/simulator/service.ts'
import type { Requests } from './load.ts'
import { refundRows, transferRows } from './money-reference.ts'
import { transactionsPerSecond } from './pgbench.ts'
import {
  type Case,
  type Context,
  kernel,
  type Reference,
  rowsOf,
  untilSettled,
} from './routes-cases.ts'

const MONEY = '/api/transaction-service/external/v1'
/** In kobo, and more than any run can send. */
const FUNDING_MINOR = 1_000_000_000_00n
/** Of the transactions with row locks. */
const CLIENTS = 32
/** As many payments as take turns in being refunded. */
const PAYMENTS = 5_000

/**
 * Transfers from one wallet, and refunds of many payments into it. The business has stopped its
 * payouts, so only the requests are measured, not the provider.
 */
export const moneyCases = (context: Context): Case[] => [
  {
    name: 'transfers',
    what: 'request transfers from one wallet',
    needs: [],
    ours: () => transfers(context),
    references: [kernel(context), rowLocks(context, 'transfers')],
    isCosted: true,
  },
  {
    name: 'refunds',
    what: 'request refunds of 5,000 payments',
    needs: ['transaction'],
    ours: () => refunds(context),
    references: [kernel(context), rowLocks(context, 'refunds')],
    isCosted: true,
  },
]

async function transfers({ server }: Context): Promise<Requests> {
  await stopPayouts(server)
  const { db, ids, businessId, port, headers } = server
  await db.transaction((tx) =>
    fundWallet(tx, { ids }, { businessId, live: false, now: new Date() }, FUNDING_MINOR),
  )
  const bodies = ACCOUNTS.map((accountNumber) => ({
    amount: 1,
    bankCode: '058',
    accountNumber,
    narration: 'Salary for November',
  }))
  return {
    port,
    headers,
    method: 'POST',
    paths: [`${MONEY}/transfers`],
    bodies,
    isIdempotent: true,
  }
}

const ACCOUNTS = Array.from({ length: 100 }, () => `${randomInt(1e9, 1e10)}`)

async function refunds(context: Context): Promise<Requests> {
  await stopPayouts(context.server)
  await untilSettled(context)
  const { port, headers } = context.server
  const bodies = (await rowsOf(context, 'transaction'))
    .slice(0, PAYMENTS)
    .map(({ id }) => ({ transactionId: id, amount: 1, reason: 'One shirt was returned' }))
  return { port, headers, method: 'POST', paths: [`${MONEY}/refunds`], bodies, isIdempotent: true }
}

const stopPayouts = ({ db, businessId }: Context['server']) => db.run`
  insert into provider_settings (business_id, live, payouts_stopped_at, payouts_stopped_by,
    payouts_stop_reason, refunds_stopped, updated_at)
  values (${businessId}, false, now(), 'Bench', 'Only requests are measured', true, now())
  on conflict do nothing`

/** The same rows in one transaction for each, which wait for each other's row locks. */
const rowLocks = ({ server }: Context, what: 'transfers' | 'refunds'): Reference => ({
  name: 'row locks',
  async perSecond(seconds) {
    const statements = await (what === 'transfers' ? transferRows(server) : refundRows(server))
    return transactionsPerSecond({
      statements,
      clients: CLIENTS,
      seconds,
      connection: server.cluster.app,
    })
  },
})
