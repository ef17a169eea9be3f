import { Type } from 'typebox'
import { kindsOf } from '../../events/catalogue.ts'

const text = Type.String()

const WalletChange = Type.Object({
  reference: Type.String({ description: 'The reference of the record that moved the money.' }),
  status: text,
  amount: Type.Number(),
  amountMinor: Type.Integer(),
  currency: text,
  availableAfter: Type.Number({ description: 'The available balance after this change.' }),
  availableAfterMinor: Type.Integer(),
  source: Type.Object({
    type: Type.String({
      description: 'The kind of record that moved the money: transaction, transfer, refund, …',
    }),
    reference: text,
  }),
})

const example = {
  reference: 'TRX_9aT3mC6pXv1uK8eWq2Gh',
  status: 'Successful',
  amount: 14775.49,
  amountMinor: 1477549,
  currency: 'NGN',
  availableAfter: 1014775.49,
  availableAfterMinor: 101477549,
  source: { type: 'transaction', reference: 'TRX_9aT3mC6pXv1uK8eWq2Gh' },
}

const transfer = 'TRF_2bV8nD5rYw0jL7cXk4Ps'

export const walletEvents = kindsOf(
  { object: 'wallet', schema: WalletChange, example },
  {
    'wallet.funded': [
      'Money was added to the wallet by a payment, a deposit into the funding account, a returned transfer or a test top-up.',
    ],
    'wallet.debited': [
      'A transfer, utility payment or refund succeeded, and the money held for it, including any fee, left the wallet. Alternatively, the wallet paid money that the business owed, such as a provider’s fee.',
      {
        reference: transfer,
        amount: 5010,
        amountMinor: 501000,
        availableAfter: 994990,
        availableAfterMinor: 99499000,
        source: { type: 'transfer', reference: transfer },
      },
    ],
  },
)
