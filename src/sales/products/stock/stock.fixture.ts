import type { ClientConfig } from 'pg'
import type { testDatabase } from '../../../../test/harness.ts'
import { type Database, openDatabase } from '../../../db/database.ts'
import { type Ids, openIds } from '../../../db/ids.ts'
import { addMs } from '../../../lib/clock.ts'
import { openShelf } from './inventory.fixture.ts'
import { reserveStock } from './reserve.fixture.ts'
import { extendReservations, releaseStock, restock, sellStock, stockExpiryJob } from './service.ts'

export const now = new Date('2026-11-21T10:00:00.000Z')
export const expiresAt = addMs(now, 15 * 60_000)
export const later = addMs(expiresAt, 1)

interface Desk {
  db: Database
  ids: Ids
}

export type Wish = [itemId: number, quantity: number]

/** Opens a business with stock, and a process that sells it. */
export async function openDesk(database: Awaited<ReturnType<typeof testDatabase>>) {
  const { db, ids } = database
  const here: Desk = { db, ids }
  const shelf = await openShelf(database)
  const { tenant } = shelf

  const reserve = (causeId: number, wishes: Wish[], desk = here) =>
    desk.db.transaction((tx) =>
      reserveStock(tx, desk.ids, tenant, {
        causeId,
        lines: wishes.map(([itemId, quantity]) => ({ itemId, quantity })),
        expiresAt,
        now,
      }),
    )
  const renew = (causeId: number, until: Date) =>
    db.transaction((tx) => extendReservations(tx, ids, tenant, { causeId, expiresAt: until, now }))
  const release = (causeId: number) =>
    db.transaction((tx) => releaseStock(tx, tenant, { causeId, now }))
  const sell = (causeId: number) =>
    db.transaction((tx) => sellStock(tx, ids, tenant, { causeId, now: later }))
  const takeBack = (causeId: number) =>
    db.transaction((tx) => restock(tx, tenant, { causeId, now: later }))
  const expire = (at = later, desk = here) => stockExpiryJob.run(desk.db, at)
  const nextCause = () => ids.next()

  /**
   * Runs `work` in another process with its own connections. If these go through the proxy, its
   * network is slow.
   */
  async function secondDesk<T>(
    work: (desk: Desk) => Promise<T>,
    connection: ClientConfig = database.connection,
  ): Promise<T> {
    const second = openDatabase({ connection, connectionsMax: 10 })
    try {
      return await work({ db: second, ids: openIds(second) })
    } finally {
      await second.close()
    }
  }

  const moves = { reserve, renew, release, sell, takeBack, expire, nextCause }
  return { ...shelf, ...moves, here, secondDesk }
}
