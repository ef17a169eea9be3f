import type { Fields } from '../../lib/problem.ts'
import type { Tenant } from '../../lib/tenant.ts'
import { MEDIA, parseMediaName } from '../products/media/record.ts'
import { addFault } from './pages.ts'

/**
 * Where a page's picture is. One that this server shows is kept without the server's address, which
 * may change; it must be the tenant's own. Null and undefined stay what they are.
 */
export function readImage(
  image: string | null | undefined,
  { caller, publicUrl }: { caller: Tenant; publicUrl: string },
  faults: Fields,
): string | null | undefined {
  if (!image) return image
  const path = image.startsWith(`${publicUrl}${MEDIA}`) ? image.slice(publicUrl.length) : image
  if (!path.startsWith(MEDIA)) {
    if (webUrl(path)) return path
    addFault(faults, 'image', NO_URL)
    return null
  }
  const media = parseMediaName(path.slice(MEDIA.length))
  const isOwn = media?.businessId === caller.businessId && media.live === caller.live
  if (!isOwn) addFault(faults, 'image', 'is no picture of this business')
  return path
}

/** Where payers go after they paid. Adds a fault in live mode for an origin that is not listed. */
export function readRedirect(
  redirectUrl: string | null | undefined,
  { caller, origins }: { caller: Tenant; origins: readonly string[] },
  faults: Fields,
): string | null | undefined {
  if (!redirectUrl) return redirectUrl
  const url = webUrl(redirectUrl)
  if (!url) addFault(faults, 'redirectUrl', NO_URL)
  else if (caller.live && !origins.includes(url.origin)) {
    addFault(faults, 'redirectUrl', `must be on an origin of your settings; ${url.origin} is none`)
  }
  return redirectUrl
}

const NO_URL = 'must be an http or https address, without a name and password in it'

function webUrl(text: string): URL | undefined {
  const url = /^https?:\/\/[^\s\\]+$/i.test(text) ? URL.parse(text) : null
  return url && !url.username && !url.password ? url : undefined
}
