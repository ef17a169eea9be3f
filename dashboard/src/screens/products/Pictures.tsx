import { ActionIcon, Button, FileButton, Group, SimpleGrid, Text } from '@mantine/core'
import { IconPhotoPlus, IconTrash } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Product, ProductMedia } from '../../../../sdk/src/operations.ts'
import { useAction } from '../../api/hooks.ts'
import { confirm } from '../../parts/confirm.tsx'
import { Card } from '../../parts/DetailPage.tsx'
import { pictureAt } from '../../parts/values.tsx'
import { useMay } from '../../shell/may.ts'

const PATH = 'payment-service/products'
const TYPES = 'image/jpeg,image/png,image/webp,image/gif'
const REREAD_MS = 2_000

/** The pictures of a product; the first is the one that payers see. */
export function Pictures({ of: { productId, media, name } }: { of: Product }) {
  const may = useMay()
  const writes = may('products:write')
  useRereadWhile(media.some(({ status }) => status === 'Processing'))
  const upload = useAction<unknown, File[]>({
    path: `${PATH}/product-upload-media`,
    send: (files) => formOf(productId, files),
    done: 'The pictures are there.',
  })
  const remove = useAction<unknown, ProductMedia>({
    path: `${PATH}/delete-product-media`,
    send: ({ mediaId }) => ({ productId, mediaId }),
    done: 'The picture is deleted.',
  })
  const ask = (picture: ProductMedia) =>
    confirm({
      title: 'Delete this picture?',
      text: 'Payers do not see it any more.',
      verb: 'Delete the picture',
      isDangerous: true,
      go: () => remove.mutate(picture),
    })
  return (
    <Card title="Pictures">
      {media.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          Payers see the first one on your pages. JPEG, PNG, WebP or GIF, up to 10 MiB.
        </Text>
      )}
      <SimpleGrid cols={3} spacing="xs" mb={media.length > 0 ? 'sm' : 0}>
        {media.map((picture) => (
          <div key={picture.mediaId} className="picture">
            {picture.url ? (
              <a href={pictureAt(picture.url)} target="_blank" rel="noopener noreferrer">
                <img
                  src={pictureAt(picture.thumbnailUrl ?? picture.url)}
                  alt={`${name}, number ${picture.position}`}
                />
              </a>
            ) : (
              <Text size="xs" c="dimmed" p="xs">
                {picture.status}
              </Text>
            )}
            {writes && (
              <ActionIcon
                variant="default"
                size="sm"
                aria-label={`Delete picture ${picture.position}`}
                onClick={() => ask(picture)}
              >
                <IconTrash size={14} />
              </ActionIcon>
            )}
          </div>
        ))}
      </SimpleGrid>
      {writes && media.length < 20 && (
        <Group>
          <FileButton accept={TYPES} multiple onChange={(files) => upload.mutate(files)}>
            {(props) => (
              <Button
                {...props}
                size="xs"
                variant="default"
                loading={upload.isPending}
                leftSection={<IconPhotoPlus size={14} />}
              >
                Add pictures
              </Button>
            )}
          </FileButton>
        </Group>
      )}
      <Wrong says={upload.error?.fields} />
    </Card>
  )
}

/** What the server found wrong with a file. */
export function Wrong({ says = {} }: { says: Record<string, string[]> | undefined }) {
  const all = Object.entries(says).map(([field, [first]]) => `${field} ${first}`)
  if (all.length === 0) return null
  return (
    <Text size="sm" c="var(--bad)" mt="xs" role="alert" className="breaks">
      {all.join('. ')}
    </Text>
  )
}

export function formOf(productId: string, files: File[]): FormData {
  const form = new FormData()
  form.set('productId', productId)
  for (const file of files) form.append('file', file)
  return form
}

/** Pictures are made ready in the background, of which no event tells. */
function useRereadWhile(isWaiting: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => {
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[2] === `${PATH}/get-product-details`,
      })
    }, REREAD_MS)
    return () => clearInterval(timer)
  }, [isWaiting, queries])
}
