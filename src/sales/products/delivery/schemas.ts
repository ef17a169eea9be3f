import { type Static, Type } from 'typebox'
import { optionalPaging } from '../../../lib/paging.ts'
import { Envelope, RecordId, ReferenceList } from '../../../lib/schemas.ts'
import { FeeRecord, Label } from '../record/schemas.ts'

const ProductId = RecordId('The id of a product, as a number or a string.')

const Location = Label(100, {
  description: 'Not case-sensitive; Everywhere applies to every location without its own fee.',
  examples: ['Lagos'],
})

/** The contract requires a string here, not a number. */
const Fees = Type.String({
  // The currency of the product determines the maximum and the number of decimals.
  pattern: '^\\d{1,15}(\\.\\d{1,30})?$',
  'x-decimal': true,
  'x-says': 'must be an amount as a string, such as "12.50"',
  description:
    'In the currency of the product, in major units (naira, not kobo), as a decimal string; 0 is free.',
  examples: ['12.50'],
})

export const NewFee = Type.Object({ productId: ProductId, location: Location, fees: Fees })
export type NewFee = Static<typeof NewFee>

export const FeeQuery = Type.Object({ productId: ProductId, ...optionalPaging })
export type FeeQuery = Static<typeof FeeQuery>

const naming = {
  productId: ProductId,
  location: Type.Optional(Location),
  deliveryFeeId: Type.Optional(RecordId('The id of the fee, as an alternative to its location.')),
}
const NEEDS = {
  'x-needs': [
    { oneOf: ['location', 'deliveryFeeId'], says: 'is required unless deliveryFeeId is given' },
  ],
}

export const FeeNamed = Type.Object(naming, NEEDS)
export type FeeNamed = Static<typeof FeeNamed>

export const UpdateFee = Type.Object({ ...naming, fees: Fees }, NEEDS)
export type UpdateFee = Static<typeof UpdateFee>

/** The contract fixes this shape. */
export const FeeSet = Type.Object({ message: Type.String() })
export const OneFee = Envelope(FeeRecord)
export const FeeList = ReferenceList(FeeRecord)
