import { Type } from 'typebox'
import { Envelope } from '../../lib/schemas.ts'
import { MediaRecord, Sent } from '../products/media/schemas.ts'

/** As multipart, one part named `file`; as JSON `base64` or `url`. */
export const NewPicture = Sent

const {
  productId: _,
  variantId: __,
  isPrimary: ___,
  position: ____,
  ...shown
} = MediaRecord.properties

/** Its `url` is what the `image` of a page takes. */
export const AddedPicture = Envelope(Type.Object(shown))
