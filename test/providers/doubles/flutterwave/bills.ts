import type { Answer, DoubleRequest } from '../double.ts'
import {
  type Account,
  amountOf,
  available,
  type Bill,
  isoOf,
  nairaOf,
  nairaText,
  ok,
  refuse,
} from './account.ts'
import { BILLERS, type BillItem, CATEGORIES, ITEMS } from './billers.ts'

export function billOperations(account: Account) {
  return {
    'GET /top-bill-categories': () =>
      ok(
        'Categories fetched successfully',
        CATEGORIES.map((one) => ({ ...one, description: one.name, country_code: 'NG' })),
      ),
    'GET /bills/{category}/billers': ({ params }: DoubleRequest) => {
      if (!CATEGORIES.some(({ code }) => code === params.category)) {
        return refuse(400, 'Invalid category')
      }
      const found = BILLERS.filter(({ category }) => category === params.category)
      return ok(
        'Billers fetched successfully',
        found.map(({ id, name, billerCode: biller_code, shortName: short_name }) => ({
          id,
          name,
          biller_code,
          short_name,
          description: name,
          logo: null,
          country_code: 'NG',
        })),
      )
    },
    'GET /billers/{biller_code}/items': ({ params }: DoubleRequest) => {
      const found = ITEMS.filter(({ billerCode }) => billerCode === params.biller_code)
      if (found.length === 0) return refuse(400, 'Invalid biller code')
      return ok('Bill items fetched successfully', found.map(itemJson))
    },
    'GET /bill-items/{item_code}/validate': ({ params, query }: DoubleRequest) =>
      validate(
        query,
        ITEMS.find(({ itemCode }) => itemCode === params.item_code),
      ),
    'POST /billers/{biller_code}/items/{item_code}/payment': (request: DoubleRequest) =>
      pay(account, request),
    'GET /bills/{reference}': ({ params, query }: DoubleRequest) => {
      const found = find(account, params.reference)
      if (!found) return unknownBill()
      const shown = query.verbose === '1' ? detailedJson(account, found) : billJson(found)
      return ok('Bill status fetch successful', shown)
    },
    'GET /bills/{reference}/status': ({ params }: DoubleRequest) => {
      const found = find(account, params.reference)
      return found ? ok('Bill status fetch successful', billJson(found)) : unknownBill()
    },
  }
}

export const unknownBill = () => refuse(400, 'No bill payment was found for this reference')

function find({ bills, settings }: Account, reference: string | undefined): Bill | undefined {
  const isOurs = settings.findsBillsBy === 'any_reference'
  return bills.find(
    (one) =>
      one.txRef === reference ||
      one.flwRef === reference ||
      (isOurs && one.reference === reference),
  )
}

function validate({ code, customer = '' }: Record<string, string>, item?: BillItem): Answer {
  if (!item || (code !== undefined && code !== item.billerCode)) {
    return refuse(400, 'Invalid biller or item code')
  }
  if (item.isResolvable && customer.startsWith('9999')) return refuse(400, 'Invalid customer id')
  return ok('Item validated successfully', {
    response_code: '00',
    address: null,
    response_message: 'Successful',
    name: item.isResolvable ? `CUSTOMER ${customer.slice(-4)}` : item.name,
    biller_code: item.billerCode,
    customer,
    product_code: item.itemCode,
    email: null,
    fee: nairaOf(item.fee),
    maximum: nairaOf(item.most),
    minimum: nairaOf(item.least),
  })
}

// ------------------------------------------------------------------------------- buying

/** A used reference is not noticed, so a repeated request buys again. */
function pay(account: Account, request: DoubleRequest): Answer {
  const { kit, bills, settings } = account
  const { params, body } = request
  const item = ITEMS.find(
    (one) => one.billerCode === params.biller_code && one.itemCode === params.item_code,
  )
  if (!item) return refuse(400, 'Invalid biller or item code')
  if (body.country !== 'NG') return refuse(400, 'country is not supported')
  if (item.isResolvable && body.customer_id.startsWith('9999')) {
    return refuse(400, 'Invalid customer id')
  }
  const amount = amountOf(request)
  if (amount === undefined) return refuse(400, 'amount must be a positive amount in naira')
  if (item.amount > 0n && amount !== item.amount) {
    return refuse(400, `Amount must be ${nairaText(item.amount)}`)
  }
  if (item.amount === 0n && (amount < item.least || amount > item.most)) {
    return refuse(400, `Amount must be from ${nairaText(item.least)} to ${nairaText(item.most)}`)
  }
  const id = kit.nextId()
  const now = kit.clock.now()
  const bill: Bill = {
    txRef: `CF-FLYAPI-${isoOf(now).replace(/\D/g, '').slice(0, 14)}${id}`,
    flwRef: `BPUSSD${id}`,
    reference: body.reference ?? null,
    itemCode: item.itemCode,
    billerCode: item.billerCode,
    product: item.name,
    customer: body.customer_id,
    amount,
    fee: item.fee,
    commission: (amount * item.commission) / 1_000n,
    batchId: id,
    status: 'pending',
    token: null,
    createdAt: now,
  }
  if (available(account) < amount + item.fee) {
    const message = 'Insufficient funds in your wallet'
    // This notice does not say which bill it is about.
    notify(account, { status: 'fail', message })
    return refuse(400, message)
  }
  bills.push(bill)
  kit.books.execute(bill.reference ?? bill.txRef)
  debit(account, bill)
  if (settings.bills === 'at_once') settle(account, bill, 'successful')
  else if (settings.bills !== 'by_hand') {
    kit.clock.after(settings.bills.afterMs, () => {
      if (bill.status === 'pending') settle(account, bill, 'successful')
    })
  }
  // It says so of a bill that is still pending, too. `reference` is not the business's.
  return ok('Bill payment successful', {
    phone_number: bill.customer,
    amount: nairaOf(amount),
    network: item.shortName,
    code: '200',
    tx_ref: bill.txRef,
    reference: bill.flwRef,
    batch_reference: null,
    recharge_token: bill.token,
    fee: nairaOf(item.fee),
  })
}

