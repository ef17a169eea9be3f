import { aboutWord, inconclusive, type Refusal } from '../connector/api.ts'
import type { BillItem, Bills, Call, VendOrder } from '../connector/http-connector.ts'
import { type Json, majorNumber } from '../connector/json.ts'
import type { Outcome, SentOrder, UtilityCustomer, VendState } from '../connector/types.ts'
import { ACCOUNT_REFUSALS, AMOUNT_REFUSAL, CURRENCY, pageOf, send } from './api.ts'

export const bills: Bills = { items, lookUpCustomer, vend, lookUpVend }

const COUNTRY = 'NG'

// -------------------------------------------------------------------------------- items

/** The categories of which we know packages. */
const CATEGORIES: Readonly<Record<string, BillItem['category']>> = {
  AIRTIME: 'airtime',
  MOBILEDATA: 'data',
  CABLEBILLS: 'television',
  UTILITYBILLS: 'electricity',
}

type ListedBiller = Pick<BillItem, 'billerCode' | 'billerName' | 'category'>

/** Reads the billers of each category that is there, and the items of each of these. */
async function items(call: Call): Promise<Outcome<readonly BillItem[]>> {
  const categories = await listOf(
    call,
    { operation: 'GET /top-bill-categories', query: { country: COUNTRY } },
    (row) => row.text('code'),
  )
  if (categories.kind !== 'done') return categories
  const known = categories.value.filter((code) => Object.hasOwn(CATEGORIES, code))
  const billers = await each(known, (category) =>
    listOf(
      call,
      {
        operation: 'GET /bills/{category}/billers',
        params: { category },
        query: { country: COUNTRY },
      },
      (row) => billerOf(row, CATEGORIES[category]!),
    ),
  )
  if (billers.kind !== 'done') return billers
  // A biller can be in two categories.
  const distinct = new Map(billers.value.map((biller) => [biller.billerCode, biller]))
  return each([...distinct.values()], (biller) =>
    listOf(
      call,
      { operation: 'GET /billers/{biller_code}/items', params: { biller_code: biller.billerCode } },
      (row) => itemOf(row, biller),
    ),
  )
}

function billerOf(row: Json, category: BillItem['category']): ListedBiller | undefined {
  const billerCode = row.text('biller_code')
  const billerName = row.text('name')
  return billerCode && billerName ? { billerCode, billerName, category } : undefined
}

const listOf = <Row>(
  call: Call,
  request: Parameters<typeof send>[1],
  rowOf: (row: Json) => Row | undefined,
): Promise<Outcome<readonly Row[]>> =>
  send(call, request, (body) => {
    const page = pageOf(body, null, rowOf)
    return page && { kind: 'done', value: page.rows }
  })

/** How many lists are read at once, so that all of them fit into one deadline. */
const AT_ONCE = 4

/** Reads a list for each key. */
async function each<Key, Row>(
  keys: readonly Key[],
  read: (key: Key) => Promise<Outcome<readonly Row[]>>,
): Promise<Outcome<readonly Row[]>> {
  const all: Row[] = []
  for (let from = 0; from < keys.length; from += AT_ONCE) {
    const outcomes = await Promise.all(keys.slice(from, from + AT_ONCE).map(read))
    for (const outcome of outcomes) {
      if (outcome.kind !== 'done') return outcome
      all.push(...outcome.value)
    }
  }
  return { kind: 'done', value: all }
}

/** The amount is 0 if the customer chooses it. */
function itemOf(row: Json, { billerCode, billerName, category }: ListedBiller) {
  const itemCode = row.text('item_code')
  const name = row.text('name')
  if (row.text('biller_code') !== billerCode || !itemCode || !name) return undefined
  const amount_minor = row.major(CURRENCY, 'amount') || null
  const fee_minor = row.major(CURRENCY, 'fee') ?? null
  return { billerCode, itemCode, billerName, name, category, amount_minor, fee_minor }
}

// ------------------------------------------------------------------------------ customers

const CUSTOMER_REFUSALS: readonly Refusal[] = [
  [/\b(?:biller|item)\b/i, { kind: 'refused', code: 'unknown_package' }],
  [/\bcustomer\b/i, { kind: 'refused', code: 'unknown_customer' }],
]

function lookUpCustomer(
  call: Call,
  { item, customerId }: Pick<VendOrder, 'item' | 'customerId'>,
): Promise<Outcome<UtilityCustomer>> {
  return send(
    call,
    {
      operation: 'GET /bill-items/{item_code}/validate',
      params: { item_code: item.itemCode },
      query: { code: item.billerCode, customer: customerId },
    },
    (body) => {
      const customerName = body.text('data', 'name')
      return customerName ? { kind: 'done', value: { customerName } } : undefined
    },
    CUSTOMER_REFUSALS,
  )
}

