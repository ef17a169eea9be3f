import { ActionIcon, Group, Menu, Modal, Progress, Text } from '@mantine/core'
import {
  IconArrowLeft,
  IconArrowRight,
  IconDots,
  IconExternalLink,
  IconPhotoPlus,
  IconStar,
  IconTrash,
} from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import type { Product, ProductMedia } from '../../../../../sdk/src/operations.ts'
import { act, useAction } from '../../../api/hooks.ts'
import { at, prefixOf } from '../../../api/request.ts'
import { confirm } from '../../../ui/confirm.tsx'
import { DropZone, IMAGES, Uploads, useUploads } from '../../../ui/uploads.tsx'
import { imagePath } from '../../../ui/values.tsx'
import '../../../theme/sell.css'
import { notifications } from '@mantine/notifications'
import { useQueryClient } from '@tanstack/react-query'
import { usePermission } from '../../../api/permissions.ts'
import { Card } from '../../../ui/DetailPage.tsx'
import { nameOf, type Variant } from './VariantRows.tsx'
import { Thumb } from './values.tsx'

interface GalleryProps {
  productId: string
  /** Set if the images belong to a variant of the product. */
  variantId?: number
  media: readonly ProductMedia[]
  name: string
  writes: boolean
  most: number
}

export function imageTarget(productId: string, variantId?: number) {
  return {
    ...IMAGES,
    ...(variantId === undefined ? at('add_product_media') : at('add_product_variant_media')),
    fields: { productId, ...(variantId !== undefined && { variantId: String(variantId) }) },
  }
}

export const uploadsOf = (productId: string, variantId?: number): string =>
  `products/${productId}/pictures${variantId === undefined ? '' : `/${variantId}`}`

function Gallery({ productId, variantId, media, name, writes, most }: GalleryProps) {
  const owner = { productId, ...(variantId !== undefined && { variantId }) }
  const uploads = useUploads(uploadsOf(productId, variantId), imageTarget(productId, variantId))
  const [dragged, drag] = useState<number>()
  const [target, aimAt] = useState<number>()
  const order = useAction(
    act('order_product_media', { input: (mediaIds: number[]) => ({ ...owner, mediaIds }) }),
  )
  const done = 'Image deleted.'
  const remove = useAction(
    variantId === undefined
      ? act('delete_product_media', {
          input: ({ mediaId }: ProductMedia) => ({ productId, mediaId }),
          done,
        })
      : act('delete_product_variant_media', {
          input: ({ mediaId }: ProductMedia) => ({ productId, variantId, mediaId }),
          done,
        }),
  )
  const ids = media.map(({ mediaId }) => mediaId)
  const move = (from: number, to: number) => {
    const next = ids.toSpliced(from, 1)
    next.splice(to, 0, ids[from]!)
    if (from !== to) order.mutate(next)
  }
  const ask = (picture: ProductMedia) =>
    confirm({
      title: 'Delete this image?',
      text: 'Payers will no longer see this image.',
      verb: 'Delete image',
      isDangerous: true,
      go: () => remove.mutate(picture),
    })
  const shown = uploads.going.filter(({ state, preview }) => state !== 'failed' && preview)
  return (
    <>
      {media.length + shown.length > 0 && (
        <ul className="gallery" aria-label={`Images of ${name}`}>
          {media.map((picture, i) => (
            <li
              key={picture.mediaId}
              className={['picture', i === 0 && 'first', target === i && dragged !== i && 'target']
                .filter(Boolean)
                .join(' ')}
              draggable={writes && media.length > 1}
              onDragStart={(event) => {
                event.dataTransfer.effectAllowed = 'move'
                drag(i)
              }}
              onDragEnd={() => {
                drag(undefined)
                aimAt(undefined)
              }}
              onDragOver={(event) => {
                if (dragged === undefined) return
                event.preventDefault()
                aimAt(i)
              }}
              onDrop={(event) => {
                if (dragged === undefined) return
                event.preventDefault()
                move(dragged, i)
              }}
            >
              {picture.url ? (
                <img
                  src={imagePath(i === 0 ? picture.url : (picture.thumbnailUrl ?? picture.url))}
                  alt={`${name}, number ${picture.position}`}
                  draggable={false}
                />
              ) : (
                <Text size="xs" c="dimmed" p="xs">
                  {picture.status}
                </Text>
              )}
              {i === 0 && media.length > 1 && <span className="mark">First</span>}
              <PictureMenu
                picture={picture}
                writes={writes}
                isLast={i === media.length - 1}
                move={(to) => move(i, to)}
                remove={() => ask(picture)}
              />
            </li>
          ))}
          {shown.map(({ id, file, preview, share }) => (
            <li key={id} className="picture going">
              <img src={preview} alt={file.name} />
              <Progress size="sm" value={share * 100} aria-label={`Uploading ${file.name}`} />
            </li>
          ))}
        </ul>
      )}
      {writes &&
        (media.length < most ? (
          <DropZone
            verb="Add images"
            icon={<IconPhotoPlus size={14} />}
            says={IMAGES.says}
            types={IMAGES.types}
            onFiles={uploads.add}
          />
        ) : (
          <Text size="sm" c="dimmed">
            You’ve reached the limit of {most} images.
          </Text>
        ))}
      <Uploads {...uploads} going={uploads.going.filter((one) => !shown.includes(one))} />
    </>
  )
}

