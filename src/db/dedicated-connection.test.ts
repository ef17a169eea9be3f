import { expect, test } from 'vitest'
import { testDatabase } from '../../test/harness.ts'
import { openWriter } from './dedicated-connection.ts'

test('a statement of another batch on the connection ends before its plans are discarded', async () => {
  const { db } = await testDatabase({ connectionsMax: 4 })
  const [slow, fast] = [openWriter(db), openWriter(db)]
  const statement = (text: string) => ({ text, values: [] })
  const pidOf = async (writer: typeof slow) =>
    (await writer.query(statement('select pg_backend_pid() as pid'))).rows[0].pid
  const before = await pidOf(slow)
  const running = slow.query(statement('select pg_sleep(0.5), 1 as one'))
  db.replan()
  const after = await pidOf(fast)
  expect(await pidOf(fast)).toBe(after)
  expect((await running).rows[0].one).toBe(1)
  expect(after).not.toBe(before)
  expect(await pidOf(slow)).toBe(after)
  expect(db.stats()).toMatchObject({ total: 1 })
})
