import { afterAll } from 'vitest'
import { paystack as doubleOf } from '../../../test/providers/doubles/paystack/paystack.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { newSentReference, valueIn } from '../connector/connector.fixture.ts'
import type { Call, ChargeOrder, PayoutOrder } from '../connector/http-connector.ts'
import { openTransport } from '../connector/transport.ts'
import type { SentOrder } from '../connector/types.ts'
import { paystack } from './connector.ts'

/** Opens a double of Paystack, and returns calls of a live connection to it. */
export async function openPaystack(settings: Parameters<typeof doubleOf>[1] = {}) {
  const double = await startDouble((kit) => doubleOf(kit, settings))
  const transport = openTransport({ allows: () => true, pauseMs: 5 })
  afterAll(() => transport.close())

  /** A call with the account's present key, unless another one is given. */
  function call({
    key = double.provider.secretKey(),
    deadlineMs = 10_000,
    live = true,
  } = {}): Call {
    return {
      tenant: { businessId: 1, live },
      connection: {
        id: 2,
        provider: 'paystack',
        businessId: 1,
        live,
        status: 'Active',
        environment: live ? 'production' : 'sandbox',
        name: 'Paystack',
        baseUrl: double.baseUrl,
        settings: {
          services: [],
          ussdBanks: ['058'],
          feesPaidBy: 'business',
          automaticSettlement: null,
        },
      },
      credentials: { current: () => key, accepted: () => [key] },
      now: double.now(),
      http: transport.client({ baseUrl: double.baseUrl, deadlineMs }),
    }
  }

  const chargeOrder = (amount_minor = 500_000n): ChargeOrder => ({
    reference: newSentReference('TXN'),
    amount_minor,
    currency: 'NGN',
    payer: { email: 'ada@example.com', name: 'Ada Obi', phone: null },
    description: 'A book',
    expiresAt: new Date(double.now().getTime() + 30 * 60_000),
  })

  /** Opens an account for a charge, and pays into it. Returns what was sent, with its id. */
  async function paidCharge(amount_minor = 500_000n): Promise<SentOrder> {
    const order = chargeOrder(amount_minor)
    const opened = valueIn(
      await paystack.collections!.openVirtualAccount!(call(), { ...order, accountName: 'A shop' }),
    )
    double.provider.payer.transferTo(opened.accountNumber, amount_minor)
    const sent = sentOf(order)
    const found = await paystack.collections!.lookUpCharge(call(), sent)
    return { ...sent, refs: found.kind === 'done' ? (found.refs ?? {}) : {} }
  }

  const sentOf = (
    order: Pick<SentOrder, 'reference' | 'amount_minor' | 'currency'>,
    refs: SentOrder['refs'] = {},
  ): SentOrder => {
    const { reference, amount_minor, currency } = order
    return { reference, amount_minor, currency, refs, sentAt: double.now() }
  }

  return { double, call, chargeOrder, paidCharge, sentOf }
}

export const ZENITH = { code: '057', id: '21', name: 'Zenith Bank' }

export const payoutOrder = (
  amount_minor = 500_000n,
  changes: Partial<PayoutOrder> = {},
): PayoutOrder => ({
  reference: newSentReference('TRF'),
  amount_minor,
  currency: 'NGN',
  to: { bank: ZENITH, accountNumber: '0123456789', accountName: 'ADA OBI' },
  recipient: null,
  narration: 'Wages',
  ...changes,
})
