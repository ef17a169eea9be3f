import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { asOwner, startServer } from '../../test/harness.ts'
import { openReceiver } from '../../test/webhook-receiver.ts'
import { redirectSecretOf } from '../business/account/service.ts'
import {
  browserAt,
  codeAt,
  emailTo,
  memberOf,
  PASSWORD,
  tokenIn,
  turnTwoFactorOn,
} from '../business/people/people.fixture.ts'
import { OLD_TOTP_BYTES } from '../business/people/queries.ts'
import { serverSecret } from '../db/ids.ts'
import { newWebhookSecret } from '../developers/webhooks/send.ts'
import {
  deliveriesOf,
  endpointAt,
  secretsOf,
  sendDue,
  tellEvents,
} from '../developers/webhooks/webhooks.fixture.ts'
import { encryptWith } from './keyring.ts'

test('a secret that cannot be read does not stop the job for others', async () => {
  const server = await startServer({ jobs: false })
  const owner = await memberOf(server, 'owner')
  const hook = await endpointAt(server, { url: 'https://example.com/hook', events: null })
  const secret = newWebhookSecret()
  await asOwner(server.name, async (client) => {
    await client.query('update people set totp_secret = $2 where id = $1', [
      owner.id,
      Buffer.alloc(OLD_TOTP_BYTES, 'damaged'),
    ])
    await client.query(
      'update webhooks set secret_encrypted = null, secret_plain = $2 where id = $1',
      [hook.id, secret],
    )
  })
  await expect(server.runJob('encrypt-secrets')).rejects.toThrow(
    'values in people.totp_secret that an earlier version encrypted cannot be read',
  )
  expect(await secretsOf(server, hook)).toEqual({ secret, previous: null })
})

test('secrets of an earlier version work before and after the job encrypts them', async () => {
  const server = await startServer({ jobs: false })
  const { db, clock, keyring, business } = server
  const { businessId } = business
  const receiver = await openReceiver()
  const owner = await memberOf(server, 'owner')
  const { secret: totp } = await turnTwoFactorOn(server, owner)
  const email = 'new@people.example'
  expect((await owner.post('/console/team/invite', { email, role: 'viewer' })).status).toBe(200)
  const token = tokenIn(await emailTo(server, email))
  const hook = await endpointAt(server, { url: `${receiver.url}/hook`, events: null })

  // As the version before stored them.
  const key = await serverSecret(db, 'people')
  const [secret, previous, redirect] = [newWebhookSecret(), newWebhookSecret(), 'rsec_old']
  const until = new Date(clock.now().getTime() + 3_600_000)
  const sealed = encryptWith(key, `mail ${email}`, Buffer.from(token)).toString('base64')
  await asOwner(server.name, async (client) => {
    await client.query('update people set totp_secret = $2 where id = $1', [
      owner.id,
      encryptWith(key, `totp ${owner.id}`, Buffer.from(totp)),
    ])
    await client.query(
      `update webhooks set secret_encrypted = null, secret_plain = $2,
         previous_secret_plain = $3, previous_until = $4 where id = $1`,
      [hook.id, secret, previous, until],
    )
    await client.query(
      `update business_settings set redirect_secret_encrypted = null, redirect_secret_plain = $2
       where business_id = $1`,
      [businessId, redirect],
    )
    await client.query(
      `update mails set link_encrypted = null, data = (data::jsonb || $2)::text
       where to_address = $1`,
      [email, JSON.stringify({ sealed })],
    )
  })

  async function works(): Promise<void> {
    clock.advance(31_000)
    const credentials = { email: owner.email, password: PASSWORD, code: codeAt(totp, clock.now()) }
    const signIn = await browserAt(server.url).post('/console/sign-in', credentials)
    expect(signIn.status).toBe(200)
    await tellEvents(server)
    await sendDue(server)
    expect(await deliveriesOf(server, hook)).not.toContainEqual(
      expect.not.objectContaining({ status: 'Delivered' }),
    )
    const { headers, body } = receiver.received.at(-1)!
    for (const one of [secret, previous]) {
      new Webhook(one).verify(body, headers as Record<string, string>)
    }
    for (const live of [false, true]) {
      expect(await redirectSecretOf(db, keyring, { businessId, live })).toBe(redirect)
    }
    expect(tokenIn(await emailTo(server, email))).toBe(token)
  }
  await works()
  await server.runJob('encrypt-secrets')
  expect(await secretsOf(server, hook)).toEqual({ secret, previous })
  const row = await db.one<Record<string, unknown>>`
    select octet_length(p.totp_secret) as totp, w.secret_plain, w.previous_secret_plain,
      s.redirect_secret_plain
    from people p, webhooks w, business_settings s
    where p.id = ${owner.id} and w.id = ${hook.id} and s.business_id = ${businessId} and not s.live`
  const none = { secret_plain: null, previous_secret_plain: null, redirect_secret_plain: null }
  expect(row).toEqual({ totp: 65, ...none })
  await works()
})