export function billersOf(account: Account) {
  return {
    /** Ends a bill, found by any reference, or changes how it ended. */
    settle(reference: string, status: Bill['status']): void {
      const found = account.bills.find((one) =>
        [one.reference, one.txRef, one.flwRef].includes(reference),
      )
      if (!found) throw new Error(`Flutterwave has no bill ${reference}`)
      settle(account, found, status)
    },
  }
}

function settle(account: Account, bill: Bill, status: Bill['status']): void {
  const { books } = account.kit
  const old = bill.status
  bill.status = status
  if (old === status) return
  if (old === 'failed') debit(account, bill)
  if (old === 'successful') enter(account, bill, -bill.commission)
  if (status === 'successful') {
    enter(account, bill, bill.commission)
    bill.token = itemOf(bill).hasToken ? `${10_000_000 + bill.batchId}`.padEnd(20, '7') : null
  }
  if (status === 'failed') {
    books.enter({ ...entryOf(bill), kind: 'reversal', amount_minor: bill.amount + bill.fee })
  }
  if (status === 'pending') return
  const isDone = status === 'successful'
  notify(account, {
    customer: bill.customer,
    amount: nairaOf(bill.amount),
    network: itemOf(bill).shortName,
    tx_ref: bill.txRef,
    flw_ref: bill.flwRef,
    batch_reference: null,
    customer_reference: bill.reference,
    status: isDone ? 'success' : 'fail',
    message: isDone ? 'Bill Payment was completed successfully' : 'Bill Payment failed',
    reference: null,
  })
}

const notify = ({ kit }: Account, data: object) =>
  kit.notices.notify('singlebillpayment.status', {
    event: 'singlebillpayment.status',
    'event.type': 'SingleBillPayment',
    data,
  })

function debit(account: Account, bill: Bill): void {
  enter(account, bill, -bill.amount)
  if (bill.fee === 0n) return
  account.kit.books.enter({ ...entryOf(bill), kind: 'fee', amount_minor: -bill.fee })
}

function enter({ kit }: Account, bill: Bill, amount_minor: bigint): void {
  if (amount_minor !== 0n) kit.books.enter({ ...entryOf(bill), kind: 'bill', amount_minor })
}

const itemOf = (bill: Bill) => ITEMS.find(({ itemCode }) => itemCode === bill.itemCode)!

const entryOf = ({ reference, txRef }: Bill) => ({ reference, providerId: txRef, currency: 'NGN' })

// -------------------------------------------------------------------------------- shape

function itemJson(item: BillItem) {
  return {
    id: item.id,
    biller_code: item.billerCode,
    name: item.name,
    short_name: item.shortName,
    item_code: item.itemCode,
    label_name: item.labelName,
    amount: nairaOf(item.amount),
    fee: nairaOf(item.fee),
    is_resolvable: item.isResolvable,
    country: 'NG',
  }
}

/** Only here can it say how the bill ended. */
function detailedJson({ settings }: Account, bill: Bill) {
  const { customer_reference, ...rest } = billJson(bill)
  const { status } = bill
  if (settings.billsShow === 'status') return { ...rest, status }
  const hasStatus = settings.billsShow === 'both' || itemOf(bill).hasToken
  return { ...rest, customer_reference, ...(hasStatus && { status }) }
}

/** It does not say how the bill ended. */
function billJson(bill: Bill) {
  return {
    currency: 'NGN',
    customer_id: bill.customer,
    frequency: 'One Time',
    amount: nairaText(bill.amount),
    fee: nairaOf(bill.fee),
    product: bill.product,
    product_name: bill.product,
    commission: nairaOf(bill.commission),
    transaction_date: isoOf(bill.createdAt),
    customer_reference: bill.reference ?? '',
    country: 'NG',
    flw_ref: bill.flwRef,
    tx_ref: bill.txRef,
    batch_id: bill.batchId,
    extra: bill.token,
    product_details: `FLY-API-NG-${bill.product}`,
  }
}
