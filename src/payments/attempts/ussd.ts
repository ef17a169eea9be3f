import { isIP } from 'node:net'
import {
  collectionFee,
  type PaymentTerms,
  paymentTermsInBatch,
  paymentTermsOf,
} from '../../business/account/payment-settings.ts'
import type { Db, Tx } from '../../db/database.ts'
import type { Claim } from '../../db/idempotency.ts'
import type { Deps } from '../../deps.ts'
import type { Caller, Tenant } from '../../lib/caller.ts'
import { addMs } from '../../lib/clock.ts'
import { formatAmount, type Minor, parseAmount, toAmount } from '../../lib/money.ts'
import { conflict, invalid, Problem } from '../../lib/problem.ts'
import { toId } from '../../lib/schemas.ts'
import { type SplitPage, splitPageFor } from '../../money/split-pages/service.ts'
import { bankNamed, bankOf } from '../../providers/banks/banks.ts'
import type { UssdCode } from '../../providers/connector/types.ts'
import { computeShares, type FeeBearer } from './allocation.ts'
import {
  ATTEMPT_OPEN_MS,
  dialling,
  finishOpening,
  newAttempt,
  orderedFrom,
  startUssd,
} from './attempt.ts'
import { attemptBatch, insertAttempts, type NewAttempt } from './insert.ts'
import type { TransactionRow } from './queries.ts'
import { codesOf } from './read.ts'
import { isTrue, type UssdRequest } from './schemas.ts'
import { CHARGE_PURPOSE } from './settle.ts'

interface UssdPage {
  id: number
  amount_type: 'fixed' | 'minimum' | 'variable'
  amount_minor: Minor | null
  currency: string
  channels: readonly string[]
  product_ids: readonly number[]
  split_page_id: number | null
  fee_bearer: FeeBearer | null
}

/** Payment pages belong to a folder above this one, so their functions are passed in. */
interface UssdPages {
  /** Returns `undefined` for an unknown id. Throws 409 if the page cannot take payments. */
  openPage(db: Db, tenant: Tenant & { now: Date }, id: number): Promise<UssdPage | undefined>
  /**
   * Returns the amount due on a page without products. Throws 400 for an amount that the page does
   * not accept.
   */
  amountOn(page: UssdPage, given: number | string | undefined): Minor
}

export type UssdDeps = Pick<Deps, 'db' | 'ids' | 'providers'> & { pages: UssdPages }

/** The USSD channel supports only naira. */
const CURRENCY = 'NGN'

/**
 * Opens a USSD payment with its shares, and calls the provider after the commit. `finish` returns
 * the payment in its current state, and can also continue a payment that an earlier request opened.
 * Throws 400 naming the invalid field, 404 for an unknown page, 409 for an inactive page or if the
 * provider refuses, and 503 if no provider is configured.
 */
export function ussdPayment(
  deps: UssdDeps,
  caller: Caller,
  request: UssdRequest,
  claim: Claim | undefined,
) {
  const { db } = deps
  let opened: NewAttempt | undefined
  return {
    begin: {
      async write(): Promise<number | undefined> {
        const terms = await paymentTermsInBatch(db, caller)
        const attempt = await attemptFor(db, deps, caller, request, terms)
        if (!(await attemptBatch(db).add({ ...attempt, claim }))) return undefined
        opened = attempt
        return attempt.row.id
      },
      async alone(tx: Tx): Promise<number> {
        opened = await attemptFor(tx, deps, caller, request, await paymentTermsOf(tx, caller))
        await insertAttempts(tx.query, [opened])
        return opened.row.id
      },
    },
    finish: async (id: number): Promise<TransactionRow> =>
      opened?.row.id === id
        ? startUssd(deps, opened)
        : (await finishOpening(deps, caller, id)).transaction,
  }
}

