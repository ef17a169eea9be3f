import { type Static, Type } from 'typebox'
import { machine } from '../../lib/machine.ts'
import { dateRange, optionalPaging, paging } from '../../lib/paging.ts'
import { Nullable, NullableTimestamp, PageOf, ReferenceList, Timestamp } from '../../lib/schemas.ts'
import { withAliases } from '../../lib/text.ts'
import { UTILITY_CATEGORIES } from '../../providers/connector/utilities.ts'

export const BILL_STATES = ['Pending', 'Successful', 'Failed'] as const
export type BillState = (typeof BILL_STATES)[number]

/**
 * The states of a utility payment. `ledger` is what each move does with the amount held at
 * creation, in the same database transaction: `post` pays it to the provider, and `void` returns
 * it. `event` is the event that the move causes. See docs/design/bills.md.
 */
export const billMachine = machine({
  noun: 'utility_payment',
  initial: ['Pending'],
  states: BILL_STATES,
  moves: {
    succeed: { from: ['Pending'], to: 'Successful', ledger: 'post', event: 'utility.successful' },
    fail: { from: ['Pending'], to: 'Failed', ledger: 'void', event: 'utility.failed' },
  },
})
export type UtilityMove = keyof typeof billMachine.moves

const text = Type.String()
const given = (maxLength: number, description?: string) =>
  Type.Optional(Type.String({ maxLength, ...(description !== undefined && { description }) }))

const slug = (of: string) =>
  Type.Optional(Type.String({ maxLength: 100, description: `The slug of the ${of} to list.` }))

export const CategoryQuery = Type.Object(optionalPaging)
export const BillerQuery = Type.Object({ category: slug('category'), ...optionalPaging })
export const PackageQuery = Type.Object({ biller: slug('biller'), ...optionalPaging })

const Category = Type.Unsafe<string>({ type: 'string', enum: [...UTILITY_CATEGORIES] })

export const CategoryList = ReferenceList(
  Type.Object({ slug: Category, name: text, billers: Type.Integer() }),
)

export const BillerList = ReferenceList(
  Type.Object({ slug: text, name: text, category: Category, packages: Type.Integer() }),
)

const price = Nullable(Type.Number())
const minor = Nullable(Type.Integer())
const prices = {
  amountType: Type.Unsafe<string>({ type: 'string', enum: ['fixed', 'variable'] }),
  amount: price,
  amountMinor: minor,
  minimumAmount: price,
  minimumAmountMinor: minor,
  maximumAmount: price,
  maximumAmountMinor: minor,
}

export const PackageList = ReferenceList(
  Type.Object({
    packageSlug: text,
    name: text,
    billerSlug: text,
    billerName: text,
    category: Category,
    ...prices,
    currency: text,
  }),
)

export const Enquiry = Type.Object({
  customerId: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'The customer’s phone, meter or smart card number with the biller.',
    examples: ['08031234567'],
  }),
  packageSlug: Type.String({ minLength: 1, maxLength: 100, examples: ['mtn-airtime-top-up'] }),
})
export type Enquiry = Static<typeof Enquiry>

/**
 * Neither is required. Without a customer or a package, there cannot have been an enquiry, so the
 * response is a 412.
 */
