import { access } from 'node:fs/promises'
import { join } from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { describe, expect, test } from 'vitest'
import { asOwner, startServer } from '../../../test/harness.ts'
import { textOf } from '../../../test/pdf.ts'
import { allChecks } from '../../audit.ts'
import { runAudit } from '../../ledger/audit.ts'
import { memberOf } from '../people/people.fixture.ts'
import { ROLES } from '../people/roles.ts'

const server = await startServer({ jobs: false })
const { db, runJob, clock } = server
const COMMERCE = '/api/payment-service/external/v1'
const BRANDING = '/console/branding'
const DAY_MS = 24 * 3_600_000

const picture = (width = 300, height = 100, color = '#c0392b') =>
  sharp({ create: { width, height, channels: 4, background: color } })
const base64 = async (image: Sharp) => (await image.toBuffer()).toString('base64')

/** The owner of a business for this test. */
async function ownerOf() {
  const business = await server.newBusiness()
  return { ...business, owner: await memberOf(server, 'owner', business.businessId) }
}

const pageAt = async (url: string, headers = {}) =>
  (await fetch(server.url + new URL(url).pathname, { headers })).text()

async function invoiceOf(key: string) {
  const asked = { customerEmail: 'ngozi@example.com', amount: 1500 }
  const { body } = await server.as(key).post(`${COMMERCE}/invoices`, asked)
  return body.data as { hostedUrl: string; reference: string }
}

/** The stored contents of a business, each with its file. */
async function contentsOf(businessId: number): Promise<number> {
  const rows = await db.many<{ storage_key: string }>`
    select storage_key from blobs where business_id = ${businessId}`
  for (const { storage_key } of rows) await access(join(server.directory, 'files', storage_key))
  return rows.length
}

/** Advances a day: unused content is then removed, and sessions have ended. */
async function passDay(businessId: number) {
  clock.advance(DAY_MS + 60_000)
  await runJob('blobs')
  return memberOf(server, 'owner', businessId)
}

