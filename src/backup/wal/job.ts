import type { Logger } from 'pino'
import { walProgress } from '../../db/embedded/wal.ts'
import type { Job } from '../../jobs/jobs.ts'
import type { OpenedShipper } from './open.ts'

const EVERY_MS = 60_000

/** Archives the WAL every minute. A failure is logged, and the metric shows its age. */
export const walJob = ({ shipper }: OpenedShipper): Job => ({
  name: 'wal-archive',
  everyMs: EVERY_MS,
  async run(_db, _now, only) {
    if (only === undefined) await shipper.run()
    return 0
  },
})

/** Archives what is left. Called before the embedded database stops. */
export async function shipLast({ shipper, close }: OpenedShipper, log: Logger): Promise<void> {
  try {
    await shipper.run()
  } catch (error) {
    log.error({ err: error }, 'the last WAL could not be archived; the next start does so')
  } finally {
    close()
  }
}

export function warnWithoutBase(top: string, log: Logger): void {
  if (walProgress(top)?.from) return
  log.warn(
    {},
    'the WAL is archived, but of no use before a first base backup: run tradepost backup',
  )
}