function PictureMenu({
  picture: { position, url },
  writes,
  isLast,
  move,
  remove,
}: {
  picture: ProductMedia
  writes: boolean
  isLast: boolean
  /** Zero-based. */
  move(to: number): void
  remove(): void
}) {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="default" size="sm" aria-label={`More actions for image ${position}`}>
          <IconDots size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {url && (
          <Menu.Item
            component="a"
            href={imagePath(url)}
            target="_blank"
            rel="noopener noreferrer"
            leftSection={<IconExternalLink size={16} />}
          >
            Open
          </Menu.Item>
        )}
        {writes && position > 1 && (
          <>
            <Menu.Item leftSection={<IconStar size={16} />} onClick={() => move(0)}>
              Make first
            </Menu.Item>
            <Menu.Item leftSection={<IconArrowLeft size={16} />} onClick={() => move(position - 2)}>
              Move forward
            </Menu.Item>
          </>
        )}
        {writes && !isLast && (
          <Menu.Item leftSection={<IconArrowRight size={16} />} onClick={() => move(position)}>
            Move back
          </Menu.Item>
        )}
        {writes && (
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={remove}>
            Delete
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

const REREAD_MS = 2_000
const PRODUCT_PICTURES_MAX = 20

/** Payers see the first image. */
export function ProductImages({ of: { productId, media, variants, name } }: { of: Product }) {
  const writes = usePermission()('products:write')
  const all: ProductMedia[] = [...media, ...variants.flatMap((one) => one.media)]
  useRereadWhile(all.some(({ status }) => status === 'Processing'))
  return (
    <Card title="Images">
      {media.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {'Payers see the first image on your pages'}
          {variants.length > 0 && ', or the image for the variant they choose, if it has one'}.
        </Text>
      )}
      <Gallery
        productId={productId}
        media={media}
        name={name}
        writes={writes}
        most={PRODUCT_PICTURES_MAX}
      />
    </Card>
  )
}

/** Images are processed in the background without an event, so this polls until they are ready. */
function useRereadWhile(isWaiting: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => {
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[2] === prefixOf('get_product'),
      })
    }, REREAD_MS)
    return () => clearInterval(timer)
  }, [isWaiting, queries])
}

const VARIANT_PICTURES_MAX = 5

/** Shows the variant's images, and the product's images to choose from. */
export function VariantImages({
  product: { productId, media },
  of: { variantId, optionValues, media: own },
  onClose,
}: {
  product: Product
  of: Variant
  onClose(): void
}) {
  const name = nameOf(optionValues)
  const { add } = useUploads(uploadsOf(productId, variantId), imageTarget(productId, variantId))
  const [taken, take] = useState<number>()
  const use = async ({ mediaId, url, contentType }: ProductMedia) => {
    take(mediaId)
    try {
      const answer = await fetch(imagePath(url)!)
      if (!answer.ok) throw new Error(String(answer.status))
      const ending = contentType.split('/')[1]
      add([new File([await answer.blob()], `picture.${ending}`, { type: contentType })])
    } catch {
      notifications.show({ message: 'The image could not be loaded. Try again.', color: 'red' })
    } finally {
      take(undefined)
    }
  }
  return (
    <Modal opened onClose={onClose} title={`Images of ${name}`} size="lg">
      <Text size="sm" c="dimmed" mb="sm">
        Payers see the first image when they choose {name}. If this variant has no images, they see
        the product’s first image.
      </Text>
      <Gallery
        productId={productId}
        variantId={variantId}
        name={name}
        media={own}
        writes
        most={VARIANT_PICTURES_MAX}
      />
      {media.length > 0 && own.length < VARIANT_PICTURES_MAX && (
        <>
          <Text size="sm" fw={600} mt="md" mb="xs">
            Or use one of the product’s images
          </Text>
          <Group gap="xs">
            {media.map((picture) => (
              <button
                key={picture.mediaId}
                type="button"
                className="thumb-button"
                disabled={taken !== undefined}
                aria-label={`Use product image ${picture.position}`}
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
