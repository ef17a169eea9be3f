import { ActionIcon, Menu, Progress, Text } from '@mantine/core'
import {
  IconArrowLeft,
  IconArrowRight,
  IconDots,
  IconExternalLink,
  IconPhotoPlus,
  IconStar,
  IconTrash,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { ProductMedia } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { DropZone } from '../../parts/DropZone.tsx'
import { PICTURES } from '../../parts/pictures.ts'
import { Uploads, useUploads } from '../../parts/uploads.tsx'
import { pictureAt } from '../../parts/values.tsx'
import '../../theme/sell.css'
import { t } from '../../texts/products.ts'

const PATH = 'payment-service/products'
/** The plain family alone has those of variants. */
const PLAIN = '/api/payment-service/v1/products'

interface GalleryProps {
  productId: string
  /** Of this one of its variants. */
  variantId?: number
  media: readonly ProductMedia[]
  /** What is to be seen on them. */
  name: string
  writes: boolean
  /** How many there can be. */
  most: number
}

/** Where pictures of a product, or of a variant, are sent to. */
export function pictureTarget(productId: string, variantId?: number) {
  return {
    ...PICTURES,
    path:
      variantId === undefined
        ? `${PATH}/product-upload-media`
        : `${PLAIN}/add-product-variant-media`,
    fields: { productId, ...(variantId !== undefined && { variantId: String(variantId) }) },
  }
}

export const uploadsOf = (productId: string, variantId?: number): string =>
  `products/${productId}/pictures${variantId === undefined ? '' : `/${variantId}`}`

/** Pictures to be added by dropping or choosing them, put into order, and taken away. */
export function Gallery({ productId, variantId, media, name, writes, most }: GalleryProps) {
  const owner = { productId, ...(variantId !== undefined && { variantId }) }
  const uploads = useUploads(uploadsOf(productId, variantId), pictureTarget(productId, variantId))
  const [dragged, drag] = useState<number>()
  const [target, aimAt] = useState<number>()
  const order = useAction<unknown, number[]>({
    path: `${PATH}/order-product-media`,
    method: 'PUT',
    send: (mediaIds) => ({ ...owner, mediaIds }),
  })
  const remove = useAction<unknown, ProductMedia>({
    path:
      variantId === undefined
        ? `${PATH}/delete-product-media`
        : `${PLAIN}/delete-product-variant-media`,
    send: ({ mediaId }) => ({ ...owner, mediaId }),
    done: t.thePictureIsDeleted,
  })
  const ids = media.map(({ mediaId }) => mediaId)
  const move = (from: number, to: number) => {
    const next = ids.toSpliced(from, 1)
    next.splice(to, 0, ids[from]!)
    if (from !== to) order.mutate(next)
  }
  const ask = (picture: ProductMedia) =>
    confirm({
      title: t.deleteThisPicture,
      text: t.payersDoNotSeeIt,
      verb: t.deleteThePicture,
      isDangerous: true,
      go: () => remove.mutate(picture),
    })
  const shown = uploads.going.filter(({ state, preview }) => state !== 'failed' && preview)
  return (
    <>
      {media.length + shown.length > 0 && (
        <ul className="gallery" aria-label={t.picturesOf(name)}>
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
                  src={pictureAt(i === 0 ? picture.url : (picture.thumbnailUrl ?? picture.url))}
                  alt={`${name}, number ${picture.position}`}
                  draggable={false}
                />
              ) : (
                <Text size="xs" c="dimmed" p="xs">
                  {picture.status}
                </Text>
              )}
              {i === 0 && media.length > 1 && <span className="mark">{t.first}</span>}
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
              <Progress size="sm" value={share * 100} aria-label={t.goesUp(file.name)} />
            </li>
          ))}
        </ul>
      )}
      {writes &&
        (media.length < most ? (
          <DropZone
            verb={t.addPictures}
            icon={<IconPhotoPlus size={14} />}
            says={PICTURES.says}
            types={PICTURES.types}
            onFiles={uploads.add}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {t.thereArePicturesWhichIs(most)}
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
  /** To a place counted from 0. */
  move(to: number): void
  remove(): void
}) {
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <ActionIcon variant="default" size="sm" aria-label={t.doMoreWithPicture(position)}>
          <IconDots size={14} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {url && (
          <Menu.Item
            component="a"
            href={pictureAt(url)}
            target="_blank"
            rel="noopener noreferrer"
            leftSection={<IconExternalLink size={16} />}
          >
            {t.open}
          </Menu.Item>
        )}
        {writes && position > 1 && (
          <>
            <Menu.Item leftSection={<IconStar size={16} />} onClick={() => move(0)}>
              {t.makeItTheFirst}
            </Menu.Item>
            <Menu.Item leftSection={<IconArrowLeft size={16} />} onClick={() => move(position - 2)}>
              {t.moveForwards}
            </Menu.Item>
          </>
        )}
        {writes && !isLast && (
          <Menu.Item leftSection={<IconArrowRight size={16} />} onClick={() => move(position)}>
            {t.moveBackwards}
          </Menu.Item>
        )}
        {writes && (
          <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={remove}>
            {t.deleteIt}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
