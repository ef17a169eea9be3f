import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { Product, ProductMedia } from '../../../../sdk/src/operations.ts'
import { Card } from '../../parts/DetailPage.tsx'
import { useMay } from '../../shell/may.ts'
import { t } from '../../texts/products.ts'
import { Gallery } from './Gallery.tsx'

const REREAD_MS = 2_000
const MOST = 20

/** The pictures of a product; the first is the one that payers see. */
export function Pictures({ of: { productId, media, variants, name } }: { of: Product }) {
  const writes = useMay()('products:write')
  const all: ProductMedia[] = [...media, ...variants.flatMap((one) => one.media)]
  useRereadWhile(all.some(({ status }) => status === 'Processing'))
  return (
    <Card title={t.pictures}>
      {media.length === 0 && (
        <Text size="sm" c="dimmed" mb="sm">
          {t.payersSeeTheFirstOneOn}
          {variants.length > 0 && t.andThatOfTheVariant}.
        </Text>
      )}
      <Gallery {...{ productId, media, name, writes }} most={MOST} />
    </Card>
  )
}

/** Pictures are made ready in the background, of which no event tells. */
function useRereadWhile(isWaiting: boolean): void {
  const queries = useQueryClient()
  useEffect(() => {
    if (!isWaiting) return undefined
    const timer = setInterval(() => {
      void queries.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[2] === 'payment-service/products/get-product-details',
      })
    }, REREAD_MS)
    return () => clearInterval(timer)
  }, [isWaiting, queries])
}
