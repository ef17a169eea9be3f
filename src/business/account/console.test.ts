import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'
import { memberOf } from '../people/people.fixture.ts'
import { ROLES } from '../people/roles.ts'
import { changeFees } from './service.ts'

const server = await startServer({ jobs: false })
const { db, clock } = server
const DETAILS = '/console/business'
const PROFILE = '/api/user-service/external/v1/profile'

async function ownerOf() {
  const business = await server.newBusiness()
  return { ...business, owner: await memberOf(server, 'owner', business.businessId) }
}

describe('the details of a business', () => {
  test('are changed, and noted in the audit log', async () => {
    const { owner, businessId } = await ownerOf()
    const said = {
      name: ' Ada Ventures Ltd ',
      email: 'owner@ada.example',
      phone: '+234 801 234 5678',
      firstName: 'Ada',
      lastName: 'Obi',
    }
    expect((await owner.post(DETAILS, said)).status).toBe(200)
    expect((await owner.get(PROFILE)).body.data).toMatchObject({
      businessName: 'Ada Ventures Ltd',
      email: 'owner@ada.example',
      phone: '+234 801 234 5678',
      firstName: 'Ada',
      lastName: 'Obi',
      currency: 'NGN',
    })
    // Absent fields stay, and equal values are no change.
    expect((await owner.post(DETAILS, { phone: null, lastName: 'Obi' })).status).toBe(200)
    expect((await owner.post(DETAILS, { lastName: 'Obi' })).status).toBe(200)
    expect((await owner.get(PROFILE)).body.data).toMatchObject({ firstName: 'Ada', phone: null })
    const log = await db.many<{ detail: string; person_id: number }>`
      select detail, person_id from audit_log
      where business_id = ${businessId} and action = 'business.change' order by seq`
    expect(log).toEqual([
      { detail: 'Changed: name, email, phone, firstName, lastName', person_id: owner.id },
      { detail: 'Changed: phone', person_id: owner.id },
    ])
  })

  test.each([
    [{ name: '' }, 'name'],
    [{ name: 'two\nlines' }, 'name'],
    [{ name: 'two\u2028lines' }, 'name'],
    [{ name: 'Ada \u202eknab' }, 'name'],
    [{ name: '\u200b' }, 'name'],
    [{ firstName: '\u2067Ada' }, 'firstName'],
    [{ email: 'ada' }, 'email'],
    [{ phone: 'call me' }, 'phone'],
    [{ firstName: 'x'.repeat(101) }, 'firstName'],
  ])('are refused for %j', async (change, field) => {
    const { owner } = await ownerOf()
    const { status, body } = await owner.post(DETAILS, { ...change, lastName: 'Stored?' })
    expect([status, Object.keys(body.errors)]).toEqual([400, [field]])
    expect((await owner.get(PROFILE)).body.data).toMatchObject({
      businessName: 'Ada Ventures',
      lastName: null,
    })
  })

  test('require the password again to change the email address', async () => {
    const { owner } = await ownerOf()
    clock.advance(6 * 60_000)
    const { status, body } = await owner.post(DETAILS, { email: 'thief@example.com' })
    expect([status, body.errorCode]).toEqual([403, 'reauthentication_needed'])
    expect((await owner.post(DETAILS, { firstName: 'Ada' })).status).toBe(200)
    expect((await owner.get(PROFILE)).body.data).toMatchObject({ email: null, firstName: 'Ada' })
    await owner.post('/console/reauthenticate', { password: owner.password })
    expect((await owner.post(DETAILS, { email: 'new@example.com' })).status).toBe(200)
  })

  test.each(ROLES)('can be changed only by owners and admins; as a %s', async (role) => {
    const { businessId } = await server.newBusiness()
    const member = await memberOf(server, role, businessId)
    const expected = role === 'owner' || role === 'admin' ? 200 : 403
    expect((await member.post(DETAILS, { name: 'Mine' })).status).toBe(expected)
    const { businessName } = (await member.get(PROFILE)).body.data
    expect(businessName).toBe(expected === 200 ? 'Mine' : 'Ada Ventures')
  })

  test('are not shared with other businesses', async () => {
    const { owner } = await ownerOf()
    const other = await ownerOf()
    owner.choose(other.businessId)
    expect((await owner.post(DETAILS, { name: 'Theirs' })).status).toBe(404)
    expect((await other.owner.get(PROFILE)).body.data.businessName).toBe('Ada Ventures')
  })
})

describe('fees', () => {
  test('are described in words, by channel', async () => {
    const { owner, businessId } = await ownerOf()
    const usual = '1.5% + ₦100, capped at ₦2,000; the ₦100 is waived below ₦2,500'
    const { data } = (await owner.get('/console/fees')).body
    expect(data).toMatchObject({ isDefault: true })
    expect(data.channels).toContainEqual({ channel: 'USSD', words: usual, isOwn: false })
    expect(data.channels).toContainEqual({ channel: 'OFFLINE', words: 'Free', isOwn: false })
    expect(data.transfers).toEqual(['₦10 up to ₦5,000', '₦25 up to ₦50,000', '₦50 above ₦50,000'])
    const rule = { percentBasisPoints: 75, flat_minor: 0n, cap_minor: null }
    await db.transaction((tx) => changeFees(tx, businessId, { channel: 'USSD', rule }, clock.now()))
    const after = (await owner.get('/console/fees')).body.data
    expect(after.isDefault).toBe(false)
    expect(after.channels).toContainEqual({ channel: 'USSD', words: '0.75%', isOwn: true })
    const shown = after.channels.map(({ channel }: { channel: string }) => channel)
    // No provider offers wallets.
    expect(shown).toEqual(['BANK_TRANSFER', 'USSD', 'CARD', 'OFFLINE'])
  })
})
