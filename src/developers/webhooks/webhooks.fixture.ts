import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'
import { runDue } from '../../jobs/jobs.ts'
import { newReference } from '../../lib/tokens.ts'
import type { AttemptRow } from './queries-deliver.ts'
import { aboutSecret, newWebhookSecret } from './send.ts'

type Server = Awaited<ReturnType<typeof startServer>>

interface NewEndpoint {
  url: string
  events?: string[] | null
  businessId?: number
  live?: boolean
  /**
   * False for a URL that has never responded with 2xx, and therefore gets one delivery at a time.
   */
  proved?: boolean
}

/** Stores an endpoint as the API does, but accepts URLs that the API would refuse. */
export async function endpointAt(
  { db, ids, keyring, business }: Pick<Server, 'db' | 'ids' | 'keyring' | 'business'>,
  {
    url,
    events = null,
    businessId = business.businessId,
    live = false,
    proved = true,
  }: NewEndpoint,
) {
  const [id, reference, secret] = [await ids.next(), newReference('WHK'), newWebhookSecret()]
  await db.transaction(async (tx) => {
    const encrypted = await keyring.encrypt(tx, aboutSecret(id), secret)
    await tx.run`
      insert into webhooks (business_id, live, id, reference, url, events, secret_encrypted,
        url_proved_at, created_at, updated_at)
      values (${businessId}, ${live}, ${id}, ${reference}, ${url}, ${events}::text[], ${encrypted},
        ${proved ? new Date(0) : null}, ${new Date(0)}, ${new Date(0)})`
  })
  return { businessId, live, id, reference, secret }
}

/** An endpoint's secrets as they are stored, decrypted. */
export async function secretsOf(
  { db, keyring }: Pick<Server, 'db' | 'keyring'>,
  { id }: { id: number },
) {
  const row = await db.one<Record<'secret_encrypted' | 'previous_secret_encrypted', Buffer | null>>`
    select secret_encrypted, previous_secret_encrypted from webhooks where id = ${id}`
  const read = async (value: Buffer | null) =>
    value && (await keyring.decrypt(db, aboutSecret(id), value))
  return {
    secret: await read(row.secret_encrypted),
    previous: await read(row.previous_secret_encrypted),
  }
}

const INVOICES = '/api/payment-service/external/v1/invoices'

/** Creates `count` `invoice.created` events, each about a new object. Returns the invoices. */
export async function tellEvents({ post }: Pick<Server, 'post'>, count = 1) {
  const made = await Promise.all(
    Array.from({ length: count }, async () => {
      const { status, body } = await post(INVOICES, { customerEmail: 'ada@example.com', amount: 9 })
      expect(status).toBe(201)
      return body.data as { id: number; reference: string }
    }),
  )
  return made
}

/**
 * Sends the deliveries that are due now until there are none, and waits until all are recorded.
 * Retries are due later, so they are not sent.
 */
export async function sendDue({
  db,
  clock,
  app: { deliverer },
}: Pick<Server, 'db' | 'clock' | 'app'>): Promise<void> {
  const now = clock.now()
  for (let found = 1; found > 0; ) {
    found = await runDue(db, now, deliverer.run)
    await deliverer.idle()
  }
}

export const deliveriesOf = ({ db }: Pick<Server, 'db'>, { id }: { id: number }) =>
  db.many<{
    event_id: number
    status: string
    attempt_count: number
    round_count: number
    due_at: Date
    lease_until: Date | null
    last_status: number | null
    last_error: string | null
    finished_at: Date | null
    created_at: Date
  }>`
    select * from webhook_deliveries where webhook_id = ${id} order by event_id`

export const attemptsOf = ({ db }: Pick<Server, 'db'>, { id }: { id: number }) =>
  db.many<AttemptRow & { event_id: number }>`
    select * from webhook_attempts where webhook_id = ${id} order by event_id, number`

export const endpointRow = ({ db }: Pick<Server, 'db'>, { id }: { id: number }) =>
  db.one<{
    status: string
    failing_since: Date | null
    failure_count: number
    last_success_at: Date | null
    disabled_at: Date | null
    disabled_reason: string | null
    event_sequence: number
  }>`
    select * from webhooks where id = ${id}`

/** Disables an endpoint, so that its failed deliveries are not retried while other tests run. */
export const disable = ({ db }: Pick<Server, 'db'>, { id }: { id: number }) =>
  db.run`
    update webhooks set status = 'Disabled', disabled_at = ${new Date(0)} where id = ${id}`
