import type { FastifyInstance } from 'fastify'
import type { Deps } from '../../../deps.ts'
import { withStoredFiles } from '../../../files/files.ts'
import { attachmentOf, requestedRange, sendFile } from '../../../http/download.ts'
import { success } from '../../../http/errors.ts'
import { servePages } from '../../../http/pages.ts'
import { type Mounted, type Route, route } from '../../../http/route.ts'
import { requireProduct } from '../record/service.ts'
import {
  countDownload,
  limitsRecord,
  openContent,
  openDownload,
  requireDownloadsLeft,
  returnDownload,
  setLinkLimits,
} from './grants.ts'
import {
  AddedFiles,
  DeletedFile,
  DeleteFile,
  ExpirySet,
  FileList,
  FileQuery,
  NewFiles,
  OneFile,
  RenameFile,
  SetExpiry,
} from './schemas.ts'
import {
  addFiles,
  deleteFile,
  type FileDeps,
  type FileRecord,
  listFiles,
  lockFileRecord,
  renameFile,
} from './service.ts'

/** The maximum number of files in one request. */
const FILES_MAX = 10

const slice = { service: 'payment-service', family: 'both', errors: 'fields' } as const

export const digitalFileRoutes = (deps: FileDeps & { fileBytesMax: number }): Route[] => [
  route({
    ...slice,
    operation: 'add_digital_download_file',
    summary: 'Add digital files to a product',
    method: 'POST',
    path: '/products/add-digital-download-files',
    scope: 'products:write',
    body: NewFiles,
    uploads: {
      filesMax: FILES_MAX,
      fileBytesMax: deps.fileBytesMax,
      bytesMax: deps.fileBytesMax,
      json: false,
    },
    response: AddedFiles,
    async handle({ caller, body, files, earlier, once }) {
      const repeated = await earlier()
      if (repeated) return repeated
      await requireProduct(deps.db, caller, body.productId)
      return withStoredFiles(deps, files, (arrived) =>
        once(async (tx) =>
          success('Files added.', await addFiles(tx, deps, caller, body.productId, arrived)),
        ),
      )
    },
  }),
  route({
    ...slice,
    operation: 'list_digital_download_files',
    summary: 'List the digital files of a product',
    method: 'GET',
    path: '/products/get-digital-download-files',
    scope: 'products:read',
    query: FileQuery,
    response: FileList,
    async handle({ caller, query }) {
      const { records, meta } = await listFiles(deps.db, caller, query.productId, query)
      return success('Digital files retrieved.', records, meta)
    },
  }),
  route({
    ...slice,
    operation: 'rename_digital_download_file',
    summary: 'Rename a digital file',
    method: 'PUT',
    path: '/products/rename-digital-download-files',
    scope: 'products:write',
    body: RenameFile,
    response: OneFile,
    editable: ({ name }: FileRecord) => name,
    locked: (tx, { caller, body }) => lockFileRecord(tx, caller, body),
    handle: ({ caller, body, once }) =>
      once(async (tx) => success('File renamed.', await renameFile(tx, deps, caller, body))),
  }),
  route({
    ...slice,
    operation: 'delete_digital_download_file',
    summary: 'Delete a digital file, and optionally revoke it for its buyers',
    method: 'POST',
    path: '/products/delete-digital-download-files',
    scope: 'products:write',
    body: DeleteFile,
    response: DeletedFile,
    handle: ({ caller, body, once }) =>
      once(async (tx) => success('File deleted.', await deleteFile(tx, deps, caller, body))),
  }),
  route({
    ...slice,
    operation: 'set_download_link_expiry',
    summary: 'Set the limits of download links',
    method: 'PUT',
    path: '/products/set-download-link-expiry',
    scope: 'products:write',
    body: SetExpiry,
    response: ExpirySet,
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success(
          'Download limits updated.',
          limitsRecord(await setLinkLimits(tx, deps, caller, body)),
        ),
      ),
  }),
]

const DOWNLOAD: Mounted = {
  method: 'GET',
  url: '/d/:token',
  operation: 'download_digital_file',
  status: 200,
  errors: 'fields',
}

/** A download that breaks off counts if at least this share of its bytes was sent. */
const COUNTS_FROM = 0.9

/** Mounts the buyers’ links. A link returns either the file or a page that explains why not. */
export function mountDownloads(
  server: FastifyInstance,
  deps: Deps,
  takeToken: (ip: string) => void,
): Mounted[] {
  void server.register(async (pages) => {
    servePages(pages, takeToken)
    pages.get<{ Params: { token: string } }>(DOWNLOAD.url, async (request, reply) => {
      const opened = await openDownload(deps, request.params.token)
      const span = requestedRange(request, opened.file)
      requireDownloadsLeft(opened)
      const isHead = request.method === 'HEAD'
      const isCounted = !isHead && (await countDownload(deps, opened, span))
      let sent = 0
      try {
        sent = await sendFile(request, reply, opened.file, {
          span,
          headers: {
            'content-disposition': attachmentOf(opened.row.name),
            'cache-control': 'private, no-store',
            'content-security-policy': "default-src 'none'; sandbox",
            'referrer-policy': 'no-referrer',
          },
          open: () => openContent(deps, opened, span),
        })
      } finally {
        if (isCounted && sent < COUNTS_FROM) {
          await returnDownload(deps, opened).catch((err) =>
            request.log.warn(
              { err, requestId: request.id },
              'could not restore a download that was not completed',
            ),
          )
        }
      }
      return reply
    })
  })
  return [DOWNLOAD]
}
