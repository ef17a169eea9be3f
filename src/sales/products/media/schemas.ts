import { type Static, Type } from 'typebox'
import { pagingIfAsked } from '../../../lib/paging.ts'
import { Envelope, RecordId, ReferenceList } from '../../../lib/schemas.ts'
import { MediaRecord } from '../core/schemas.ts'

const ProductId = RecordId('A product: its digits, or the number.')
const VariantId = RecordId('A variant of the product.')

/** As JSON there is one picture; as multipart, each part named `file` is one. */
const sent = {
  base64: Type.Optional(
    Type.String({ minLength: 1, maxLength: 1_400_000, description: 'The bytes of one picture.' }),
  ),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'A public address, from which the server fetches it once.',
    }),
  ),
  filename: Type.Optional(Type.String({ maxLength: 1000 })),
}

/** A picture as JSON, of nothing in particular. */
export const Sent = Type.Object(sent)

export const NewMedia = Type.Object({ productId: ProductId, ...sent })
export const NewVariantMedia = Type.Object({
  productId: ProductId,
  variantId: VariantId,
  ...sent,
})
export type NewMedia = Static<typeof NewMedia>

export const MediaQuery = Type.Object({ productId: ProductId, ...pagingIfAsked })
export const VariantMediaQuery = Type.Object({
  productId: ProductId,
  variantId: VariantId,
  ...pagingIfAsked,
})

const MediaId = RecordId('A picture of it.')
export const MediaNamed = Type.Object({ productId: ProductId, mediaId: MediaId })
export const VariantMediaNamed = Type.Object({
  productId: ProductId,
  variantId: VariantId,
  mediaId: MediaId,
})

/** All of them, in the wanted order. */
export const MediaOrder = Type.Object({
  productId: ProductId,
  variantId: Type.Optional(VariantId),
  mediaIds: Type.Array(RecordId('A picture of it.'), {
    minItems: 1,
    maxItems: 20,
    description: 'Every picture of the product, or of the variant, once.',
  }),
})

/** The first of those that were sent, and all of them. */
export const AddedMedia = Envelope(
  Type.Object({ ...MediaRecord.properties, media: Type.Array(MediaRecord) }),
)
export const MediaList = ReferenceList(MediaRecord)
/** As it was, without addresses. */
export const DeletedMedia = Envelope(MediaRecord)
