import type { Database } from '../../db/database.ts'
import type { Sweeper } from '../../jobs/jobs.ts'
import { SWEEP_ROWS_MAX, workThrough } from '../../jobs/jobs.ts'
import type { Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { randomText } from '../../lib/tokens.ts'
import { BANKS, bankOf } from '../banks.ts'
import type { AccountHolder, ChargeRequest, Notice, Outcome, Provider } from '../provider.ts'
import { scriptOf } from './magic.ts'
import { SIMULATOR_SWEEPER, type SimulatorOptions, simulatedOrders } from './orders.ts'
import {
  endCharge,
  endDueCharges,
  insertCharge,
  markNotified,
  markOrderNotified,
  moveDueOrders,
  type SimulatedCharge,
  selectCharge,
  selectNotices,
  selectOrderNotices,
} from './queries.ts'
import { simulatedBillers } from './vends.ts'

export type { SimulatorOptions } from './orders.ts'

/** The bank that holds simulated virtual accounts. */
const HOUSE_BANK = { bankCode: '035', bankName: 'Wema Bank' }

const done = <T>(value: T): Outcome<T> => ({ kind: 'done', value })

/** Orders from before connections were stored also have this one, because there was no other. */
const SIMULATOR_CONNECTION = 1

/**
 * Plays the outside world in test mode. It has the same type as a live connector and its own state,
 * so the rest of the server behaves the same in a test.
 */
export function openSimulator(options: SimulatorOptions): Provider {
  const { db, simulatorDelayMs, clock, nudge } = options
  return {
    name: 'simulator',
    connectionId: SIMULATOR_CONNECTION,
    ...simulatedOrders(options),
    ...simulatedBillers(options),

    async openVirtualAccount({ accountName, ...request }) {
      // A virtual account never settles by itself: it waits for a deposit.
      const charge = { ...blank(request), kind: 'BANK_TRANSFER', due_at: null } as const
      for (;;) {
        const account_number = newAccountNumber()
        await insertCharge(db, request.tenant, { ...charge, account_number }, request.now)
        const stored = await selectCharge(db, request.tenant, request.reference)
        // If no row was stored, the number was taken: draw another.
        if (stored?.account_number) {
          return done({ accountNumber: stored.account_number, accountName, ...HOUSE_BANK })
        }
      }
    },

    async startUssd(request) {
      const { status, message, silentDelays } = scriptOf(request.amount_minor)
      const waitMs = simulatorDelayMs * Math.max(1, silentDelays)
      const wait = addMs(request.now, waitMs)
      const settles = status !== 'Pending'
      await insertCharge(
        db,
        request.tenant,
        {
          ...blank(request),
          kind: 'USSD',
          silent_until: silentDelays > 0 ? wait : null,
          due_at: settles ? wait : null,
          due_status: settles ? status : null,
          due_message: settles ? message : null,
        },
        request.now,
      )
      if (settles) nudge(SIMULATOR_SWEEPER, waitMs)
      return done(ussdCodes(request.reference))
    },

    async lookUpCharge(tenant, reference) {
      const charge = await selectCharge(db, tenant, reference)
      if (!charge) return { kind: 'refused', code: 'unknown_charge', message: 'No such charge.' }
      if (charge.silent_until && charge.silent_until > clock.now() && charge.status === 'Pending') {
        return { kind: 'unknown' }
      }
      const { status, amount_minor, currency, message } = charge
      return done({ status, amount_minor, currency, message })
    },

    async resolveAccount(bankCode, accountNumber) {
      const bank = bankOf(bankCode)
      if (!bank) return { kind: 'refused', code: 'unknown_bank', message: 'No such bank.' }
      return resolved(accountNumber, bank.name)
    },
  }
}

function blank({ reference, amount_minor, currency }: ChargeRequest) {
  return {
    reference,
    amount_minor,
    currency,
    status: 'Pending',
    message: 'Waiting for the payer',
    silent_until: null,
    account_number: null,
    due_status: null,
    due_message: null,
  } satisfies Omit<SimulatedCharge, 'kind' | 'due_at'>
}

function newAccountNumber(): string {
  let digits = ''
  while (digits.length < 8) digits += randomText(8).replace(/\D/g, '')
  return `99${digits.slice(0, 8)}`
}

/** The payment code is derived from the reference, so that asking again shows the same code. */
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
 * Account numbers ending in `02` do not exist, the bank is unsure about `05`, and does not respond
 * for `06`; any other ten digits have a holder.
 */
function resolved(accountNumber: string, bankName: string): Outcome<AccountHolder> {
  if (!/^\d{10}$/.test(accountNumber) || accountNumber === '0000000002') {
    return { kind: 'refused', code: 'account_not_found', message: 'No such account at this bank.' }
  }
  if (accountNumber === '0000000006') return { kind: 'unknown' }
  const accountName = NAMES[Number(accountNumber) % NAMES.length]!
  if (accountNumber === '0000000005') return done({ accountName, bankName, isUncertain: true })
  return done({ accountName, bankName })
}

/** Ends a charge the way the payer would at the bank. Returns whether it was open. */
export async function endSimulatedCharge(
  db: Database,
  tenant: Tenant,
  reference: string,
  outcome: 'success' | 'failed',
): Promise<boolean> {
  const ending =
    outcome === 'success'
      ? ({ status: 'Successful', message: 'Approved' } as const)
      : ({ status: 'Failed', message: 'Declined by the payer' } as const)
  return (await db.transaction((tx) => endCharge(tx, tenant, reference, ending))) === 1
}

/** Notices arrive like real ones, several at once, and settle in batches. */
const NOTICES_AT_ONCE = 16

/** Settles due charges and sends the notices, like a provider's own systems. */
export function simulatorSweeper(
  { simulatorDelayMs }: Pick<SimulatorOptions, 'simulatorDelayMs'>,
  notify: (notice: Notice, now: Date) => Promise<void>,
): Sweeper {
  return {
    name: SIMULATOR_SWEEPER,
    everyMs: 1_000,
    followsTestClock: true,
    async sweep(db, now, business) {
      const only = business ?? null
      await endDueCharges(db, now, only, SWEEP_ROWS_MAX)
      await moveDueOrders(db, now, simulatorDelayMs, only, SWEEP_ROWS_MAX)
      const notices = await readNotices(db, only)
      await workThrough(notices, NOTICES_AT_ONCE, async ({ mark, ...notice }) => {
        await notify(notice, now)
        await mark()
      })
      return notices.length
    },
  }
}

const ABOUT = { PAYOUT: 'payout', REFUND: 'refund', VEND: 'utility' } as const

async function readNotices(db: Database, only: number | null) {
  const charges = await selectNotices(db, only, SWEEP_ROWS_MAX)
  const orders = await selectOrderNotices(db, only, SWEEP_ROWS_MAX)
  return [
    ...charges.map(({ business_id: businessId, live, reference }) => {
      const tenant = { businessId, live }
      const mark = () => markNotified(db, tenant, reference)
      return { tenant, about: 'charge' as const, reference, mark }
    }),
    ...orders.map(({ business_id: businessId, live, reference, kind }) => {
      const tenant = { businessId, live }
      return {
        tenant,
        about: ABOUT[kind],
        reference,
        mark: () => markOrderNotified(db, tenant, reference),
      }
    }),
  ]
}
