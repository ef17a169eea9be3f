import { describe, expect, test } from 'vitest'
import { type Reply, startServer } from '../../../test/harness.ts'
import { requireScope } from '../../http/auth.ts'
import type { Caller } from '../../lib/caller.ts'
import { plainDocument } from '../../lib/openapi.ts'
import { type Member, memberOf } from './people.fixture.ts'
import { ROLES, type Role, scopesOf } from './roles.ts'

const server = await startServer({ jobs: false })

interface Operation {
  operation: string
  method: string
  url: string
  scope: string
}

/** Every operation that requires a scope, by the server's own description. */
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
  'profile invoices transactions refunds disputes orders checkout payment_pages products discounts banks'

/** The read and write access of each role, by hand from docs/design/people.md. */
const TABLE: Record<Role, { reads: string; changes: string; changesInTest?: string }> = {
  owner: { reads: '*', changes: '*' },
  admin: { reads: '*', changes: '*' },
  developer: { reads: '*', changes: 'keys webhooks simulator', changesInTest: '*' },
  finance: {
    reads: '* but keys requests',
    changes:
      'transfers refunds disputes settlements subaccounts split_pages wallet utility simulator',
  },
  support: { reads: CUSTOMERS_SIDE, changes: 'invoices refunds disputes orders' },
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

/** Whether the kernel would admit the role, by the functions that it uses. */
function isIncluded(role: Role, scope: string, live: boolean): boolean {
  try {
    requireScope({ scopes: scopesOf(role, live) } as unknown as Caller, scope)
    return true
  } catch {
    return false
  }
}

const MODES = ['test', 'live'] as const
const all = await operations()

/** Sends these operations, and lists those with an unexpected response. */
async function wrongOf(
  member: Member,
  some: Operation[],
  isRight: (answer: Reply, operation: Operation) => boolean,
): Promise<string[]> {
  const wrong: string[] = []
  for (const one of some) {
    const body = one.method === 'GET' ? undefined : {}
    const answer = await member.call(one.method, one.url, body)
    if (!isRight(answer, one)) wrong.push(`${one.operation} (${one.scope}): ${answer.status}`)
  }
  return wrong
}

const isRefused = ({ status, text }: Reply) => status === 403 && text.includes('does not include')
const isOfOthers = ({ status, text }: Reply) => status === 404 && !text.includes('Foreign')

describe('every operation', () => {
  test('requires a scope that the table assigns to roles', () => {
    expect(all.length).toBeGreaterThan(90)
    const wrong = ROLES.flatMap((role) =>
      MODES.flatMap((mode) =>
        all
          .filter(({ scope }) => {
            const live = mode === 'live'
            return isIncluded(role, scope, live) !== mayBy(role, scope, live)
          })
          .map(({ operation, scope }) => `${operation} (${scope}) as ${role} in ${mode} mode`),
      ),
    )
    expect(wrong).toEqual([])
  })

  test('403 for the weakest role, exactly where the table says so', async () => {
    const { businessId } = await server.newBusiness()
    const member = await memberOf(server, 'viewer', businessId)
    member.choose(businessId, 'live')
    const wrong = await wrongOf(
      member,
      all,
      (answer, { scope }) =>
        answer.status !== 401 && isRefused(answer) !== mayBy('viewer', scope, true),
    )
    expect(wrong).toEqual([])
  })

  test('404 in another business', async () => {
    const member = await memberOf(server, 'owner')
    member.choose((await server.newBusiness('Foreign Ventures')).businessId)
    expect(await wrongOf(member, all, isOfOthers)).toEqual([])
  })
})

describe.each(ROLES)('as %s', (role) => {
  test.each(MODES)('403 for exactly what the role does not include, in %s mode', async (mode) => {
    const { businessId } = await server.newBusiness()
    const member = await memberOf(server, role, businessId)
    member.choose(businessId, mode)
    const may = ({ scope }: Operation) => mayBy(role, scope, mode === 'live')
    const [allowed, refused] = [all.filter(may), all.filter((one) => !may(one))]
    const some = [allowed[0], allowed.at(-1), refused[0], refused.at(-1)].filter(
      (one) => one !== undefined,
    )
    expect(some.length).toBeGreaterThan(1)
    const isRight = (answer: Reply, one: Operation) =>
      answer.status !== 401 && isRefused(answer) !== may(one)
    expect(await wrongOf(member, some, isRight)).toEqual([])
  })

  test('403 for the team and the audit log, except for owners and admins', async () => {
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

  test.each(MODES)('404 for another business, in %s mode', async (mode) => {
    const member = await memberOf(server, role)
    member.choose((await server.newBusiness('Foreign Ventures')).businessId, mode)
    expect(await wrongOf(member, [all[0]!, all.at(-1)!], isOfOthers)).toEqual([])
    for (const path of ['/console/team', '/console/audit', '/console/audit/export']) {
      const { status, body } = await member.get(path)
      expect([path, status, body.errorCode]).toEqual([path, 404, 'business_not_found'])
    }
  })
})

test('401 for every console route without a session', async () => {
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
