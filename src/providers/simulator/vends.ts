import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Minor } from '../../lib/money.ts'
import type {
  About,
  Outcome,
  Provider,
  UtilityCustomer,
  VendOrder,
  VendState,
} from '../connector/types.ts'
import { findPackage, type UtilityCategory } from '../connector/utilities.ts'
import { vendScriptOf } from './magic.ts'
import { acceptOrder, lookUpOrder, type SimulatorOptions } from './orders.ts'
import { endOrderNow, type SimulatedOrder } from './queries.ts'

export function simulatedBillers(
  options: SimulatorOptions,
): Pick<Provider, 'enquireCustomer' | 'vend' | 'lookUpVend'> {
  return {
    enquireCustomer: async (packageSlug, customerId) => customerOf(packageSlug, customerId),
    async vend(about, order) {
      if (!findPackage(order.packageSlug)) {
        return { kind: 'refused', code: 'unknown_package', message: 'No such package.' }
      }
      await takeAndWait(options, about, order)
      return lookUpOrder(options, about, order, stateOf)
    },
    lookUpVend: (about, sent) => lookUpOrder(options, about, sent, stateOf),
  }
}

/**
 * Stores the order. If its script includes an immediate response, waits for the delay and then ends
 * the order.
 */
async function takeAndWait(
  options: SimulatorOptions,
  about: About,
  order: VendOrder,
): Promise<void> {
  const { steps, silentDelays, isAnswered } = vendScriptOf(order)
  const waitMs = options.simulatorDelayMs * Math.max(1, silentDelays)
  // The response itself ends the order. If the process dies before that, the job ends the order
  // later.
  const dueMs = isAnswered ? 2 * waitMs + 1_000 : waitMs
  const taken = { ...order, kind: 'VEND', accountNumber: order.customerId } as const
  const script = { steps, silentDelays }
  await acceptOrder(options, about, taken, script, { waitsFor: 'biller', dueMs })
  if (!isAnswered) return
  await sleep(waitMs)
  await endOrderNow(options.db, about.tenant, order.reference)
}

function stateOf(order: SimulatedOrder): VendState {
  const { status, message } = order
  const state = { status, message } as VendState
  return status === 'Successful' ? { ...state, ...voucherOf(order) } : state
}

/** Derived from the reference, so that every lookup returns the same voucher. */
function voucherOf({ reference, package_slug, amount_minor }: SimulatedOrder) {
  const digits = digitsOf(reference)
  switch (findPackage(package_slug ?? '')?.voucher) {
    case 'token':
      return { token: { value: inGroups(digits.slice(0, 20)), units: kilowattHours(amount_minor) } }
    case 'pin':
      return { pins: [`${inGroups(digits.slice(0, 12))} (serial ${digits.slice(20, 29)})`] }
    default:
      return {}
  }
}

function digitsOf(reference: string): string {
  const hash = createHash('sha256').update(reference).digest('hex')
  return BigInt(`0x${hash}`).toString().padStart(78, '0').slice(-40)
}

const inGroups = (digits: string): string => digits.match(/\d{1,4}/g)!.join('-')

/** The price of a tenth of a kilowatt hour, at ₦209.50 per kilowatt hour. */
const TENTH_MINOR: Minor = 2_095n

function kilowattHours(amount_minor: Minor): string {
  const tenths = amount_minor / TENTH_MINOR
  return `${tenths / 10n}.${tenths % 10n}`
}

/** The pattern for a customer's number, and the name of that number. */
const NUMBERS: Record<UtilityCategory, { pattern: RegExp; what: string }> = {
  airtime: { pattern: /^(?:0|\+?234)[789]\d{9}$/, what: 'telephone number' },
  data: { pattern: /^(?:0|\+?234)[789]\d{9}$/, what: 'telephone number' },
  electricity: { pattern: /^\d{10,13}$/, what: 'meter or account number' },
  television: { pattern: /^\d{10,12}$/, what: 'smart card number' },
  exams: { pattern: /^(?:0|\+?234)[789]\d{9}$/, what: 'telephone number' },
}

const NAMES = ['ADA OBI', 'CHINEDU EZE', 'FATIMA BELLO', 'TUNDE ADEYEMI', 'NGOZI OKAFOR']

/**
 * `…00` and `…05` do not belong to any customer. The other magic numbers belong to customers of
 * every biller.
 */
function customerOf(packageSlug: string, customerId: string): Outcome<UtilityCustomer> {
  const sold = findPackage(packageSlug)
  if (!sold) return { kind: 'refused', code: 'unknown_package', message: 'No such package.' }
  const { pattern, what } = NUMBERS[sold.category]
  const isMagic = /^000000000\d$/.test(customerId)
  const isKnown = isMagic ? !/[05]$/.test(customerId) : pattern.test(customerId)
  if (!isKnown) {
    const message = `${sold.billerName} has no customer with this ${what}.`
    return { kind: 'refused', code: 'unknown_customer', message }
  }
  return { kind: 'done', value: { customerName: NAMES[Number(customerId.slice(-4)) % 5]! } }
}
