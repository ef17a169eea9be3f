import type { Tx } from '../../db/database.ts'

/** Lets time pass for the test data of a business; answers how far it is ahead now. */
export function advanceClock(tx: Tx, businessId: number, seconds: number) {
  return tx.one<{ test_clock_offset_ms: number; reference: string }>`
    update businesses
    set test_clock_offset_ms = test_clock_offset_ms + ${seconds * 1000}::bigint
    where id = ${businessId}
    returning test_clock_offset_ms, reference`
}