export const UtilityPayment = withAliases(
  Type.Object({
    paymentReference: Type.Optional(
      Type.String({
        // The reference is also used in paths, so it must not look like one of our references or
        // path segments.
        pattern:
          '^(?!UTL_|\\.{1,2}$|process-payment$|customer-enquiry$|export$)[A-Za-z0-9_.:-]{1,64}$',
        'x-says':
          'must be 1 to 64 letters, digits, dots, colons, hyphens or underscores, ' +
          'and must not start with UTL_',
        description:
          'Your reference. A reference can be used for only one purchase. Default: a new one.',
        'x-never-empty': true,
        examples: ['airtime-0001'],
      }),
    ),
    customerId: given(100, 'The same as in the customer enquiry before the payment.'),
    packageSlug: given(100, 'The same as in the customer enquiry before the payment.'),
    channel: given(50),
    amount: Type.Optional(
      Type.Unsafe<number | string>({
        type: ['number', 'string'],
        maxLength: 40,
        // The limits depend on the enquiry, which is checked first.
        'x-decimal': true,
        description:
          'In naira (not kobo): the price of the package, or an amount within its limits.',
        examples: [500],
      }),
    ),
    customerName: given(200),
    phoneNumber: given(50),
    email: given(254),
    accountNumber: given(50),
  }),
  { paymentReference: ['reference'] },
)
export type UtilityPayment = Static<typeof UtilityPayment>

export const PaymentReference = Type.Object({
  paymentReference: Type.String({ maxLength: 64, description: 'Your reference, or ours.' }),
})

const Said = <T extends ReturnType<typeof Type.Object>>(responseData: T) =>
  Type.Object({
    error: Type.Boolean(),
    status: Type.Literal('success'),
    message: text,
    responseCode: Type.String({ description: '00 done, 09 Pending, 06 failed.' }),
    responseData,
  })

export const EnquiryResponse = Said(
  Type.Object({
    enquiryReference: text,
    customerId: text,
    customerName: text,
    packageSlug: text,
    packageName: text,
    billerName: text,
    category: Category,
    ...prices,
    fee: Type.Number({ description: 'The fee charged on top of the amount.' }),
    currency: text,
    expiresAt: Timestamp,
  }),
)

const State = Type.String({ description: 'Pending, Successful or Failed.' })

export const UtilityRecord = Type.Object({
  transactionId: Type.Integer(),
  reference: text,
  paymentReference: text,
  status: State,
  vendStatus: State,
  customerId: text,
  customerName: text,
  packageSlug: text,
  packageName: text,
  billerSlug: text,
  billerName: text,
  category: text,
  amount: Type.Number(),
  amountMinor: Type.Integer(),
  fee: Type.Number({ description: 'The fee charged on top of the amount.' }),
  total: Type.Number(),
  totalMinor: Type.Integer(),
  currency: text,
  channel: Nullable(text),
  phoneNumber: Nullable(text),
  email: Nullable(text),
  accountNumber: Nullable(text),
  token: Type.Unsafe<{ value: string; units: number } | null>({
    type: ['object', 'null'],
    properties: { value: { type: 'string' }, units: { type: 'number' } },
    description:
      'The token to enter on a prepaid meter, and the number of kilowatt-hours that it buys.',
  }),
  pins: Type.Array(text),
  pinDetails: Type.Array(Type.Object({ pin: text, serial: Nullable(text) }), {
    description: 'The same PINs as in pins, with each serial number in a separate field.',
  }),
  failureReason: Nullable(text),
  timeline: Type.Array(Type.Object({ status: text, at: Timestamp, message: Nullable(text) })),
  createdAt: Timestamp,
  completedAt: NullableTimestamp,
})

export const PaymentResponse = Said(UtilityRecord)
export type PaymentResponse = Static<typeof PaymentResponse>
export const PaymentList = PageOf(UtilityRecord)

const filters = {
  ...dateRange,
  status: Type.Optional(
    Type.String({ maxLength: 20, description: `In any case: ${BILL_STATES.join(', ')}.` }),
  ),
  category: Type.Optional(
    Type.String({ maxLength: 100, description: `One of ${UTILITY_CATEGORIES.join(', ')}.` }),
  ),
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'A complete reference, yours or ours, or the start of the customer’s number or name.',
    }),
  ),
}
export const PaymentFilters = Type.Object(filters)
export type PaymentFilters = Static<typeof PaymentFilters>
export const PaymentQuery = Type.Object({ ...filters, ...paging })
export type PaymentQuery = Static<typeof PaymentQuery>
