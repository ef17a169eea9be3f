import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { startServer } from '../../test/harness.ts'
import { paystack } from '../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../test/providers/doubles/start.ts'
import { BANKS } from './banks/banks.ts'
import { outcomeOf } from './connector/outcome.ts'
import { type HttpRequest, openTransport } from './connector/transport.ts'
import type { About, Connector, ListedBank, Outcome } from './connector/types.ts'
import { connect, routesApply } from './providers.fixture.ts'
import { openProviders } from './providers.ts'

const double = await startDouble((kit) => paystack(kit))
const transport = openTransport({ allows: () => true, pauseMs: 5 })
afterAll(() => transport.close())

/** Asks the double, as Paystack's connector will. */
async function listPaystack(): Promise<Outcome<ListedBank[]>> {
  const request: HttpRequest = {
    operation: 'GET /bank',
    method: 'GET',
    path: '/bank',
    isSafeToRepeat: true,
    query: { country: 'nigeria', include_nip_sort_code: 'true', perPage: '100' },
    headers: { authorization: `Bearer ${double.provider.secretKey()}` },
  }
  const http = transport.client({ baseUrl: double.baseUrl, deadlineMs: 10_000 })
  return outcomeOf(await http.send(request), request, (status, body) => {
    const banks = status === 200 ? body.list('data') : undefined
    const value = banks?.map((bank) => ({
      code: bank.text('code') ?? '',
      id: bank.text('id') ?? null,
      name: bank.text('name') ?? '',
      nipCode: bank.text('nip_sort_code') ?? null,
      isActive: bank.flag('active') ?? false,
    }))
    return value && { kind: 'done', value }
  })
}

const listed = (code: string, name: string): ListedBank => ({
  code,
  id: null,
  name,
  nipCode: null,
  isActive: true,
})
const LIST = [listed('A1', 'GTBank'), listed('A2', 'Kuda MFB'), listed('A3', 'Moonrise Bank')]
/** What Flutterwave lists at the moment. */
let flutterwave: Outcome<readonly ListedBank[]>
/** What was asked of Flutterwave. */
const asked: string[] = []

const connectors = (simulator: Connector) => ({
  simulator,
  paystack: { ...simulator, listBanks: listPaystack },
  flutterwave: {
    ...simulator,
    listBanks: async () => {
      asked.push('listBanks')
      return flutterwave
    },
    resolveAccount: async (bankCode: string) => {
      asked.push(`resolve ${bankCode}`)
      return { kind: 'done' as const, value: { accountName: 'ADA OBI' } }
    },
    payOut: async (_: About, { bankCode }: { bankCode: string }) => {
      asked.push(`pay ${bankCode}`)
      return { kind: 'done' as const, value: { status: 'Pending' as const, message: '' } }
    },
  },
})

const server = await startServer({ jobs: false, connectors })
const { db, clock, runJob, logLines } = server
const { businessId } = await server.newBusiness()
const about: About = {
  tenant: { businessId, live: false },
  order: { kind: 'transfer', subjectId: 1, attempt: 1 },
  now: clock.now(),
}
const order = {
  reference: 'x',
  amount_minor: 100n,
  currency: 'NGN',
  accountNumber: '0123456789',
  accountName: null,
  narration: null,
}

const banksOf = (provider: string) =>
  db.many<{ code: string; bank_code: string | null; is_active: boolean }>`
    select code, bank_code, is_active from provider_banks
    where provider = ${provider} order by code`

beforeEach(() => {
  asked.length = 0
  flutterwave = { kind: 'done', value: LIST }
})

