import { type Static, Type } from 'typebox'
import { shortListPaging } from '../../../lib/paging.ts'
import { Envelope, Nullable, PageOf, RecordId } from '../../../lib/schemas.ts'
import { FileRecord, LimitUnit, linkLimits } from '../record/schemas.ts'

const ProductId = RecordId('The id of a product, as a number or a string.')
const FileId = RecordId('The id of one of its digital files, as a number or a string.')
const text = Type.String()
const Count = (most: number) => Type.Integer({ minimum: 1, maximum: most })
export const NewFiles = Type.Object({ productId: ProductId })

export const FileQuery = Type.Object({ productId: ProductId, ...shortListPaging })

export const RenameFile = Type.Object({
  productId: ProductId,
  digitalDownloadFileId: FileId,
  name: Type.String({ maxLength: 1000, description: 'The file name for buyers.' }),
})
export type RenameFile = Static<typeof RenameFile>

export const DeleteFile = Type.Object({
  productId: ProductId,
  digitalDownloadFileId: FileId,
  status: Type.Boolean({ description: 'Whether buyers also lose access to the file.' }),
})
export type DeleteFile = Static<typeof DeleteFile>

/** Changes only the given fields; null means unlimited. */
export const SetExpiry = Type.Object(
  {
    productId: ProductId,
    digitalDownloadFileId: Type.Optional(FileId),
    expiryValue: Type.Optional(Nullable(Count(10_000_000))),
    expiryUnit: Type.Optional(LimitUnit),
    maxDownloads: Type.Optional(Nullable(Count(1_000_000))),
  },
  {
    'x-needs': [
      { oneOf: ['expiryValue', 'maxDownloads'], says: 'is required unless maxDownloads is given' },
    ],
  },
)
export type SetExpiry = Static<typeof SetExpiry>

/** The first added file, with all added files in `files`. */
export const AddedFiles = Envelope(
  Type.Object({ ...FileRecord.properties, files: Type.Array(FileRecord) }),
)
export const FileList = PageOf(FileRecord)
export const OneFile = Envelope(FileRecord)
export const DeletedFile = Envelope(Type.Object({ reference: text, status: text }))

const SET = ['reference', 'status', 'productId', ...Object.keys(linkLimits)]

/** The limits of the product or, if a file is named, the whole record of the file. */
export const ExpirySet = Envelope(
  Type.Object({
    reference: text,
    status: text,
    productId: text,
    ...linkLimits,
    ...Object.fromEntries(
      Object.entries(FileRecord.properties)
        .filter(([name]) => !SET.includes(name))
        .map(([name, schema]) => [name, Type.Optional(schema)]),
    ),
  }),
)