describe('what payers see', () => {
  test('is unchanged without branding', async () => {
    const { owner, keys } = await ownerOf()
    expect((await owner.get(BRANDING)).body.data).toEqual({
      name: null,
      supportEmail: null,
      supportPhone: null,
      website: null,
      address: null,
      accentColor: null,
      accentInks: null,
      logo: null,
      unless: { name: 'Ada Ventures', email: null, phone: null },
      updatedAt: null,
    })
    const page = await pageAt((await invoiceOf(keys.testSecret)).hostedUrl)
    expect(page).toContain('class="initial"')
    expect(page).not.toMatch(/\/accent\/|\/brand\//)
  })

  test('has name, colour and logo on pages, PDFs and mails in both modes', async () => {
    const { owner, keys } = await ownerOf()
    const logo = await base64(picture(900, 300).png())
    const said = {
      name: 'Ada & Daughters',
      supportEmail: 'help@ada.example',
      supportPhone: '+234 801 234 5678',
      website: 'www.ada.example',
      address: '12 Broad Street\r\n\r\n  Lagos Island, Lagos ',
      accentColor: '7A1FA2',
      logo,
    }
    const { status, body } = await owner.post(BRANDING, said)
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.data).toMatchObject({
      name: 'Ada & Daughters',
      website: 'https://www.ada.example/',
      address: '12 Broad Street\nLagos Island, Lagos',
      accentColor: '#7a1fa2',
      accentInks: { light: { accent: '#7a1fa2', onAccent: '#ffffff' } },
      logo: { width: 480, height: 160 },
    })
    for (const key of [keys.testSecret, keys.liveSecret]) {
      const { hostedUrl, reference } = await invoiceOf(key)
      const page = await pageAt(hostedUrl)
      expect(page).toContain('<strong>Ada &amp; Daughters</strong>')
      expect(page).toContain('href="/accent/7a1fa2.css"')
      expect(page).toContain(`src="${body.data.logo.path}" alt width="132" height="44"`)
      expect(page).toContain('mailto:help@ada.example')
      expect(page).toContain('>ada.example</a>')
      const paper = await fetch(`${server.url}${COMMERCE}/invoices/${reference}/pdf`, {
        headers: { authorization: `Bearer ${key}` },
      })
      const words = textOf(Buffer.from(await paper.arrayBuffer()))
      expect(words).toContain('Ada & Daughters')
      expect(words).toContain('Lagos Island, Lagos')
    }
    const wanted = { customerEmail: 'ngozi@example.com', amount: 2500 }
    const api = server.as(keys.testSecret)
    const checkout = (await api.post(`${COMMERCE}/initialize-checkout`, wanted)).body.data
    expect(await pageAt(checkout.authorizationUrl)).toContain(body.data.logo.path)
    const page = (
      await api.post(`${COMMERCE}/payment-pages/create-pages`, {
        title: 'Market day',
        amount: 500,
        color: '#0b5f45',
      })
    ).body.data
    // A page can have its own colour.
    expect(await pageAt(page.url)).toMatch(/Ada &amp; Daughters[\s\S]*ada\.example/)
    expect(await pageAt(page.url)).toContain('href="/accent/0b5f45.css"')
    const mails = await pageAt('http://127.0.0.1/mailbox')
    const names = [...mails.matchAll(/href="(\/mailbox\/[^"]+)"/g)].map(([, path]) => path)
    const letters = await Promise.all(names.map((path) => pageAt(`http://127.0.0.1${path}/html`)))
    const ours = letters.filter((letter) => letter.includes('Ada &amp; Daughters'))
    expect(ours.length).toBe(2)
    for (const letter of ours) {
      expect(letter).toContain(
        `src="http://127.0.0.1${body.data.logo.path}" width="144" height="48"`,
      )
      expect(letter).toContain('background-color: #7a1fa2')
    }
  })

  test('is readable in any colour: darker on light pages, lighter on dark ones', async () => {
    const { owner } = await ownerOf()
    const { accentInks } = (await owner.post(BRANDING, { accentColor: '#ffee00' })).body.data
    expect(accentInks.light).toEqual({ accent: expect.any(String), onAccent: '#ffffff' })
    expect(accentInks.light.accent).not.toBe('#ffee00')
    expect(accentInks.dark).toEqual({ accent: '#ffee00', onAccent: '#000000' })
  })
})