describe('the list of banks', () => {
  test('of Paystack is read and matched with ours', async () => {
    await connect(server, businessId)
    await runJob('bank-lists')
    const banks = await banksOf('paystack')
    expect(banks.length).toBeGreaterThan(5)
    for (const { code, bank_code } of banks) expect(bank_code).toBe(code)
    const ours = new Set(BANKS.map(({ code }) => code))
    expect(banks.every(({ bank_code }) => ours.has(bank_code!))).toBe(true)
    expect(
      await db.one`select provider_bank_id, nip_code, name from provider_banks where code = '50211'`,
    ).toEqual({ provider_bank_id: '67', nip_code: '090267', name: 'Kuda Bank' })
  })

  test('is read once a day, and names the banks that are not ours in the log', async () => {
    await connect(server, businessId, { provider: 'flutterwave' })
    await runJob('bank-lists')
    await runJob('bank-lists')
    expect(asked).toEqual(['listBanks'])
    expect(await banksOf('flutterwave')).toEqual([
      { code: 'A1', bank_code: '058', is_active: true },
      { code: 'A2', bank_code: '50211', is_active: true },
      { code: 'A3', bank_code: null, is_active: true },
    ])
    expect(logLines.join()).toContain('A3 Moonrise Bank')
    clock.advance(25 * 3_600_000)
    await runJob('bank-lists')
    expect(asked).toEqual(['listBanks', 'listBanks'])
  })

  test('keeps a bank that is gone, which is no longer used', async () => {
    flutterwave = { kind: 'done', value: LIST.slice(1) }
    clock.advance(25 * 3_600_000)
    await runJob('bank-lists')
    expect((await banksOf('flutterwave')).map(({ is_active }) => is_active)).toEqual([
      false,
      true,
      true,
    ])
  })

  test.each<[string, Outcome<ListedBank[]>]>([
    ['empty', { kind: 'done', value: [] }],
    ['much shorter', { kind: 'done', value: [{ ...LIST[0]!, isActive: false }] }],
    ['unknown', { kind: 'unknown', reason: 'timed_out' }],
  ])('stays as it was if the new one is %s', async (_title, outcome) => {
    const before = await banksOf('flutterwave')
    flutterwave = outcome
    clock.advance(25 * 3_600_000)
    await runJob('bank-lists')
    expect(asked).not.toEqual([])
    expect(await banksOf('flutterwave')).toEqual(before)
  })

  test('is read by another connection if one does not answer', async () => {
    await connect(server, businessId, { provider: 'flutterwave' })
    await connect(server, businessId, { provider: 'flutterwave', status: 'Paused' })
    flutterwave = { kind: 'notNow', code: 'credentials_refused', message: 'x' }
    clock.advance(25 * 3_600_000)
    await runJob('bank-lists')
    expect(asked).toEqual(['listBanks', 'listBanks'])
  })

  test('is read for each address, which can have other banks', async () => {
    await runJob('bank-lists')
    const baseUrl = 'http://127.0.0.1:1'
    const id = await connect(server, businessId, { provider: 'flutterwave', baseUrl })
    asked.length = 0
    flutterwave = { kind: 'done', value: [listed('B1', 'GTBank')] }
    await runJob('bank-lists')
    expect(asked).toEqual(['listBanks'])
    const rows = await db.many<{ code: string }>`
      select code from provider_banks where provider = 'flutterwave' and base_url = ${baseUrl}`
    expect(rows).toEqual([{ code: 'B1' }])
    const other = await connect(server, businessId, { provider: 'flutterwave' })
    const { holder } = openProviders(db, connectors({} as Connector))
    for (const one of [id, other]) {
      await (await holder(one)).payOut(about, { ...order, bankCode: '058' })
    }
    expect(asked.slice(1)).toEqual(['pay B1', 'pay A1'])
    await db.run`update provider_connections set status = 'Paused' where id = ${id}`
  })
})

describe('a connection', () => {
  const open = async (live = false) => {
    const id = await connect(server, businessId, { provider: 'flutterwave', live })
    const simulator = {} as Connector
    return openProviders(db, connectors(simulator)).holder(id)
  }

  test("is called with its provider's codes", async () => {
    flutterwave = { kind: 'done', value: LIST }
    clock.advance(25 * 3_600_000)
    await open()
    await runJob('bank-lists')
    await routesApply()
    asked.length = 0
    const provider = await open()
    await provider.resolveAccount('058', '0123456789')
    await provider.payOut(about, { ...order, bankCode: '50211' })
    expect(asked).toEqual(['resolve A1', 'pay A2'])
  })

  test('is not called for a bank that its provider does not have', async () => {
    const provider = await open()
    expect(await provider.resolveAccount('033', '0123456789')).toMatchObject({ kind: 'notNow' })
    expect(await provider.payOut(about, { ...order, bankCode: '033' })).toMatchObject({
      kind: 'refused',
      code: 'unsupported',
    })
    expect(asked).toEqual([])
  })

  test('waits if its list is not read yet', async () => {
    const provider = await open(true)
    expect(await provider.payOut(about, { ...order, bankCode: '058' })).toMatchObject({
      kind: 'notNow',
    })
    expect(asked).toEqual([])
  })
})
