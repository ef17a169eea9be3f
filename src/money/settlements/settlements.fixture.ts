import { expect } from 'vitest'
import type { startServer } from '../../../test/harness.ts'

const SERVICE = '/api/transaction-service/external/v1'
export const SUBACCOUNTS = `${SERVICE}/subaccounts`
const SPLIT_PAGE = `${SERVICE}/split-page`
const USSD = `${SERVICE}/transaction-with-ussd`
const REFUNDS = `${SERVICE}/refunds`
export const SETTLEMENTS = `${SERVICE}/settlements`
const EVENTS = '/api/user-service/external/v1/events'

type Server = Awaited<ReturnType<typeof startServer>>

interface SubaccountOptions extends Record<string, unknown> {
  /** Whether a person confirmed an account that the bank could not confirm. */
  isConfirmed?: boolean
}

/** Each test has its own business, so that no other test changes its subaccounts and events. */
export async function openShop(server: Server) {
  const { db, clock } = server
  const { keys, businessId } = await server.newBusiness()
  const caller = server.as(keys.testSecret)
  const { get, post, put } = caller
  const made = { accounts: 0 }

  /** Creates a subaccount. Its bank pays it unless the account number says otherwise. */
  async function subaccount({ isConfirmed = true, ...more }: SubaccountOptions = {}) {
    made.accounts += 1
    const { status, body } = await post(SUBACCOUNTS, {
      business_name: 'Stall',
      bank: 58,
      account_number: `01234567${String(made.accounts).padStart(2, '0')}`,
      percentage_charge: 0,
      ...more,
    })
    expect([status, body.errors]).toEqual([200, undefined])
    if (isConfirmed && !body.data.verified) {
      await post(`${SUBACCOUNTS}/${body.data.reference}/confirm-account`)
    }
    return { id: body.data.id as number, code: body.data.subaccount_code as string }
  }

  /** Creates a split page with these percentages for subaccounts. */
  async function splitPage(shares: readonly { code: string; percent: number }[]) {
    const subaccounts = shares.map(({ code, percent }) => ({ subaccount: code, share: percent }))
    const { status, body } = await post(SPLIT_PAGE, { name: 'Market', subaccounts })
    expect([status, body.errors]).toEqual([201, undefined])
    return body.data.id as number
  }

  /** Creates a subaccount that gets half of each payment on its own page. */
  async function stall(more: SubaccountOptions = {}) {
    const { id, code } = await subaccount(more)
    return { id, code, page: await splitPage([{ code, percent: 50 }]) }
  }

  /** Makes a successful USSD payment of this amount. */
  async function pay(amount: number, pageId: number) {
    const { body } = await post(USSD, { channel: 'USSD', amount, pageId })
    const { reference, transactionId } = body.data
    const { body: ended } = await post('/api/simulator/ussd', { reference, outcome: 'success' })
    expect(ended.data.status).toBe('Successful')
    return { id: transactionId as number, reference: reference as string }
  }

  const settle = async () => {
    const { status, body } = await post('/api/simulator/settlement')
    expect([status, body.data.status]).toEqual([200, 'Successful'])
    // biome-ignore lint/suspicious/noExplicitAny: as in the harness
    return body.data.settlements as any[]
  }
  /** Requests due payouts, and lets the bank decide on them and send its notifications. */
  const bank = async () => {
    await server.runJob('settlement-orders')
    clock.advance(1_000)
    await server.runJob('simulator')
  }
  const one = async (reference: string) => (await get(`${SETTLEMENTS}/${reference}`)).body.data
  const list = async (query = '') => (await get(`${SETTLEMENTS}?${query}`)).body.data
  const refund = (transactionId: number, amount: number) => post(REFUNDS, { transactionId, amount })
  const simulate = (reference: string, outcome: string) =>
    post('/api/simulator/transfer', { reference, outcome })
  const advance = async (seconds: number) =>
    expect((await post('/api/simulator/clock', { advanceSeconds: seconds })).status).toBe(200)
  /** The ledger balance of a subaccount, in minor units. */
  const balance = async (subaccountId: number): Promise<bigint> =>
    (
      await db.maybe<{ left_minor: bigint }>`
        select credits_minor - debits_minor as left_minor from ledger_accounts
        where business_id = ${businessId} and kind = 'subaccount' and subject_id = ${subaccountId}`
    )?.left_minor ?? 0n
  const told = async () => {
    const { body } = await get(`${EVENTS}?sort=DESC&limit=100`)
    // biome-ignore lint/suspicious/noExplicitAny: as in the harness
    const events = body.data as { type: string; sequence: number; data: any }[]
    return events.filter(({ type }) => type.startsWith('settlement.'))
  }
  return {
    keys,
    businessId,
    caller,
    get,
    post,
    put,
    subaccount,
    splitPage,
    stall,
    pay,
    settle,
    bank,
    one,
    list,
    refund,
    simulate,
    advance,
    balance,
    told,
  }
}
