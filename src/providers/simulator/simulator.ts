import type { Job } from '../../jobs/jobs.ts'
import { forEachConcurrent, JOB_ROWS_MAX } from '../../jobs/jobs.ts'
import type { Minor } from '../../lib/money.ts'
import { randomText } from '../../lib/tokens.ts'
import { BANKS, bankOf } from '../banks/banks.ts'
import type {
  About,
  AccountHolder,
  ChargeState,
  Connector,
  IncomingPayment,
  Notification,
  Outcome,
} from '../connector/types.ts'
import { cardPagePath } from './card-page.ts'
import { simulatedDisputes } from './disputes.ts'
import { type OrderScript, UNKNOWN_ACCOUNT, ussdScriptOf } from './magic.ts'
import {
  acceptOrder,
  lookUpOrder,
  NO_RESPONSE,
  SIMULATOR_JOB,
  type SimulatorOptions,
  simulatedOrders,
  simulatedReports,
} from './orders.ts'
import {
  markNotified,
  moveDueOrders,
  ordersByReference,
  type SimulatedOrder,
  type SimulatedPayment,
  selectNotifications,
  selectPayments,
} from './queries.ts'
import { simulatedBillers } from './vends.ts'

export type { SimulatorOptions } from './orders.ts'

/** The bank at which simulated virtual accounts are opened. */
const HOUSE_BANK = { bankCode: '035', bankName: 'Wema Bank' }

const done = <T>(value: T): Outcome<T> => ({ kind: 'done', value })

/**
 * Stands in for providers in test mode. It has the same type as a live connector and keeps its own
 * state, so the rest of the server works in the same way.
 */
export function openSimulator(options: SimulatorOptions): Connector {
  const { db, publicUrl = '' } = options
  return {
    ...simulatedOrders(options),
    ...simulatedBillers(options),
    ...simulatedDisputes(options),
    absence: { charge: NOT_THERE, payout: NOT_THERE, refund: NOT_THERE, bill: NOT_THERE },
    startIsRepeatable: true,
    isSimulator: true,
    pageSources: [publicUrl],
    reports: simulatedReports(options),

    async openVirtualAccount(about, { accountName, ...order }) {
      const accountNumber = await openAccount(options, about, order)
      return done({ accountNumber, accountName, ...HOUSE_BANK, expiresAt: null })
    },

    async openFundingAccount(about, { reference, name: accountName }) {
      const order = { reference, amount_minor: ANY_AMOUNT, currency: 'NGN' }
      const accountNumber = await openAccount(options, about, order)
      return done({ accountNumber, accountName, ...HOUSE_BANK, expiresAt: null })
    },

    async listFundingPayments({ tenant }, { reference }, since) {
      const payments = await selectPayments(db, tenant, reference)
      return done(payments.filter((one) => one.received_at >= since).map(incomingPaymentOf))
    },

    async startUssd(about, order) {
      const script = ussdScriptOf(order.amount_minor)
      await acceptOrder(options, about, { ...order, kind: 'USSD' }, script, { waitsFor: 'payer' })
      return done(ussdCodes(order.reference))
    },

    async openHostedPage(about, order) {
      await acceptOrder(options, about, { ...order, kind: 'CARD' }, WAITS, { waitsFor: 'payer' })
      return done({ url: `${publicUrl}${cardPagePath(about.tenant, order.reference)}` })
    },

    async lookUpCharge(about, sent) {
      let isAccount = false
      const outcome = await lookUpOrder(options, about, sent, (order) => {
        isAccount = order.kind === 'BANK_TRANSFER'
        return chargeStateOf(order)
      })
      if (!isAccount || outcome.kind !== 'done') return outcome
      const payments = await selectPayments(db, about.tenant, sent.reference)
      return done({ ...outcome.value, payments: payments.map(incomingPaymentOf) })
    },

    async resolveAccount(bankCode, accountNumber) {
      const bank = bankOf(bankCode)
      if (!bank) return { kind: 'refused', code: 'unknown_bank', message: 'No such bank.' }
      return resolved(accountNumber)
    },
  }
}

/** It stores an order before it responds, and ignores a second one with the same reference. */
const NOT_THERE = { provenAfterMs: 0, repeatIsSafe: true } as const

/** The amount of the order for an account that is not for one payment. */
const ANY_AMOUNT = 0n

