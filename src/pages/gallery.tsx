import type { FormProps } from './payment-page-fields.tsx'
import type { PageProductView } from './views-page.ts'

type GalleryProps = Pick<FormProps, 't' | 'format'> & {
  product: PageProductView
  /** The picture of the kind that is chosen: it is shown first. */
  chosen: number | undefined
  /** Shown large, where nothing else is sold. */
  isLarge?: boolean
}

/**
 * All pictures of a product, side by side in a strip that is swiped or scrolled, with a small one
 * of each to press. Each has its place before it is loaded, so that nothing moves.
 */
export function Gallery({ t, format, product, chosen, isLarge = false }: GalleryProps) {
  const { id, name, pictures } = product
  if (pictures.length === 0) return null
  const places = pictures.map((picture, place) => ({ ...picture, place }))
  const first = chosen === undefined ? undefined : places[chosen]
  const ordered = first ? [first, ...places.filter((one) => one !== first)] : places
  const { pictures: label, picture } = t.shop.page
  return (
    <div class={isLarge ? 'gallery large' : 'gallery'}>
      <ul
        class="strip"
        id={`strip-${id}`}
        tabIndex={pictures.length > 1 ? 0 : undefined}
        aria-label={label(name)}
      >
        {ordered.map(({ small, whole, place }, i) => (
          <li key={place} id={`picture-${id}-${place}`} data-place={place}>
            <picture>
              {isLarge && i === 0 && <source media="(min-width: 56rem)" srcset={whole} />}
              <img
                src={small}
                alt=""
                width="400"
                height="400"
                {...(i > 0 && { loading: 'lazy' as const })}
              />
            </picture>
          </li>
        ))}
      </ul>
      {isLarge && pictures.length > 1 && (
        <div class="thumbs">
          {ordered.map(({ small, place }, i) => (
            <a
              key={place}
              href={`#picture-${id}-${place}`}
              aria-label={picture(format.count(i + 1), format.count(pictures.length))}
            >
              <img src={small} alt="" width="64" height="64" />
            </a>
          ))}
        </div>
      )}
    </div>
  )
}