async function attemptFor(
  db: Db,
  { ids, providers, pages }: UssdDeps,
  caller: Caller,
  request: UssdRequest,
  terms: PaymentTerms,
): Promise<NewAttempt> {
  check(caller, request)
  const { businessId, live, now } = caller
  const tenant = { businessId, live }
  const bankCode = request.bankCode === undefined ? null : dialledBank(request.bankCode)
  const { split, page } = await pagesOf(db, pages, { ...tenant, now }, request)
  const { shares, fee_minor, payable_minor, ...amounts } = amountsOf(terms, request, {
    split,
    page,
  })
  const id = await ids.next(db)
  const paid = { currency: CURRENCY, amount_minor: payable_minor, key: `${CHARGE_PURPOSE} ${id}` }
  const query = { service: 'USSD', ...paid, ...dialling(bankCode) } as const
  if (bankCode !== null) await requireServed(providers, tenant, bankCode, db)
  const provider = await providers.choose(tenant, query, db)
  const expiresAt = addMs(now, ATTEMPT_OPEN_MS.USSD)
  return newAttempt(
    db,
    ids,
    {
      tenant,
      // The payment has no separate payable, so no other attempt can conflict with it.
      purpose: CHARGE_PURPOSE,
      purpose_id: id,
      ...amounts,
      currency: CURRENCY,
      split_page_id: split?.id ?? null,
      page_id: page?.id ?? null,
      order_id: idOrNull(request.orderId),
      customer_id: idOrNull(request.customerId),
      ip_address: request.ipAddress ?? null,
      location: request.location ?? null,
      message: request.message ?? null,
      now,
    },
    {
      id,
      channel: 'USSD',
      ...orderedFrom(provider, 'USSD', {
        payable_minor,
        currency: CURRENCY,
        expiresAt,
        now,
        isClaimed: true,
      }),
      bankCode,
      expiresAt,
      fee_minor,
      payable_minor,
      shares,
    },
  )
}

const idOrNull = (id: number | string | undefined) => (id === undefined ? null : toId(id))

/** Checks the rules that a schema can't express. */
function check({ businessId, live }: Caller, request: UssdRequest): void {
  const { ipAddress, location, isLive } = request
  const [latitude = 0, longitude = 0] = location?.split(',').map(Number) ?? []
  const isOnEarth = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
  const isOwn = request.businessId === undefined || toId(request.businessId) === businessId
  const fields = {
    ...(!isOwn && { businessId: ['must be the id of the business that the key belongs to'] }),
    ...(ipAddress !== undefined &&
      isIP(ipAddress) === 0 && { ipAddress: ['must be an IPv4 or IPv6 address'] }),
    ...(!isOnEarth && {
      location: ['must have a latitude of -90 to 90 and a longitude of -180 to 180'],
    }),
    ...(isLive !== undefined &&
      isTrue(isLive) !== live && {
        isLive: [`does not match the key, which is a ${live ? 'live' : 'test'} key`],
      }),
  }
  if (Object.keys(fields).length > 0) throw invalid(fields)
}

/** Returns the code of the given bank, which must support USSD payments. */
function dialledBank(idOrCode: number | string): string {
  const bank = bankNamed(idOrCode, 'bankCode')
  if (!bank.ussdTemplate) {
    throw invalid({ bankCode: [`cannot be ${bank.name}, which does not support USSD payments`] })
  }
  return bank.code
}

/** Throws 400 naming `bankCode` if no connection can create the bank's code. */
async function requireServed(
  providers: Deps['providers'],
  tenant: Tenant,
  bankCode: string,
  db: Db,
): Promise<void> {
  const served = await providers.ussdBanks(tenant, db)
  if (served === null || served.includes(bankCode)) return
  const names = served.flatMap((code) => bankOf(code)?.name ?? [])
  if (names.length === 0) return
  throw invalid({ bankCode: [`must be the code of one of these banks: ${names.join(', ')}`] })
}

interface Pages {
  /** The split page with the subaccounts that share the payment. */
  split?: SplitPage | undefined
  page?: UssdPage | undefined
}

