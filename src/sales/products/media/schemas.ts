import { type Static, Type } from 'typebox'
import { optionalPaging } from '../../../lib/paging.ts'
import { Envelope, RecordId, ReferenceList } from '../../../lib/schemas.ts'
import { MediaRecord } from '../record/schemas.ts'

const ProductId = RecordId('The id of a product, as a number or a string.')
const VariantId = RecordId('The id of one of its variants.')

/** JSON contains one image. In multipart, each part named `file` is an image. */
const sent = {
  base64: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 1_400_000,
      description: 'The image, encoded as base64.',
    }),
  ),
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'A public URL, which the server fetches once.',
    }),
  ),
  filename: Type.Optional(Type.String({ maxLength: 1000 })),
}

/** An image as JSON, without its owner. */
export const ImageInput = Type.Object(sent)

export const NewMedia = Type.Object({ productId: ProductId, ...sent })
export const NewVariantMedia = Type.Object({
  productId: ProductId,
  variantId: VariantId,
  ...sent,
})
export type NewMedia = Static<typeof NewMedia>

export const MediaQuery = Type.Object({ productId: ProductId, ...optionalPaging })
export const VariantMediaQuery = Type.Object({
  productId: ProductId,
  variantId: VariantId,
  ...optionalPaging,
})

const MediaId = RecordId('The id of one of its images.')
export const MediaNamed = Type.Object({ productId: ProductId, mediaId: MediaId })
export const VariantMediaNamed = Type.Object({
  productId: ProductId,
  variantId: VariantId,
  mediaId: MediaId,
})

/** All images, in the new order. */
export const MediaOrder = Type.Object({
  productId: ProductId,
  variantId: Type.Optional(VariantId),
  mediaIds: Type.Array(RecordId('The id of one of its images.'), {
    minItems: 1,
    maxItems: 20,
    description: 'Every image of the product or variant, each exactly once.',
  }),
})

/** The first added image, with all added images in `media`. */
export const AddedMedia = Envelope(
  Type.Object({ ...MediaRecord.properties, media: Type.Array(MediaRecord) }),
)
export const MediaList = ReferenceList(MediaRecord)
/** The record before the deletion, without URLs. */
export const DeletedMedia = Envelope(MediaRecord)
