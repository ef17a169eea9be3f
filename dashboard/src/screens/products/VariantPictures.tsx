import { Group, Modal, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { Product, ProductMedia } from '../../../../sdk/src/operations.ts'
import { useUploads } from '../../parts/uploads.tsx'
import { pictureAt } from '../../parts/values.tsx'
import { t } from '../../texts/products.ts'
import { nameOf, type Variant } from './drafts.ts'
import { Gallery, pictureTarget, uploadsOf } from './Gallery.tsx'
import { Thumb } from './parts.tsx'

const MOST = 5

/** The pictures of one variant: its own, and those of the product to choose from. */
export function VariantPictures({
  product: { productId, media },
  of: { variantId, optionValues, media: own },
  onClose,
}: {
  product: Product
  of: Variant
  onClose(): void
}) {
  const name = nameOf(optionValues)
  const { add } = useUploads(uploadsOf(productId, variantId), pictureTarget(productId, variantId))
  const [taken, take] = useState<number>()
  const use = async ({ mediaId, url, contentType }: ProductMedia) => {
    take(mediaId)
    try {
      const answer = await fetch(pictureAt(url)!)
      if (!answer.ok) throw new Error(String(answer.status))
      const ending = contentType.split('/')[1]
      add([new File([await answer.blob()], `picture.${ending}`, { type: contentType })])
    } catch {
      notifications.show({ message: t.thatPictureCouldNotBe, color: 'red' })
    } finally {
      take(undefined)
    }
  }
  return (
    <Modal opened onClose={onClose} title={t.picturesOf(name)} size="lg">
      <Text size="sm" c="dimmed" mb="sm">
        {t.payersSeeTheFirstOneAs(name)}
      </Text>
      <Gallery {...{ productId, variantId, name }} media={own} writes most={MOST} />
      {media.length > 0 && own.length < MOST && (
        <>
          <Text size="sm" fw={600} mt="md" mb="xs">
            {t.orTakeOneOfThe}
          </Text>
          <Group gap="xs">
            {media.map((picture) => (
              <button
                key={picture.mediaId}
                type="button"
                className="thumb-button"
                disabled={taken !== undefined}
                aria-label={t.takePictureOfTheProduct(picture.position)}
                onClick={() => void use(picture)}
              >
                <Thumb of={picture} />
              </button>
            ))}
          </Group>
        </>
      )}
    </Modal>
  )
}