describe('a logo', () => {
  test('becomes a PNG, or stays a JPEG, without the other data of its file', async () => {
    const { owner } = await ownerOf()
    const camera = picture(40, 40).withExif({ IFD0: { Copyright: 'secret place' } })
    for (const [sent, type] of [
      [camera.clone().jpeg(), 'image/jpeg'],
      [camera.clone().webp(), 'image/png'],
      [camera.clone().png(), 'image/png'],
    ] as const) {
      const { logo } = (await owner.post(BRANDING, { logo: await base64(sent) })).body.data
      const answer = await fetch(server.url + logo.path)
      expect(answer.headers.get('content-type')).toBe(type)
      expect(answer.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
      expect(answer.headers.get('cache-control')).toContain('immutable')
      const bytes = Buffer.from(await answer.arrayBuffer())
      expect(bytes.length).toBe(logo.bytes)
      expect(bytes.includes('secret place')).toBe(false)
    }
  })

  test('that was replaced is removed, and its URL redirects to the new one', async () => {
    const { owner, businessId } = await ownerOf()
    const send = async (by: typeof owner, color: string) => {
      const logo = await base64(picture(50, 50, color).png())
      return (await by.post(BRANDING, { logo })).body.data.logo
    }
    const [first, second] = [await send(owner, 'red'), await send(owner, 'blue')]
    const moved = await fetch(server.url + first.path, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([302, second.path])
    const [key] = await db.many<{ storage_key: string }>`
      select storage_key from blobs where business_id = ${businessId} and release_at is not null`
    expect(await contentsOf(businessId)).toBe(2)
    const later = await passDay(businessId)
    expect(await contentsOf(businessId)).toBe(1)
    await expect(access(join(server.directory, 'files', key!.storage_key))).rejects.toThrow(
      'ENOENT',
    )
    expect((await fetch(server.url + second.path)).status).toBe(200)

    // Sent again it stays; removed, it is gone everywhere.
    expect((await send(later, 'blue')).path).toBe(second.path)
    const { logo } = (await later.post(BRANDING, { logo: null })).body.data
    expect(logo).toBe(null)
    expect((await fetch(server.url + second.path)).status).toBe(404)
    await passDay(businessId)
    expect(await contentsOf(businessId)).toBe(0)
    const log = await db.many<{ detail: string }>`
      select detail from audit_log where business_id = ${businessId} and action = 'branding.change'
      order by seq`
    expect(log.map(({ detail }) => detail)).toEqual(Array(3).fill('Changed: logo'))
  })

  test('is one of those sent at once, and nothing of the others is stored', async () => {
    const { owner, businessId } = await ownerOf()
    const colors = Array.from({ length: 12 }, (_, i) => `#0000${(i + 16).toString(16)}`)
    const logos = await Promise.all(colors.map((color) => base64(picture(20, 20, color).png())))
    const answers = await Promise.all(logos.map((logo) => owner.post(BRANDING, { logo })))
    expect(answers.map(({ status }) => status)).toEqual(logos.map(() => 200))
    const later = await passDay(businessId)
    expect(await contentsOf(businessId)).toBe(1)
    const { logo } = (await later.get(BRANDING)).body.data
    expect((await fetch(server.url + logo.path)).status).toBe(200)
    expect(await runAudit(db, allChecks)).toEqual([])
  })

  test('is checked by the audit', async () => {
    const { owner, businessId } = await ownerOf()
    await owner.post(BRANDING, { logo: await base64(picture().png()) })
    await asOwner(server.name, (client) =>
      client.query('update business_branding set logo_bytes = 7 where business_id = $1', [
        businessId,
      ]),
    )
    const findings = await runAudit(db, allChecks)
    expect(findings.map(({ check }) => check)).toEqual(['branding-logo'])
    await asOwner(server.name, (client) =>
      client.query(
        `update business_branding g set logo_bytes = b.bytes from blobs b
         where b.sha256 = g.logo_sha256 and b.business_id = g.business_id`,
      ),
    )
  })

  test('is found only by its full URL', async () => {
    const { owner } = await ownerOf()
    const sent = { logo: await base64(picture(30, 30, 'teal').png()) }
    const { logo } = (await owner.post(BRANDING, sent)).body.data
    const [, key = ''] = /^\/brand\/(\w{22})\//.exec(logo.path) ?? []
    for (const path of ['/brand/1/x.png', `/brand/${key.slice(1)}/x.png`, `/brand/${key}`]) {
      expect((await fetch(server.url + path, { redirect: 'manual' })).status, path).toBe(404)
    }
  })
})

describe('branding', () => {
  test.each([
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ name: 'turned \u202e round' }, 'name'],
    [{ supportEmail: 'ada' }, 'supportEmail'],
    [{ supportPhone: 'call me' }, 'supportPhone'],
    [{ website: 'javascript:alert(1)' }, 'website'],
    [{ website: 'https://bank.example@evil.example' }, 'website'],
    [{ website: 'nowhere' }, 'website'],
    [{ address: '1\n2\n3\n4\n5\n6\n7' }, 'address'],
    [{ accentColor: 'green' }, 'accentColor'],
  ])('is refused for %j', async (change, field) => {
    const { owner, businessId } = await ownerOf()
    const { status, body } = await owner.post(BRANDING, { ...change })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    const rows = await db.many`select 1 from business_branding where business_id = ${businessId}`
    expect(rows).toEqual([])
  })

  test('refuses a logo that is not an image, is incomplete, or is too large', async () => {
    const { owner } = await ownerOf()
    const whole = await picture(200, 200).jpeg().toBuffer()
    const sent = [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
      Buffer.from('GIF89a'),
      Buffer.alloc(512 * 1024 + 1),
      whole.subarray(0, whole.length - 40),
      await picture(5000, 4000).png().toBuffer(),
    ]
    for (const logo of [...sent.map((bytes) => bytes.toString('base64')), 'no base64!']) {
      const { status, body } = await owner.post(BRANDING, { logo })
      expect([status, Object.keys(body.errors ?? {})]).toEqual([400, ['logo']])
    }
  })

  test.each(ROLES)('is readable by a %s, and changed only by owners and admins', async (role) => {
    const { businessId } = await server.newBusiness()
    const member = await memberOf(server, role, businessId)
    const expected = role === 'owner' || role === 'admin' ? 200 : 403
    for (const mode of ['test', 'live'] as const) {
      member.choose(businessId, mode)
      expect((await member.get(BRANDING)).status).toBe(200)
      expect((await member.post(BRANDING, { name: `By ${role}` })).status).toBe(expected)
    }
  })

  test('is not available to keys, strangers or other businesses', async () => {
    const { owner, businessId, keys } = await ownerOf()
    const other = await ownerOf()
    await owner.post(BRANDING, { name: 'Mine' })
    expect((await other.owner.get(BRANDING)).body.data.name).toBe(null)
    other.owner.choose(businessId)
    expect((await other.owner.get(BRANDING)).status).toBe(404)
    expect((await other.owner.post(BRANDING, { name: 'Theirs' })).status).toBe(404)
    expect((await server.as(keys.testSecret).get(BRANDING)).status).toBe(401)
    expect((await owner.get(BRANDING)).body.data.name).toBe('Mine')
  })

  test('is removed by null and by an empty string; absent fields stay', async () => {
    const { owner } = await ownerOf()
    await owner.post(BRANDING, { name: 'Mine', website: 'ada.example', accentColor: '#123456' })
    const { data } = (await owner.post(BRANDING, { name: ' ', website: null })).body
    expect(data).toMatchObject({ name: null, website: null, accentColor: '#123456' })
  })
})

