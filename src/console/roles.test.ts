import { describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { plainDocument } from '../lib/openapi.ts'
import { ROLES, type Role } from './roles.ts'
import { memberOf } from './testing.ts'

const server = await startServer({ sweepers: false })

interface Operation {
  operation: string
  method: string
  url: string
  scope: string
}

/** Every operation that asks for a scope, as the server's own description has it. */
async function operations(): Promise<Operation[]> {
  const { paths } = plainDocument((await server.get('/openapi.json')).body) as {
    paths: Record<string, Record<string, { operationId: string; description?: string }>>
  }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { operationId: operation, description = '' }]) => {
      const scope = /needs the scope `(\w+:\w+)`/.exec(description)?.[1]
      const url = path.replace(/\{\w+\}/g, 'NOTHING')
      return scope ? [{ operation, method: method.toUpperCase(), url, scope }] : []
    }),
  )
}

const CUSTOMERS_SIDE =
  'profile invoices transactions refunds orders checkout payment_pages products discounts banks'

/** What each role reads and changes, by hand: docs/decisions/0049-dashboard.md. */
const TABLE: Record<Role, { reads: string; changes: string; changesInTest?: string }> = {
  owner: { reads: '*', changes: '*' },
  admin: { reads: '*', changes: '*' },
  developer: { reads: '*', changes: 'keys webhooks simulator', changesInTest: '*' },
  finance: {
    reads: '* but keys requests',
    changes: 'transfers refunds settlements subaccounts split_pages wallet utility simulator',
  },
  support: { reads: CUSTOMERS_SIDE, changes: 'invoices refunds orders' },
  viewer: { reads: `${CUSTOMERS_SIDE} wallet`, changes: '' },
}

const has = (list: string, collection: string) => {
  const [some = '', but = ''] = list.split(' but ')
  return (
    (some === '*' || some.split(' ').includes(collection)) && !but.split(' ').includes(collection)
  )
}

function mayBy(role: Role, scope: string, live: boolean): boolean {
  const { reads, changes, changesInTest = '' } = TABLE[role]
  const [collection = '', verb] = scope.split(':')
  const isChanging = has(changes, collection) || (!live && has(changesInTest, collection))
  return verb === 'read' ? has(reads, collection) || isChanging : isChanging
}

describe.each(ROLES)('as %s', (role) => {
  test.each(['test', 'live'] as const)(
    '403 to exactly the operations that the role does not include, in %s mode',
    async (mode) => {
      const { businessId } = await server.newBusiness()
      const member = await memberOf(server, role, businessId)
      member.choose(businessId, mode)
      const all = await operations()
      expect(all.length).toBeGreaterThan(90)
      const wrong: string[] = []
      for (const { operation, method, url, scope } of all) {
        const body = method === 'GET' ? undefined : {}
        const answer = await member.call(method, url, body)
        const isRefused = answer.status === 403 && answer.text.includes('does not include')
        if (isRefused === mayBy(role, scope, mode === 'live') || answer.status === 401) {
          wrong.push(`${operation} (${scope}): ${answer.status}`)
        }
      }
      expect(wrong).toEqual([])
    },
  )

  test('403 to people and the audit log, but for those who run the business', async () => {
    const member = await memberOf(server, role)
    const runs = role === 'owner' || role === 'admin'
    const invitation = { email: `of-${role}@people.example`, role: 'viewer' }
    const status = async (answer: Promise<{ status: number }>) => (await answer).status
    expect(await status(member.get('/console/team'))).toBe(runs ? 200 : 403)
    expect(await status(member.post('/console/team/invite', invitation))).toBe(runs ? 200 : 403)
    expect(await status(member.post('/console/team/1/role', { role: 'owner' }))).toBe(
      runs ? 404 : 403,
    )
    expect(await status(member.get('/console/audit'))).toBe(runs || role === 'finance' ? 200 : 403)
  })

  test('404 to every operation in a business of others, in both modes', async () => {
    const member = await memberOf(server, role)
    const { businessId } = await server.newBusiness('Foreign Ventures')
    const wrong: string[] = []
    for (const mode of ['test', 'live'] as const) {
      member.choose(businessId, mode)
      for (const { operation, method, url } of await operations()) {
        const answer = await member.call(method, url, method === 'GET' ? undefined : {})
        if (answer.status !== 404 || answer.text.includes('Foreign')) {
          wrong.push(`${operation}: ${answer.status}`)
        }
      }
      for (const path of ['/console/team', '/console/audit', '/console/audit/export']) {
        const answer = await member.get(path)
        if (answer.body?.errorCode !== 'business_not_found') wrong.push(`${path} ${answer.status}`)
      }
    }
    expect(wrong).toEqual([])
  })
})

test('401 to everything of the console without a session', async () => {
  const paths = ['me', 'team', 'audit', 'audit/export', 'sessions', 'passkeys']
  for (const path of paths) {
    const answer = await server.as('').call('GET', `/console/${path}`, undefined, {
      authorization: '',
    })
    expect([path, answer.status]).toEqual([path, 401])
    const withKey = await server.get(`/console/${path}`)
    expect([path, withKey.status]).toEqual([path, 401])
  }
})
