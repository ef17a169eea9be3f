import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'
import { TRANSACTION_STATES } from './schemas.ts'

export const PATH = '/api/transaction-service/external/v1/transactions'
export const CHANNELS = ['USSD', 'BANK_TRANSFER', 'CARD', 'WALLET', 'OFFLINE']

interface Fill {
  /** The number of the first transaction. The others follow it. */
  from?: number
  name?: string | null
  email?: string | null
  /** How much older each is than the one before it. */
  everyMs?: number
  status?: string
  channel?: string
  live?: boolean
}

/** Each test has its own business. Its transactions are inserted rows, created before `start`. */
export async function openList(server: Awaited<ReturnType<typeof startServer>>, start: Date) {
  const { db } = server
  const { keys, businessId } = await server.newBusiness()
  const { get, call } = server.as(keys.testSecret)

  /**
   * Inserts rows directly, because creating this many over HTTP would take too long. TRX_1 is the
   * newest, except that numbers below 1 are newer still. States and channels alternate unless one
   * is given.
   */
  const fill = (count: number, { from = 1, everyMs = 1000, live = false, ...more }: Fill = {}) => {
    const { name = 'Ada Obi', email = 'ada@example.com', status = null, channel = null } = more
    return db.run`
      with new as (
        insert into transactions
          (business_id, live, id, reference, purpose, purpose_id, status, channel, amount_minor,
           fee_minor, fee_bearer, payable_minor, paid_minor, currency, customer_email,
           customer_name, provider, expires_at, event_sequence, created_at, updated_at)
        select ${businessId}, ${live}, 1000000000 - n * 1000, 'TRX_' || n, 'test', n,
          coalesce(${status}, (${TRANSACTION_STATES}::text[])[1 + abs(n) % 7]),
          coalesce(${channel}, (${CHANNELS}::text[])[1 + abs(n) % 5]), 10000, 250, 'business',
          10000, 10000, 'NGN', ${email}::text, ${name}::text, 'test', ${start}, 1,
          ${start}::timestamptz - n * ${everyMs}::bigint * interval '1 millisecond', ${start}
        from generate_series(${from}::integer, ${from + count - 1}::integer) n
        returning business_id, live, id, customer_email, customer_name
      )
      insert into transaction_texts_due
      select business_id, live, id from new
      where customer_email is not null or customer_name is not null`
  }
  const page = async (query: Record<string, string> = {}, path = PATH) => {
    const { status, body } = await get(`${path}?${new URLSearchParams(query)}`)
    expect([status, body]).toMatchObject([200, { status: 'success' }])
    return { rows: referencesOf(body), meta: body.meta }
  }
  /** Reads all pages from the first to the last, and then all of them back to the first. */
  const walk = async (query: Record<string, string>, between = async () => {}) => {
    const forth: string[][] = []
    let at = await page(query)
    for (; ; at = await page({ ...query, cursor: at.meta.next })) {
      forth.push(at.rows)
      await between()
      if (!at.meta.hasMore) break
    }
    expect(at.meta.next).toBeNull()
    const back: string[][] = []
    while (at.meta.previous) {
      at = await page({ ...query, cursor: at.meta.previous })
      back.unshift(at.rows)
      expect(at.meta).toMatchObject({ hasMore: true, next: expect.any(String) })
    }
    return { forth: forth.flat(), back: back.flat(), last: forth.at(-1)!, sizes: forth.map(size) }
  }
  return { get, call, fill, page, walk, keys, businessId }
}

const size = (rows: unknown[]) => rows.length
export const referencesOf = ({ data }: { data: { reference: string }[] }) =>
  data.map(({ reference }) => reference)

/** The references of a range of inserted transactions, newest first. */
export const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `TRX_${from + i}`)
