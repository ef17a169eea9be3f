import { linkState } from '../../business/links/service.ts'
import type { Deps } from '../../deps.ts'
import { success } from '../../http/errors.ts'
import { type Published, type Route, route } from '../../http/route.ts'
import { withStoredImages } from '../products/media/add.ts'
import { addPageImage, requireImageQuota } from '../products/media/page-images.ts'
import type { MediaDeps } from '../products/media/service.ts'
import { createPage } from './create.ts'
import {
  AddedPageImage,
  AddProducts,
  LinkQuery,
  LinkState,
  NewPage,
  NewPageImage,
  OnePage,
  PageIdQuery,
  PageList,
  PageNamed,
  PageProducts,
  PageProductsQuery,
  PageQuery,
  PageStatusChange,
  ProductsAdded,
  RemoveProducts,
  UpdatePage,
} from './schemas.ts'
import { editablePartOf, getPage, listPages, lockRecord } from './service.ts'
import {
  addProducts,
  deletePage,
  listProducts,
  removeProducts,
  setPageStatus,
  updatePage,
} from './update.ts'

type PageDeps = Pick<Deps, 'db' | 'ids' | 'clock' | 'publicUrl'>

const slice = { service: 'payment-service', family: 'both', errors: 'text' } as const
const read = { ...slice, scope: 'payment_pages:read', method: 'GET' } as const
const write = { ...slice, scope: 'payment_pages:write', method: 'POST', response: OnePage } as const

export const paymentPageRoutes = (deps: MediaDeps): Route[] => [
  createRoute(deps, {
    operation: 'create_payment_page',
    summary: 'Create a payment page',
    service: 'payment-service',
    path: '/payment-pages/create-pages',
  }),
  createRoute(deps, {
    operation: 'create_payment_page_of_transactions',
    summary: 'Create a payment page (same as create-pages)',
    service: 'transaction-service',
    path: '/payment-pages',
    sameAs: 'payment-service/payment-pages/create-pages',
  }),
  listRoute(deps, {
    operation: 'list_payment_pages',
    summary: 'List payment pages',
    service: 'payment-service',
    path: '/payment-pages/get-pages',
  }),
  listRoute(deps, {
    operation: 'list_payment_pages_of_transactions',
    summary: 'List payment pages (same as get-pages)',
    service: 'transaction-service',
    path: '/payment-pages',
  }),
  ...pageRoutes(deps),
  ...productRoutes(deps),
  ...pagePictureRoutes(deps),
]

interface Named extends Pick<Route, 'operation' | 'path' | 'sameAs'>, Pick<Published, 'summary'> {
  service: 'payment-service' | 'transaction-service'
}

const createRoute = (deps: PageDeps, named: Named): Route =>
  route({
    ...write,
    ...named,
    body: NewPage,
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success('Payment page created.', await createPage(tx, deps, caller, body)),
      ),
  })

const listRoute = (deps: PageDeps, named: Named): Route =>
  route({
    ...read,
    ...named,
    query: PageQuery,
    response: PageList,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listPages(deps.db, deps, caller, query)
      return success('Payment pages retrieved.', records, meta)
    },
  })

const pageRoutes = (deps: PageDeps): Route[] => [
  route({
    ...read,
    operation: 'get_payment_page',
    summary: 'Get a payment page by id or link',
    path: '/payment-pages/get-page-details',
    query: PageIdQuery,
    response: OnePage,
    editable: editablePartOf,
    handle: async ({ caller, query }) =>
      success('Payment page retrieved.', await getPage(deps.db, deps, caller, query)),
  }),
  route({
    ...write,
    operation: 'update_payment_page',
    summary: 'Update a payment page',
    method: 'PUT',
    path: '/payment-pages/update-page-details',
    body: UpdatePage,
    editable: editablePartOf,
    locked: (tx, { caller, body }) => lockRecord(tx, deps, caller, body.pageId),
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success('Payment page updated.', await updatePage(tx, deps, caller, body)),
      ),
  }),
  route({
    ...write,
    operation: 'set_payment_page_status',
    summary: 'Publish or unpublish a payment page',
    method: 'PUT',
    path: '/payment-pages/update-page-status',
    body: PageStatusChange,
    editable: editablePartOf,
    locked: (tx, { caller, body }) => lockRecord(tx, deps, caller, body.pageId),
    handle: ({ caller, body, once }) =>
      once(async (tx) => {
        const record = await setPageStatus(tx, deps, caller, body)
        return success(`Payment page ${record.status.toLowerCase()}.`, record)
      }),
  }),
  route({
    ...write,
    operation: 'delete_payment_page',
    summary: 'Delete a payment page',
    path: '/payment-pages/delete-page',
    body: PageNamed,
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success('Payment page deleted.', await deletePage(tx, deps, caller, body.pageId)),
      ),
  }),
  route({
    ...write,
    reads: true,
    operation: 'check_custom_link',
    summary: 'Check whether a link is available',
    scope: 'payment_pages:read',
    path: '/payment-pages/custom-link-check-exist',
    body: LinkQuery,
    response: LinkState,
    handle: async ({ body }) => {
      const state = await linkState(deps.db, body.customLink)
      return success(
        state.available ? 'The link is available.' : 'The link is not available.',
        state,
      )
    },
  }),
]

const productRoutes = (deps: PageDeps): Route[] => [
  route({
    ...write,
    operation: 'add_payment_page_products',
    summary: 'Add products to a payment page',
    path: '/payment-pages/payment-page-add-product',
    body: AddProducts,
    response: ProductsAdded,
    handle: ({ caller, body, once }) =>
      once(async (tx) => {
        await addProducts(tx, deps, caller, body)
        return { message: 'Products added to the payment page.' }
      }),
  }),
  route({
    ...read,
    operation: 'list_payment_page_products',
    summary: 'List the products of a payment page',
    path: '/payment-pages/payment-page-get-product',
    query: PageProductsQuery,
    response: PageProducts,
    handle: async ({ caller, query }) => {
      const { records, meta } = await listProducts(deps.db, deps, caller, query)
      return success('Products of the payment page retrieved.', records, meta)
    },
  }),
  route({
    ...write,
    operation: 'remove_payment_page_products',
    summary: 'Remove products from a payment page',
    path: '/payment-pages/payment-page-delete-product',
    body: RemoveProducts,
    handle: ({ caller, body, once }) =>
      once(async (tx) =>
        success(
          'Products removed from the payment page.',
          await removeProducts(tx, deps, caller, body),
        ),
      ),
  }),
]

const pagePictureRoutes = (deps: MediaDeps): Route[] => [
  route({
    service: 'payment-service',
    family: 'both',
    errors: 'text',
    operation: 'upload_payment_page_image',
    summary: 'Upload an image for payment pages',
    method: 'POST',
    status: 201,
    path: '/payment-pages/upload-page-image',
    scope: 'payment_pages:write',
    body: NewPageImage,
    uploads: {
      filesMax: 1,
      fileBytesMax: deps.mediaBytesMax,
      bytesMax: deps.mediaBytesMax,
      json: true,
    },
    response: AddedPageImage,
    async handle({ caller, body, files, earlier, once }) {
      const repeated = await earlier()
      if (repeated) return repeated
      // Runs first, so that no image is processed for a request beyond the limit.
      await requireImageQuota(deps.db, caller)
      return withStoredImages(deps, caller, files, body, ([picture]) =>
        once(async (tx) =>
          success('Image uploaded.', await addPageImage(tx, deps, caller, picture!)),
        ),
      )
    },
  }),
]
