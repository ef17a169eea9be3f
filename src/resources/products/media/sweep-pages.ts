import type { Sweeper } from '../../../sweepers/sweepers.ts'
import type { Deps } from '../../deps.ts'
import { deletePicture, isShownOnPage, lockDuePictures, updateSeen } from './queries-pages.ts'
import { beginningOf } from './record.ts'
import { hashesOf } from './service.ts'

const SWEPT_MAX = 50

/** Lets go of pictures that no page shows: by the clock of the server, not that of a test. */
export const pagePictureSweeper = ({ files }: Pick<Deps, 'files'>): Sweeper => ({
  name: 'page-pictures',
  everyMs: 600_000,
  sweep: async (db, now, only) => {
    if (only !== undefined) return 0
    return db.transaction(async (tx) => {
      const rows = await lockDuePictures(tx, now, SWEPT_MAX)
      for (const row of rows) {
        if (await isShownOnPage(tx, row, beginningOf(row))) {
          await updateSeen(tx, row)
          continue
        }
        await deletePicture(tx, row)
        const tenant = { businessId: row.business_id, live: row.live }
        await files.release(tx, tenant, hashesOf(row))
      }
      return rows.length
    })
  },
})
