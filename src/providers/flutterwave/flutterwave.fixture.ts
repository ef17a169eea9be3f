import { afterAll } from 'vitest'
import type { Settings } from '../../../test/providers/doubles/flutterwave/account.ts'
import { flutterwave as doubleOf } from '../../../test/providers/doubles/flutterwave/flutterwave.ts'
import { startDouble } from '../../../test/providers/doubles/start.ts'
import { newSentReference, valueIn } from '../connector/connector.fixture.ts'
import type { Call, ChargeOrder, PayoutOrder } from '../connector/http-connector.ts'
import { openTransport } from '../connector/transport.ts'
import type { ProviderRefs, SentOrder } from '../connector/types.ts'
import { flutterwave } from './connector.ts'

/** Opens a double of Flutterwave, and returns calls to it by a business with an account. */
export async function openFlutterwave(settings: Partial<Settings> = {}) {
  const double = await startDouble((kit) => doubleOf(kit, settings))
  const transport = openTransport({ allows: () => true, pauseMs: 5 })
  afterAll(() => transport.close())
  const live = !double.provider.secretKey().startsWith('FLWSECK_TEST-')

  /** A call with the account's present key, unless another one is given. */
  function call({ key = double.provider.secretKey(), deadlineMs = 10_000 } = {}): Call {
    const { baseUrl } = double
    return {
      tenant: { businessId: 1, live },
      connection: {
        id: 3,
        provider: 'flutterwave',
        businessId: 1,
        live,
        status: 'Active',
        environment: live ? 'production' : 'sandbox',
        name: 'Flutterwave',
        baseUrl,
        settings: {
          services: [],
          ussdBanks: ['058'],
          feesPaidBy: 'business',
          automaticSettlement: null,
        },
      },
      credentials: { current: () => key, accepted: () => [double.provider.secretHash()] },
      now: double.now(),
      http: transport.client({ baseUrl, deadlineMs }),
    }
  }

  const chargeOrder = (amount_minor = 500_000n): ChargeOrder => ({
    reference: newSentReference('TXN'),
    amount_minor,
    currency: 'NGN',
    payer: { email: 'ada@example.com', name: 'Ada Obi', phone: '08012345678' },
    description: 'A book',
    expiresAt: new Date(double.now().getTime() + 30 * 60_000),
  })

  const { openVirtualAccount, openHostedPage } = flutterwave.collections!
  const openAccount = (order = chargeOrder(), by = call()) =>
    openVirtualAccount!(by, { ...order, accountName: 'A shop' })
  const openPage = (order = chargeOrder(), by = call()) =>
    openHostedPage!(by, { ...order, returnUrl: 'https://shop.example/i/token/returned' })

  const sentOf = (
    order: Pick<SentOrder, 'reference' | 'amount_minor' | 'currency'>,
    refs: ProviderRefs = {},
  ): SentOrder => {
    const { reference, amount_minor, currency } = order
    return { reference, amount_minor, currency, refs, sentAt: double.now() }
  }

  /** Opens an account for a charge, and pays into it. Returns what was sent, with its id. */
  async function paidCharge(amount_minor = 500_000n) {
    const order = chargeOrder(amount_minor)
    const { accountNumber } = valueIn(await openAccount(order))
    double.provider.payer.transferTo(accountNumber, amount_minor)
    const found = await flutterwave.collections!.lookUpCharge(call(), sentOf(order))
    return { ...sentOf(order, found.kind === 'done' ? found.refs : {}), accountNumber }
  }

  const executed = ({ reference }: { reference: string }) =>
    double.books.executed.get(reference) ?? 0

  return { double, call, chargeOrder, openAccount, openPage, paidCharge, sentOf, executed }
}

const GTBANK = { code: '058', id: '9', name: 'GTBank Plc' }

export const payoutOrder = (
  amount_minor = 500_000n,
  changes: Partial<PayoutOrder> = {},
): PayoutOrder => ({
  reference: newSentReference('TRF'),
  amount_minor,
  currency: 'NGN',
  to: { bank: GTBANK, accountNumber: '0123456789', accountName: 'ADA OBI' },
  recipient: null,
  narration: 'Wages',
  ...changes,
})
