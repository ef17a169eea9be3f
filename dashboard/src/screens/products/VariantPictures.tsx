import { Group, Modal, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useState } from 'react'
import type { Product, ProductMedia } from '../../../../sdk/src/operations.ts'
import { useUploads } from '../../parts/uploads.tsx'
import { pictureAt } from '../../parts/values.tsx'
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
      notifications.show({ message: 'That picture could not be read. Try again.', color: 'red' })
    } finally {
      take(undefined)
    }
  }
  return (
    <Modal opened onClose={onClose} title={`Pictures of ${name}`} size="lg">
      <Text size="sm" c="dimmed" mb="sm">
        Payers see the first one as soon as they choose {name}; without one, that of the product.
      </Text>
      <Gallery {...{ productId, variantId, name }} media={own} writes most={MOST} />
      {media.length > 0 && own.length < MOST && (
        <>
          <Text size="sm" fw={600} mt="md" mb="xs">
            Or take one of the product
          </Text>
          <Group gap="xs">
            {media.map((picture) => (
              <button
                key={picture.mediaId}
                type="button"
                className="thumb-button"
                disabled={taken !== undefined}
                aria-label={`Take picture ${picture.position} of the product`}
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
