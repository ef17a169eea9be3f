import { expect, test } from 'vitest'
import { callerWith, startServer } from '../../../test/harness.ts'
import { otherProcess } from '../../../test/processes.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'

const INVOICES = '/api/payment-service/external/v1/invoices'
const server = await startServer({ jobs: false })
const { db, business } = server

const WRITERS = 24
const ANSWERS_BEFORE = 150

/** Creates invoices, each with its own key, until the server is killed. */
async function writeUntilKilled() {
  const { url, child } = await otherProcess(server.connection)
  const { post } = callerWith(url, business.keys.testSecret)
  const answered = new Map<string, string>()
  const unanswered: string[] = []
  async function write(writer: number): Promise<void> {
    for (let n = 0; ; n++) {
      const key = `${writer}-${n}`
      const answer = await ask(post, key).catch(() => undefined)
      if (answer?.status !== 201) return void unanswered.push(key)
      answered.set(key, answer.text)
      if (answered.size === ANSWERS_BEFORE) child.kill('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, i) => write(i)))
  return { answered, unanswered }
}

const ask = (post: typeof server.post, key: string) =>
  post(
    INVOICES,
    { customerEmail: 'ada@example.com', amount: 1_500, customerName: key },
    { 'idempotency-key': key },
  )

test('201 is durable once answered, even if the server is killed, and each key creates one invoice', {
  timeout: 180_000,
}, async () => {
  const { answered, unanswered } = await writeUntilKilled()
  expect(answered.size).toBeGreaterThanOrEqual(ANSWERS_BEFORE)
  expect(unanswered).toHaveLength(WRITERS)

  for (const [key, text] of answered) {
    const again = await ask(server.post, key)
    expect([key, again.status, again.text]).toEqual([key, 201, text])
  }
  for (const key of unanswered) expect((await ask(server.post, key)).status).toBe(201)

  const keys = [...answered.keys(), ...unanswered].sort()
  const rows = await db.many<{ name: string; number: number; events: number; mails: number }>`
    select customer_name as name, number,
      (select count(*) from events e where object_type = 'invoice' and object_id = i.id) as events,
      (select count(*) from mails m where subject_type = 'invoice' and subject_id = i.id) as mails
    from invoices i where business_id = ${business.businessId} and not live
    order by number`
  expect(rows.map(({ name }) => name).sort()).toEqual(keys)
  expect(rows.map(({ number }) => number)).toEqual(keys.map((_, i) => i + 1))
  expect(rows.filter(({ events, mails }) => events !== 2 || mails !== 1)).toEqual([])
  expect(await runAudit(db, allChecks)).toEqual([])
})
