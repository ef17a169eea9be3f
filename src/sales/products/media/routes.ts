import type { FastifyInstance } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { sendFile } from '../../../http/download.ts'
import { success } from '../../../http/errors.ts'
import { type Input, type Route, route } from '../../../http/route.ts'
import { toId } from '../../../lib/schemas.ts'
import { addMedia, orderMedia, withStoredImages } from './add.ts'
import type { Owner } from './queries.ts'
import {
  AddedMedia,
  DeletedMedia,
  MediaList,
  MediaNamed,
  MediaOrder,
  MediaQuery,
  NewMedia,
  NewVariantMedia,
  VariantMediaNamed,
  VariantMediaQuery,
} from './schemas.ts'
import {
  deleteMedia,
  findImageContent,
  listMedia,
  type MediaDeps,
  requireOwner,
} from './service.ts'

/** The maximum number of images in one request. */
const FILES_MAX = 10

interface OwnerNamed {
  productId: number | string
  variantId?: number | string
}

const ownerOf = ({ productId, variantId }: OwnerNamed): Owner => ({
  productId: toId(productId),
  variantId: variantId === undefined ? null : toId(variantId),
})

const products = { service: 'payment-service', family: 'both', errors: 'fields' } as const
const variants = { ...products, family: 'plain' } as const

export const mediaRoutes = (deps: MediaDeps): Route[] => [
  route({
    ...products,
    ...adding(deps, NewMedia),
    operation: 'add_product_media',
    summary: 'Add images to a product',
    path: '/products/product-upload-media',
  }),
  route({
    ...products,
    ...listing(deps, MediaQuery),
    operation: 'list_product_media',
    summary: 'List the images of a product',
    path: '/products/get-product-media',
  }),
  route({
    ...products,
    ...deleting(deps, MediaNamed),
    operation: 'delete_product_media',
    summary: 'Delete an image of a product',
    path: '/products/delete-product-media',
  }),
  route({
    ...products,
    operation: 'order_product_media',
    summary: 'Reorder the images of a product or variant',
    method: 'PUT',
    path: '/products/order-product-media',
    scope: 'products:write',
    body: MediaOrder,
    response: MediaList,
    handle: ({ caller, body, once }) =>
      once(async (tx) => {
        const ids = body.mediaIds.map(toId)
        return success('Images reordered.', await orderMedia(tx, deps, caller, ownerOf(body), ids))
      }),
  }),
  route({
    ...variants,
    ...adding(deps, NewVariantMedia),
    operation: 'add_product_variant_media',
    summary: 'Add images to a variant',
    path: '/products/add-product-variant-media',
  }),
  route({
    ...variants,
    ...listing(deps, VariantMediaQuery),
    operation: 'list_product_variant_media',
    summary: 'List the images of a variant',
    path: '/products/get-product-variant-media',
  }),
  route({
    ...variants,
    ...deleting(deps, VariantMediaNamed),
    operation: 'delete_product_variant_media',
    summary: 'Delete an image of a variant',
    path: '/products/delete-product-variant-media',
  }),
]

type InputFor<Reply extends TSchema> = Input<unknown, unknown, unknown, Static<Reply>>

function adding<Body extends TSchema>(deps: MediaDeps, body: Body) {
  const { mediaBytesMax } = deps
  return {
    method: 'POST',
    scope: 'products:write',
    body,
    uploads: {
      filesMax: FILES_MAX,
      fileBytesMax: mediaBytesMax,
      bytesMax: FILES_MAX * mediaBytesMax,
      json: true,
    },
    response: AddedMedia,
    async handle({ caller, body: sent, files, earlier, once }: InputFor<typeof AddedMedia>) {
      const body = sent as NewMedia & OwnerNamed
      const repeated = await earlier()
      if (repeated) return repeated
      const owner = ownerOf(body)
      await requireOwner(deps.db, caller, owner)
      return withStoredImages(deps, caller, files, body, (pictures) =>
        once(async (tx) =>
          success('Images added.', await addMedia(tx, deps, caller, owner, pictures)),
        ),
      )
    },
  } as const
}

function listing<Query extends TSchema>({ db, publicUrl }: MediaDeps, query: Query) {
  return {
    method: 'GET',
    scope: 'products:read',
    query,
    response: MediaList,
    async handle({ caller, query: values }: InputFor<typeof MediaList>) {
      const query = values as OwnerNamed & { page?: number; limit?: number }
      const { records, meta } = await listMedia(db, publicUrl, caller, ownerOf(query), query)
      return success('Images retrieved.', records, meta)
    },
  } as const
}

function deleting<Body extends TSchema>(deps: MediaDeps, body: Body) {
  return {
    method: 'POST',
    scope: 'products:write',
    body,
    response: DeletedMedia,
    handle({ caller, body: sent, once }: InputFor<typeof DeletedMedia>) {
      const body = sent as OwnerNamed & { mediaId: number | string }
      return once(async (tx) => {
        const record = await deleteMedia(tx, deps, caller, ownerOf(body), toId(body.mediaId))
        return success('Image deleted.', record)
      })
    },
  } as const
}

const YEAR_SECONDS = 31_536_000

/** Serves images to everyone who has the URL: payers, mail clients, search engines. */
export function mountMedia(
  server: FastifyInstance,
  deps: MediaDeps,
  takeToken: (ip: string) => void,
): void {
  server.get<{ Params: { name: string } }>('/media/:name', async (request, reply) => {
    takeToken(request.ip)
    const shown = await findImageContent(deps, request.params.name)
    if ('movedTo' in shown) {
      return reply.header('cache-control', 'public, max-age=60').redirect(shown.movedTo, 302)
    }
    const { file, isFinal, open } = shown
    await sendFile(request, reply, file, {
      headers: {
        'cache-control': isFinal
          ? `public, max-age=${YEAR_SECONDS}, immutable`
          : 'public, max-age=60',
        'content-disposition': 'inline',
        'content-security-policy': "default-src 'none'; sandbox",
        // Shops embed the images in their pages.
        'cross-origin-resource-policy': 'cross-origin',
      },
      open,
    })
    return reply
  })
}
