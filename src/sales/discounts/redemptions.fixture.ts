import type { ClientConfig } from 'pg'
import type { testDatabase } from '../../../test/harness.ts'
import { openDatabase } from '../../db/database.ts'
import { addMs } from '../../lib/clock.ts'
import { openDiscounts } from './discounts.fixture.ts'
import {
  discountExpiryJob,
  extendDiscount,
  redeemDiscount,
  releaseDiscount,
  reserveDiscount,
  restoreDiscount,
} from './service.ts'

export const now = new Date('2026-11-21T10:00:00.000Z')
export const expiresAt = addMs(now, 15 * 60_000)
export const later = addMs(expiresAt, 1)

export const anything = [{ productId: null, amount_minor: 100_000n }]

interface Wish {
  email?: string
  lines?: { productId: number | null; amount_minor: bigint }[]
  currency?: string
  at?: Date
  until?: Date
}

export async function openUses(database: Awaited<ReturnType<typeof testDatabase>>) {
  const { db, ids } = database
  const opened = await openDiscounts(database, now)
  const { tenant } = opened

  const reserve = (causeId: number, code: string, wish: Wish = {}, from = db) =>
    from.transaction((tx) =>
      reserveDiscount(tx, tenant, {
        causeId,
        code,
        lines: wish.lines ?? anything,
        currency: wish.currency ?? 'NGN',
        email: wish.email ?? 'ada@example.com',
        expiresAt: wish.until ?? expiresAt,
        now: wish.at ?? now,
      }),
    )
  const renew = (causeId: number, until: Date) =>
    db.transaction((tx) => extendDiscount(tx, tenant, { causeId, expiresAt: until, now }))
  const keep = (causeId: number) =>
    db.transaction((tx) => redeemDiscount(tx, ids, tenant, { causeId, now: later }))
  const free = (causeId: number) =>
    db.transaction((tx) => releaseDiscount(tx, tenant, { causeId, now }))
  const takeBack = (causeId: number) =>
    db.transaction((tx) => restoreDiscount(tx, tenant, { causeId, now: later }))
  const expire = (at = later, from = db) => discountExpiryJob.run(from, at)
  const nextCause = () => ids.next()

  /**
   * Runs `work` in another process with its own connections. If these go through a proxy, its
   * network is slow.
   */
  async function elsewhere<T>(
    work: (there: typeof db) => Promise<T>,
    connection: ClientConfig = database.connection,
  ): Promise<T> {
    const second = openDatabase({ connection, connectionsMax: 10 })
    try {
      return await work(second)
    } finally {
      await second.close()
    }
  }

  const moves = { reserve, renew, keep, free, takeBack, expire, nextCause }
  return { ...opened, ...moves, elsewhere }
}
