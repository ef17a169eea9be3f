import type { Sharp, SharpConstructor } from 'sharp'
import { fairQueue } from '../lib/fair-queue.ts'
import { invalid } from '../lib/problem.ts'

/**
 * Larger images are more likely to be attacks than photographs. For animations, all frames count.
 */
const PIXELS_MAX = 40_000_000
const FRAMES_MAX = 300

/** The limit for all frames together. If an animation is larger, only its first frame is shown. */
const ANIMATED_PIXELS_MAX = 8_000_000

/** The limit for re-encoded images, the same as for uploads. */
const BYTES_MAX = 10 * 1024 * 1024

/** The limit for producing one image in one size. */
const SECONDS_MAX = 20

const PICTURE_EDGE_MAX = 2048
const THUMBNAIL_EDGE_MAX = 400

/** Decoding takes up to 160 MB and one core each. */
const AT_ONCE_MAX = 2

const TYPES: Record<string, string> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
}

export interface ImageInfo {
  contentType: string
  width: number
  height: number
}

/** A re-encoded image, which keeps nothing of the original except its pixels. */
interface Encoded extends ImageInfo {
  content: Buffer
}

export const THUMBNAIL_TYPE = 'image/webp'

let loading: Promise<SharpConstructor> | undefined

/** Loads sharp when the server gets its first image, because loading takes 120 ms. */
export function loadSharp(): Promise<SharpConstructor> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    // Blocks all other formats that the library can read.
    sharp.block({ operation: ['VipsForeignLoad'] })
    const loaders = ['Jpeg', 'Png', 'Webp', 'Nsgif'].flatMap((type) =>
      ['File', 'Buffer'].map((from) => `VipsForeignLoad${type}${from}`),
    )
    sharp.unblock({ operation: loaders })
    return sharp as SharpConstructor
  })
  return loading
}

/**
 * Detects an image’s type by decoding the whole image once, at a small size. Throws 400 naming
 * `file` if it is not an image, is incomplete or is too large.
 */
export function inspectImage(businessId: number, path: string, name: string): Promise<ImageInfo> {
  return runImageTask(businessId, async () => {
    const sharp = await loadSharp()
    const input = sharp(path, { limitInputPixels: PIXELS_MAX, failOn: 'truncated', animated: true })
    try {
      const { format, pages = 1, autoOrient, pageHeight } = await input.metadata()
      const contentType = TYPES[format]
      if (!contentType) throw new Error(format)
      if (pages > FRAMES_MAX) throw refused(name, `must have at most ${FRAMES_MAX} frames`)
      await input.clone().resize(16, 16, { fit: 'fill', kernel: 'nearest' }).raw().toBuffer()
      return { contentType, width: autoOrient.width, height: pageHeight ?? autoOrient.height }
    } catch (error) {
      throw refusalOf(error as Error, name)
    }
  })
}

function refusalOf(error: Error, name: string): unknown {
  if (error.name === 'Problem') return error
  if (/pixel limit/.test(error.message)) return refused(name, 'must be at most 40 megapixels')
  return refused(name, 'must be a complete JPEG, PNG, WebP or GIF image')
}

const refused = (name: string, fault: string) =>
  invalid({ file: [`${fault} (sent as ${JSON.stringify(name)})`] }, 'bad_picture')

interface Made {
  picture: Encoded
  thumbnail: Pick<Encoded, 'content'>
}

/**
 * Encodes the image in its original format and adds a thumbnail. Uses only the first frame of an
 * animation that is too large, before or after encoding. Passes on errors from sharp.
 */
export function encodeImage(businessId: number, original: Buffer): Promise<Made> {
  return runImageTask(businessId, async () => {
    const sharp = await loadSharp()
    const { format, pages = 1, width, height } = await sharp(original).metadata()
    const thumbnail = await sharp(original, LIMITS)
      .autoOrient()
      .resize({ ...within(THUMBNAIL_EDGE_MAX), withoutEnlargement: true })
      .webp({ quality: 75 })
      .timeout({ seconds: SECONDS_MAX })
      .toBuffer()
    const isLight = pages > 1 && pages * width * height <= ANIMATED_PIXELS_MAX
    const ways = isLight ? [{ animated: true, edge: PICTURE_EDGE_MAX }, ...STILL] : STILL
    for (const way of ways) {
      const picture = await encodeAs(sharp(original, { ...LIMITS, ...way }), format, way)
      if (picture.content.length <= BYTES_MAX) return { picture, thumbnail: { content: thumbnail } }
    }
    throw new Error(`cannot make the ${format} image small enough`)
  })
}

/**
 * Slightly damaged images have already been accepted, so as much of them is shown as can be read.
 */
const LIMITS = { limitInputPixels: PIXELS_MAX, failOn: 'none' } as const

/**
 * At the last of these sizes, an image is always within the limit, even with 16-bit colours and no
 * compression.
 */
const STILL = [PICTURE_EDGE_MAX, PICTURE_EDGE_MAX / 2].map((edge) => ({ animated: false, edge }))

async function encodeAs(
  input: Sharp,
  format: string,
  { animated, edge }: { animated: boolean; edge: number },
): Promise<Encoded> {
  // The frames of an animation are stacked in one image, which cannot be rotated.
  if (!animated) input.autoOrient()
  const { data, info } = await input
    .resize({ ...within(edge), withoutEnlargement: true })
    .toFormat(format as 'jpeg', format === 'jpeg' || format === 'webp' ? { quality: 82 } : {})
    .timeout({ seconds: SECONDS_MAX })
    .toBuffer({ resolveWithObject: true })
  const { width, height, pageHeight = height } = info as typeof info & { pageHeight?: number }
  return { content: data, contentType: TYPES[format]!, width, height: pageHeight }
}

const within = (edge: number) => ({ width: edge, height: edge, fit: 'inside' }) as const

/** Runs a few tasks at a time. Businesses take turns. */
export const runImageTask = fairQueue(AT_ONCE_MAX)