describe('a preview', () => {
  const preview = (more: object = {}) => ({ page: 'checkout', change: {}, ...more })

  test('is the page with the values being typed, without scripts', async () => {
    const { owner } = await ownerOf()
    const change = { name: 'Half ty', accentColor: '#7a1fa2', supportEmail: 'not@yet' }
    const { status, body } = await owner.post(`${BRANDING}/preview`, preview({ change }))
    expect(status).toBe(200)
    const { html } = body.data
    expect(html).toContain('<strong>Half ty</strong>')
    expect(html).toContain('/accent/7a1fa2-light.css')
    expect(html).toContain("script-src 'none'")
    expect(html).not.toMatch(/<script|not@yet/)
    expect((await fetch(`${server.url}/accent/7a1fa2-light.css`)).status).toBe(200)
    const [, style = ''] = /href="(\/assets\/pages-light[^"]+)"/.exec(html) ?? []
    const css = await (await fetch(server.url + style)).text()
    expect(css).toContain('color-scheme: light;')
    expect(css).not.toContain('prefers-color-scheme')
    expect((await owner.get(BRANDING)).body.data.name).toBe(null)
  })

  test('shows a logo that is not stored yet, and none if it is to be removed', async () => {
    const { owner } = await ownerOf()
    await owner.post(BRANDING, { logo: await base64(picture().png()) })
    const html = async (more: object) =>
      (await owner.post(`${BRANDING}/preview`, preview({ page: 'invoice', ...more }))).body.data
        .html
    expect(await html({})).toContain('src="/brand/')
    expect(await html({ logo: { width: 10, height: 10 } })).toContain('src="data:,logo"')
    expect(await html({ logo: null })).toContain('class="initial"')
  })

  test('of a document is a PDF', async () => {
    const { owner } = await ownerOf()
    await owner.post(BRANDING, { name: 'On paper', logo: await base64(picture().png()) })
    const response = await fetch(`${server.url}${BRANDING}/paper`, {
      headers: { cookie: owner.cookie(), 'x-tradepost-mode': 'test' },
    })
    expect(response.headers.get('content-type')).toBe('application/pdf')
    expect(textOf(Buffer.from(await response.arrayBuffer()))).toContain('On paper')
  })
})