/**
 * Finds the page. Split pages and payment pages share one sequence of ids, so an id names only one
 * of them.
 */
async function pagesOf(
  db: Db,
  { openPage, amountOn }: UssdPages,
  tenant: Tenant & { now: Date },
  { pageId, amount }: UssdRequest,
): Promise<Pages> {
  if (pageId === undefined) return {}
  const id = toId(pageId)
  const split = await splitPageFor(db, tenant, id)
  if (split) return { split: usable(split) }
  const page = await openPage(db, tenant, id)
  if (!page) throw new Problem('not_found', 'not_found', 'Split page not found')
  if (page.currency !== CURRENCY) throw otherCurrency(page.currency)
  if (page.channels.length > 0 && !page.channels.includes('USSD')) {
    throw invalid({ pageId: ['must be a page that accepts USSD payments'] })
  }
  // On a page with products, the price depends on what the payer has chosen, so the amount is not
  // checked here.
  if (page.product_ids.length === 0) amountOn(page, amount)
  const ofPage =
    page.split_page_id === null ? undefined : await splitPageFor(db, tenant, page.split_page_id)
  return { page, split: ofPage && usable(ofPage) }
}

function usable(split: SplitPage): SplitPage {
  if (!split.active) throw conflict('split_page_inactive', 'This split page is inactive.')
  if (split.currency !== CURRENCY) throw otherCurrency(split.currency)
  return split
}

const otherCurrency = (currency: string) =>
  invalid({
    pageId: [
      `must be a page in ${CURRENCY}, the currency of USSD payments; this one is in ${currency}`,
    ],
  })

/** Returns what the payer pays, and the shares. */
function amountsOf(terms: PaymentTerms, request: UssdRequest, { split, page }: Pages) {
  const amount_minor = parseAmount(request.amount, CURRENCY)
  const rule_minor = collectionFee(terms.fee_rules, 'USSD', amount_minor, CURRENCY)
  const given_minor =
    request.fees === undefined
      ? undefined
      : parseAmount(request.fees, CURRENCY, { field: 'fees', zero: true })
  const fee_bearer: FeeBearer =
    given_minor !== undefined
      ? 'customer'
      : (page?.fee_bearer ?? split?.feeBearer ?? terms.fee_bearer)
  const onTop_minor = given_minor ?? (fee_bearer === 'customer' ? rule_minor : 0n)
  const { splitType = 'percentage', shares: rules = [] } = split ?? {}
  return {
    amount_minor,
    // The operator gets at least the fee in its rules. The business pays whatever the payer does
    // not.
    fee_minor: onTop_minor > rule_minor ? onTop_minor : rule_minor,
    fee_bearer,
    payable_minor: amount_minor + onTop_minor,
    shares: computeShares({ amount_minor, currency: CURRENCY, splitType }, rules),
  }
}

export function ussdResponse(row: TransactionRow) {
  const ussdBanks = codesOf(row)
  const chosen = ussdBanks.find(({ bankCode }) => bankCode === row.bank_code) ?? ussdBanks[0]
  return {
    data: {
      reference: row.reference,
      transactionId: row.id,
      status: row.status,
      ussdCode: chosen?.ussdCode ?? null,
      ussdBanks,
      amount: toAmount(row.amount_minor, row.currency),
      amountMinor: Number(row.amount_minor),
      fees: toAmount(row.fee_minor, row.currency),
      payable: toAmount(row.payable_minor, row.currency),
      currency: row.currency,
      expiresAt: row.expires_at,
      instructions: instructions(row, chosen),
    },
    transactionIdForSession: row.id,
  }
}

function instructions(row: TransactionRow, chosen: UssdCode | undefined): string {
  if (!chosen)
    return 'The bank has not responded yet. Repeat the request with the same Idempotency-Key.'
  const amount = formatAmount(row.payable_minor, row.currency)
  return `Dial ${chosen.ussdCode} on the phone linked to your ${chosen.bankName} account, and approve ${amount} with your PIN.`
}
