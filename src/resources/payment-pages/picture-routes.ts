import { success } from '../../http/envelopes.ts'
import { type Route, route } from '../../http/route.ts'
import { withPictures } from '../products/media/add.ts'
import { addPicture, requireRoom } from '../products/media/of-pages.ts'
import type { MediaDeps } from '../products/media/service.ts'
import { AddedPicture, NewPicture } from './schemas-pictures.ts'

export const pagePictureRoutes = (deps: MediaDeps): Route[] => [
  route({
    service: 'payment-service',
    family: 'both',
    errors: 'text',
    operation: 'upload_payment_page_image',
    summary: 'Upload a picture for payment pages to show',
    method: 'POST',
    status: 201,
    path: '/payment-pages/upload-page-image',
    scope: 'payment_pages:write',
    body: NewPicture,
    uploads: {
      filesMax: 1,
      fileBytesMax: deps.mediaBytesMax,
      bytesMax: deps.mediaBytesMax,
      json: true,
    },
    answer: AddedPicture,
    async handle({ caller, body, files, earlier, once }) {
      const repeated = await earlier()
      if (repeated) return repeated
      // Before all of it is looked at.
      await requireRoom(deps.db, caller)
      return withPictures(deps, caller, files, body, ([picture]) =>
        once(async (tx) => success('Picture added.', await addPicture(tx, deps, caller, picture!))),
      )
    },
  }),
]