// -------------------------------------------------------------------------------- buying

const VEND_REFUSALS: readonly Refusal[] = [
  ...ACCOUNT_REFUSALS,
  AMOUNT_REFUSAL,
  [/\binvalid (?:biller|item)\b/i, { kind: 'refused', code: 'unknown_package' }],
  [/\binvalid customer\b/i, { kind: 'refused', code: 'unknown_customer' }],
]

/**
 * The response says "successful" even of a bill that is pending, so a lookup decides. Its
 * `reference` is Flutterwave's, not ours.
 */
function vend(call: Call, order: VendOrder): Promise<Outcome<VendState>> {
  return send(
    call,
    {
      operation: 'POST /billers/{biller_code}/items/{item_code}/payment',
      params: { biller_code: order.item.billerCode, item_code: order.item.itemCode },
      body: {
        country: COUNTRY,
        customer_id: order.customerId,
        reference: order.reference,
        amount: majorNumber(order.amount_minor, order.currency),
      },
    },
    (response) => {
      const id = response.text('data', 'tx_ref')
      if (!id) return undefined
      const fee_minor = response.major(CURRENCY, 'data', 'fee') ?? null
      const value = { status: 'Pending', message: MESSAGES.Pending, fee_minor } as const
      return { kind: 'done', value, refs: { id } }
    },
    VEND_REFUSALS,
  )
}

const UNKNOWN: readonly Refusal[] = [
  [/\bno bill\b|\bbill\b.*\bnot found\b/i, { kind: 'refused', code: 'unknown_order' }],
]

/**
 * Looks for Flutterwave's reference, if it is known, and for ours if that one does not tell. Only
 * if neither is found is the bill not there.
 */
async function lookUpVend(call: Call, sent: SentOrder): Promise<Outcome<VendState>> {
  const { reference, refs } = sent
  if (refs.id === undefined) return lookUpBill(call, sent, reference)
  const outcome = await lookUpBill(call, sent, refs.id)
  if (outcome.kind === 'done' || outcome.kind === 'notNow') return outcome
  const other = await lookUpBill(call, sent, reference)
  const isAbsent = outcome.kind === 'refused' && outcome.code === 'unknown_order'
  return isAbsent || other.kind === 'done' ? other : outcome
}

const lookUpBill = (call: Call, sent: SentOrder, reference: string): Promise<Outcome<VendState>> =>
  send(
    call,
    { operation: 'GET /bills/{reference}', params: { reference }, query: { verbose: '1' } },
    (response): Outcome<VendState> | undefined => {
      const data = response.at('data')
      const id = data.text('tx_ref')
      if (!id) return undefined
      if (!isOurs(data, sent)) return inconclusive("Flutterwave showed another order's bill.")
      const value = vendState(data)
      return value ? { kind: 'done', value, refs: { id } } : UNDECIDED
    },
    UNKNOWN,
  )

/** Some responses do not repeat our reference, and then Flutterwave's own must fit. */
function isOurs(data: Json, { reference, refs }: SentOrder): boolean {
  const ours = data.text('customer_reference')
  return ours ? ours === reference : data.text('tx_ref') === refs.id
}

const UNDECIDED = inconclusive('Flutterwave does not say whether the bill was delivered.')

// -------------------------------------------------------------------------------- state

const STATUSES: Readonly<Record<string, VendState['status']>> = {
  pending: 'Pending',
  successful: 'Successful',
  failed: 'Failed',
}

const MESSAGES: Readonly<Record<VendState['status'], string>> = {
  Pending: 'Flutterwave is processing the bill.',
  Successful: 'The bill was paid.',
  Failed: 'The bill failed at Flutterwave.',
}

/**
 * The status can be missing, and a token is there only if the bill was paid. Returns undefined
 * without both: then nothing says how the bill ended, and nothing may ever.
 */
function vendState(data: Json): VendState | undefined {
  const token = data.text('extra')
  const word = data.text('status')
  if (!word && !token) return undefined
  const status = word ? (STATUSES[word] ?? 'Pending') : 'Successful'
  const isPaid = status === 'Successful'
  return {
    status,
    message: MESSAGES[status],
    fee_minor: (isPaid ? data.major(CURRENCY, 'fee') : undefined) ?? null,
    commission_minor: (isPaid ? data.major(CURRENCY, 'commission') : undefined) ?? null,
    ...(word && aboutWord(word, Object.hasOwn(STATUSES, word))),
    // The response does not say how many units the token is worth.
    ...(isPaid && token && { token: { value: token, units: '' } }),
  }
}
