import { type Static, Type } from 'typebox'
import { pagingIfAsked } from '../../../lib/paging.ts'
import { Envelope, Moment, Nullable, RecordId, ReferenceList } from '../../../lib/schemas.ts'

const ProductId = RecordId('A product: its digits, or the number.')
const VariantId = RecordId('A variant of the product.')
const text = Type.String()
const whole = Type.Integer()

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

export const MediaRecord = Type.Object({
  mediaId: whole,
  reference: text,
  status: Type.String({
    description: 'Processing, Ready or Failed; Deleted in the answer that deletes it.',
  }),
  productId: text,
  variantId: Nullable(whole),
  url: Nullable({
    ...text,
    description: 'The original while it is Processing; null if it Failed.',
  }),
  thumbnailUrl: Nullable({ ...text, description: 'Null until it is Ready.' }),
  contentType: text,
  width: whole,
  height: whole,
  bytes: whole,
  isPrimary: Type.Boolean(),
  position: Type.Integer({ description: 'From 1 on.' }),
  createdAt: Moment,
})

/** The first of those that were sent, and all of them. */
export const AddedMedia = Envelope(
  Type.Object({ ...MediaRecord.properties, media: Type.Array(MediaRecord) }),
)
export const MediaList = ReferenceList(MediaRecord)
/** As it was, without addresses. */
export const DeletedMedia = Envelope(MediaRecord)
