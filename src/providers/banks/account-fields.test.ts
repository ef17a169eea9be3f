import { describe, expect, test } from 'vitest'
import { startServer } from '../../../test/harness.ts'

const TRANSACTION = '/api/transaction-service/external/v1'
const SETTINGS = '/api/user-service/external/v1/profile/settings'
const NUMBER = '0123456785'

const server = await startServer({ jobs: false })

async function shop() {
  const { keys } = await server.newBusiness()
  return server.as(keys.testSecret)
}
type Shop = Awaited<ReturnType<typeof shop>>
type Headers = Record<string, string>
interface Answered {
  data: { bankCode?: string; ussdCode?: string; settlementAccount?: { bankCode: string } }
}

/**
 * Every operation that takes a bank: the bank fields of its response, and the prefix of its errors.
 */
const WRITES = [
  {
    what: 'a transfer',
    send: ({ post }: Shop, named: object, headers?: Headers) =>
      post(`${TRANSACTION}/transfers`, { amount: 10, ...named }, headers),
    status: 201,
    bankOf: ({ data }: Answered) => data.bankCode,
    at: '',
  },
  {
    what: 'a subaccount',
    send: ({ post }: Shop, named: object, headers?: Headers) =>
      post(
        `${TRANSACTION}/subaccounts`,
        { business_name: 'Rider', percentage_charge: 10, ...named },
        headers,
      ),
    status: 200,
    bankOf: ({ data }: Answered) => data.bankCode,
    at: '',
  },
  {
    what: 'settings',
    send: ({ put }: Shop, named: object, headers?: Headers) =>
      put(SETTINGS, { settlementAccount: named }, headers),
    status: 200,
    bankOf: ({ data }: Answered) => data.settlementAccount?.bankCode,
    at: 'settlementAccount.',
  },
  {
    what: 'USSD',
    send: (
      { post }: Shop,
      { accountNumber: _a, account_number: _b, ...named }: Record<string, unknown>,
      headers?: Headers,
    ) =>
      post(
        `${TRANSACTION}/transaction-with-ussd`,
        { channel: 'USSD', amount: 100, ...named },
        headers,
      ),
    status: 200,
    bankOf: ({ data }: Answered) => (/^\*737\*/.test(data.ussdCode ?? '') ? '058' : 'other'),
    at: '',
  },
]

describe.each(WRITES)('the bank of $what', ({ send, status, bankOf, at }) => {
  test.each([
    { bankCode: '058', accountNumber: NUMBER },
    { bank: 58, account_number: NUMBER },
    { bank_code: '58', accountNumber: NUMBER },
    { settlement_bank: '000013', account_number: NUMBER },
    { bank: '058', bankCode: 58, accountNumber: NUMBER, account_number: NUMBER },
  ])('can be given as %j', async (named) => {
    const { status: got, body } = await send(await shop(), named)
    expect([got, bankOf(body)]).toEqual([status, '058'])
  })

  test('400 if it cannot be used, naming the field that was sent', async () => {
    const merchant = await shop()
    for (const name of ['bankCode', 'bank', 'bank_code', 'settlement_bank']) {
      for (const bank of ['999', 'GTB', 0]) {
        const { status, body } = await send(merchant, { [name]: bank, accountNumber: NUMBER })
        expect([status, body.message]).toEqual([
          400,
          `${at}${name} must be the id or code of a bank in GET bank`,
        ])
      }
    }
    const closed = await send(merchant, { bank: '030', accountNumber: NUMBER })
    expect([closed.status, closed.body.message]).toEqual([
      400,
      `${at}bank cannot be Heritage Bank, which has closed`,
    ])
  })

  test('400 if two fields name different banks', async () => {
    const { status, body } = await send(await shop(), {
      bankCode: '058',
      bank: '044',
      accountNumber: NUMBER,
    })
    expect([status, body.message]).toEqual(
      [400, `${at}bank differs from ${at}bankCode; send only one of them`].map((part) =>
        typeof part === 'string' ? expect.stringMatching(/differs from/) : part,
      ),
    )
  })

  test('is the same request for an Idempotency-Key in every spelling', async () => {
    const merchant = await shop()
    const headers = { 'idempotency-key': 'once' }
    const first = await send(merchant, { bankCode: '058', accountNumber: NUMBER }, headers)
    // Responses stored for replays contain no secret.
    const told = first.text.replace(/"rsec_[0-9a-f]+"/, 'null')
    for (const named of [{ bankCode: 58 }, { bank: '58' }, { settlement_bank: '000013' }]) {
      const again = await send(merchant, { ...named, account_number: NUMBER }, headers)
      expect([again.status, again.text]).toEqual([status, told])
    }
    const other = await send(merchant, { bankCode: '044', accountNumber: NUMBER }, headers)
    expect(other.status).toBe(422)
  })
})

describe('other requests with a bank', () => {
  test('200 resolves an account with every name of the bank', async () => {
    const { get } = await shop()
    for (const bank of ['bankCode=058', 'bank=58', 'bank_code=058', 'settlement_bank=000013']) {
      for (const account of ['accountNumber', 'account_number']) {
        const { status, body } = await get(
          `${TRANSACTION}/bank/resolve?${bank}&${account}=${NUMBER}`,
        )
        expect([status, body.data.bankCode, body.data.accountName]).toEqual([200, '058', 'ADA OBI'])
      }
    }
    const { status, body } = await get(`${TRANSACTION}/bank/resolve`)
    expect([status, Object.keys(body.errors).sort()]).toEqual([400, ['accountNumber', 'bankCode']])
  })

  test('200 changes the bank of a subaccount with every name of the bank', async () => {
    const { post, put } = await shop()
    const path = `${TRANSACTION}/subaccounts`
    const { body } = await post(path, {
      business_name: 'Rider',
      account_number: NUMBER,
      percentage_charge: 10,
    })
    expect(body.data).toMatchObject({ bank: null, payoutsBlocked: 'bank_missing' })
    for (const [name, payoutsBlocked] of [
      ['bankCode', null],
      ['settlement_bank', null],
    ] as const) {
      const changed = await put(`${path}/${body.subaccount_code}`, { [name]: '058' })
      expect(changed.body.data).toMatchObject({ bank: 58, payoutsBlocked })
      const cleared = await put(`${path}/${body.subaccount_code}`, { [name]: null })
      expect(cleared.body.data).toMatchObject({ bank: null, payoutsBlocked: 'bank_missing' })
    }
  })

  test('200 is the same USSD request in every spelling of isLive', async () => {
    const { post } = await shop()
    const begin = (isLive: unknown) =>
      post(
        `${TRANSACTION}/transaction-with-ussd`,
        { channel: 'USSD', amount: 100, isLive },
        { 'idempotency-key': 'once' },
      )
    const first = await begin(false)
    for (const isLive of [0, 'false']) {
      const again = await begin(isLive)
      expect([again.status, again.text]).toEqual([200, first.text])
    }
    const { status, body } = await begin('no')
    expect([status, body.message]).toEqual([400, 'isLive must be true or false'])
  })
})
