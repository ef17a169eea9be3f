import { IconPhoto } from '@tabler/icons-react'
import type { ProductMedia } from '../../../../sdk/src/operations.ts'
import { pictureAt } from '../../parts/values.tsx'

/** A small picture, or its place. */
export function Thumb({ of }: { of: ProductMedia | undefined }) {
  const url = pictureAt(of?.thumbnailUrl ?? of?.url)
  if (!url) {
    return (
      <span className="thumb empty" aria-hidden>
        <IconPhoto size={18} stroke={1.4} />
      </span>
    )
  }
  return <img src={url} alt="" className="thumb" />
}
