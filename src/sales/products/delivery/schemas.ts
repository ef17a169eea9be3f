import { type Static, Type } from 'typebox'
import { pagingIfAsked } from '../../../lib/paging.ts'
import { Envelope, RecordId, ReferenceList } from '../../../lib/schemas.ts'
import { Label } from '../core/label.ts'
import { FeeRecord } from '../core/schemas.ts'

const ProductId = RecordId('A product: its digits, or the number.')

const Location = Label(100, {
  description: 'In any case; Everywhere is for wherever no other fee is.',
  examples: ['Lagos'],
})

/** The contract has it as text; a JSON number is refused. */
const Fees = Type.String({
  // How much, and how many decimals, the product’s currency tells.
  pattern: '^\\d{1,15}(\\.\\d{1,30})?$',
  'x-decimal': true,
  'x-says': 'must be an amount as text, such as "12.50"',
  description:
    'In the currency of the product, in major units (naira, not kobo), as decimal text; 0 is free.',
  examples: ['12.50'],
})

export const NewFee = Type.Object({ productId: ProductId, location: Location, fees: Fees })
export type NewFee = Static<typeof NewFee>

export const FeeQuery = Type.Object({ productId: ProductId, ...pagingIfAsked })
export type FeeQuery = Static<typeof FeeQuery>

const naming = {
  productId: ProductId,
  location: Type.Optional(Location),
  deliveryFeeId: Type.Optional(RecordId('The fee by its id, in place of its location.')),
}
const NEEDS = {
  'x-needs': [{ oneOf: ['location', 'deliveryFeeId'], says: 'is required, or deliveryFeeId' }],
}

export const FeeNamed = Type.Object(naming, NEEDS)
export type FeeNamed = Static<typeof FeeNamed>

export const UpdateFee = Type.Object({ ...naming, fees: Fees }, NEEDS)
export type UpdateFee = Static<typeof UpdateFee>

/** Exactly what the contract shows. */
export const FeeSet = Type.Object({ message: Type.String() })
export const OneFee = Envelope(FeeRecord)
export const FeeList = ReferenceList(FeeRecord)
