import type { DoubleRequest } from '../double.ts'
import {
  ACCOUNT_ID,
  type Account,
  available,
  feeOf,
  fromThousandths,
  isoOf,
  isTest,
  isWithin,
  lagosDay,
  listAnswer,
  nairaOf,
  ok,
  refuse,
  type Settings,
  type Settlement,
  settledOf,
  type Transaction,
  unsettled,
} from './account.ts'
import { BANKS, holderOf } from './banks.ts'

/** The two balances, what was settled, and banks. */
export function reportOperations(account: Account) {
  return {
    'GET /balances': () => ok('Wallet balances fetched', [balanceJson(account)]),
    'GET /balances/{currency}': ({ params }: DoubleRequest) =>
      params.currency === 'NGN'
        ? ok('Wallet balance fetched', balanceJson(account))
        : refuse(400, `There is no wallet for ${params.currency}`),
    'GET /banks/{country}': ({ params }: DoubleRequest) =>
      params.country === 'NG'
        ? ok(
            'Banks fetched successfully',
            BANKS.map(({ id, code, name }) => ({ id, code, name })),
          )
        : refuse(400, 'Country is not supported'),
    'POST /accounts/resolve': ({ body }: DoubleRequest) => {
      const { account_number, account_bank } = body
      const account_name = holderOf(account_bank, account_number, isTest(account))
      if (account_name) return ok('Account details fetched', { account_number, account_name })
      return refuse(400, 'Sorry, recipient account could not be validated. Please try again')
    },
    'GET /settlements': (request: DoubleRequest) => {
      const rows = account.settlements.filter(({ at }) => isWithin(at, request))
      return listAnswer('Settlements fetched', rows, request, settlementJson)
    },
    'GET /settlements/{id}': ({ params }: DoubleRequest) => {
      const found = account.settlements.find(({ id }) => `${id}` === params.id)
      if (!found) return refuse(404, 'Settlement not found')
      const transactions = found.transactions.map(settledJson)
      return ok('Settlement fetched', { ...settlementJson(found), transactions })
    },
  }
}

const balanceJson = (account: Account) => ({
  currency: 'NGN',
  available_balance: nairaOf(available(account)),
  ledger_balance: nairaOf(unsettled(account)),
})

export function ownerOf(account: Account) {
  const { kit, settings } = account
  let rotated = 0
  /** Settles what was collected, as Flutterwave does on the next day. */
  function settle(destination: Settlement['destination']): void {
    const transactions = account.transactions.filter(
      ({ status, settlement }) => status === 'successful' && !settlement,
    )
    const deductions = account.deductions.filter(
      ({ source, settlement }) => source === 'ledgerbalance' && !settlement,
    )
    if (transactions.length === 0) return
    const net = unsettled(account)
    const at = kit.clock.now()
    const settlement = { id: kit.nextId(), transactions, deductions, destination, net, at }
    for (const one of [...transactions, ...deductions]) one.settlement = settlement
    account.settlements.push(settlement)
    if (destination === 'wallet') return
    const entry = { reference: null, providerId: `${settlement.id}`, currency: 'NGN' }
    kit.books.enter({ ...entry, kind: 'settlement', amount_minor: -net })
  }
  return {
    settleToBank: () => settle('account'),
    /** Only what is in the wallet can be paid out. */
    settleToWallet: () => settle('wallet'),
    /** Pays money into the wallet. */
    topUp(amount_minor: bigint): void {
      const entry = { reference: null, providerId: `${kit.nextId()}`, currency: 'NGN' }
      kit.books.enter({ ...entry, kind: 'topup', amount_minor })
    },
    rotateKey(): string {
      settings.secretKey = `FLWSECK${isTest(account) ? '_TEST' : ''}-rotated${++rotated}-X`
      return settings.secretKey
    },
    /** Chooses another text to prove notices with. */
    rotateHash(): string {
      settings.secretHash = `another-secret-hash-${++rotated}`
      return settings.secretHash
    },
    /** The address that may order transfers and bills; none if empty, any if null. */
    allowAddress(address: string | null): void {
      settings.addresses = address === null ? null : [address].filter(Boolean)
    },
    /** Switches something on or off for the account. */
    set(changed: Partial<Omit<Settings, 'secretKey' | 'secretHash' | 'addresses'>>): void {
      const unknown = Object.keys(changed).filter((name) => !(name in settings))
      if (unknown.length > 0) throw new Error(`an account has no ${unknown.join()}`)
      Object.assign(settings, changed)
    },
  }
}

// -------------------------------------------------------------------------------- shape

function settlementJson({ id, transactions, deductions, destination, net, at }: Settlement) {
  const gross = transactions.reduce((sum, { charged }) => sum + charged, 0n)
  const settled = transactions.reduce((sum, { charged }) => sum + settledOf(charged), 0n)
  const deducted = (kind: 'refund' | 'chargeback') =>
    nairaOf(
      deductions.filter((one) => one.kind === kind).reduce((sum, one) => sum + one.amount, 0n),
    )
  return {
    id,
    account_id: ACCOUNT_ID,
    merchant_name: 'Shop',
    merchant_email: 'owner@shop.example',
    settlement_account: '0123456789',
    bank_code: '058',
    transaction_date: isoOf(at),
    due_date: isoOf(at),
    processed_date: isoOf(at),
    status: 'completed',
    is_local: true,
    // VAT is in this fee, and not in those of the transactions.
    currency: 'NGN',
    gross_amount: nairaOf(gross),
    app_fee: nairaOf(gross - settled),
    merchant_fee: 0,
    chargeback: deducted('chargeback'),
    refund: deducted('refund'),
    stampduty_charge: 0,
    net_amount: nairaOf(net),
    transaction_count: transactions.length,
    processor_ref: null,
    disburse_ref: `FLW${id}`,
    disburse_message: null,
    channel: 'web',
    destination: destination === 'wallet' ? 'autowallet' : 'account',
    fx_data: null,
    meta: transactions.map((one) => one.id),
    created_at: isoOf(at),
  }
}

function settledJson(transaction: Transaction) {
  const { id, txRef, flwRef, charged, customer, createdAt } = transaction
  return {
    customer_email: customer.email,
    flw_ref: flwRef,
    tx_ref: txRef,
    id,
    charged_amount: nairaOf(charged),
    app_fee: fromThousandths(feeOf(charged)),
    merchant_fee: 0,
    stampduty_charge: 0,
    settlement_amount: nairaOf(settledOf(charged)),
    status: transaction.status,
    payment_entity: transaction.type,
    transaction_date: lagosDay(createdAt),
    currency: transaction.currency,
    card_locale: 'LOCAL',
    rrn: 'N/A',
    subaccount_settlement: 0,
  }
}