/** Returns the number of an account into which anyone can pay. */
async function openAccount(
  options: SimulatorOptions,
  about: About,
  order: { reference: string; amount_minor: Minor; currency: string },
): Promise<string> {
  const { tenant } = about
  const { reference } = order
  for (;;) {
    const taken = { ...order, kind: 'BANK_TRANSFER', accountNumber: newAccountNumber() } as const
    await acceptOrder(options, about, taken, WAITS, { waitsFor: 'payer' })
    const [stored] = await ordersByReference(options.db).add({ tenant, reference })
    // If no row was stored, the number is already taken, so another one is tried.
    if (stored?.account_number) return stored.account_number
  }
}

/** An account waits for a deposit, and a page for what the payer does on it. */
const WAITS: OrderScript = { steps: [], silentDelays: 0 }

const chargeStateOf = ({ status, amount_minor, currency, message }: SimulatedOrder) =>
  ({ status, amount_minor, currency, message }) as ChargeState

/** If a payment is not accepted, the payer's bank gets everything back, unless it is to be kept. */
const incomingPaymentOf = ({
  provider_id: providerId,
  amount_minor,
  currency,
  is_kept,
  received_at: receivedAt,
}: SimulatedPayment): IncomingPayment => ({
  providerId,
  amount_minor,
  currency,
  fee_minor: null,
  receivedAt,
  disposition: is_kept ? 'kept' : 'asking',
  sender: senderOf(amount_minor),
})

/** The same amount always comes from the same person. */
const senderOf = (amount_minor: Minor) => ({
  name: NAMES[
    [...`${amount_minor}`].reduce((sum, digit) => sum + Number(digit), 0) % NAMES.length
  ]!,
  accountLast4: '6789',
  bankName: 'Guaranty Trust Bank',
})

function newAccountNumber(): string {
  let digits = ''
  while (digits.length < 8) digits += randomText(8).replace(/\D/g, '')
  return `99${digits.slice(0, 8)}`
}

/**
 * The payment code is derived from the reference, so that a repeated request gets the same code.
 */
function ussdCodes(reference: string) {
  let sum = 0
  for (const char of reference) sum = (sum * 31 + char.charCodeAt(0)) % 90_000
  const code = String(10_000 + sum)
  return BANKS.flatMap(({ code: bankCode, name: bankName, ussdTemplate }) =>
    ussdTemplate ? [{ bankCode, bankName, ussdCode: ussdTemplate.replace('{code}', code) }] : [],
  )
}

const NAMES = ['ADA OBI', 'CHINEDU EZE', 'FATIMA BELLO', 'TUNDE ADEYEMI', 'NGOZI OKAFOR']

/**
 * The account number `0000000002` does not exist. For `0000000005`, the bank is unsure of the name,
 * and for `0000000006`, the bank does not respond. Any other ten-digit number has a holder.
 */
function resolved(accountNumber: string): Outcome<AccountHolder> {
  if (!/^\d{10}$/.test(accountNumber) || accountNumber === UNKNOWN_ACCOUNT) {
    return { kind: 'refused', code: 'unknown_account', message: 'No such account at this bank.' }
  }
  if (accountNumber === '0000000006') return NO_RESPONSE
  const accountName = NAMES[Number(accountNumber) % NAMES.length]!
  if (accountNumber === '0000000005') return done({ accountName, isUncertain: true })
  return done({ accountName })
}

/** Settles due charges and sends notifications, as a provider's own systems do. */
export function simulatorJob(
  { simulatorDelayMs }: Pick<SimulatorOptions, 'simulatorDelayMs'>,
  notify: (notice: Notification, now: Date) => Promise<void>,
): Job {
  return {
    name: SIMULATOR_JOB,
    everyMs: 1_000,
    // It stands in for external systems, whose notifications do not wait for our requests.
    restFactor: 1,
    followsTestClock: true,
    async run(db, now, business) {
      const only = business ?? null
      await moveDueOrders(db, now, simulatorDelayMs, only, JOB_ROWS_MAX)
      const notices = await selectNotifications(db, only, JOB_ROWS_MAX)
      const sent: typeof notices = []
      // Sends many at once, so that the orders are looked up and settled in batches.
      try {
        await forEachConcurrent(notices, notices.length, async (notice) => {
          const { business_id: businessId, live, reference } = notice
          await notify({ tenant: { businessId, live }, reference }, now)
          sent.push(notice)
        })
      } finally {
        await markNotified(db, sent)
      }
      return notices.length
    },
  }
}
