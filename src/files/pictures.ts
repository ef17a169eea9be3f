import type { Sharp, SharpConstructor } from 'sharp'
import { takingTurns } from '../lib/fair-queue.ts'
import { invalid } from '../lib/problem.ts'

/** Larger ones are bombs more often than photographs; of an animation, all frames together. */
const PIXELS_MAX = 40_000_000
const FRAMES_MAX = 300

/** Of all frames together: of a larger animation the first frame is shown. */
const ANIMATED_PIXELS_MAX = 8_000_000

/** Of one made anew, as of what may be sent. */
const BYTES_MAX = 10 * 1024 * 1024

/** For making one picture of one size. */
const SECONDS_MAX = 20

const PICTURE_EDGE_MAX = 2048
const THUMBNAIL_EDGE_MAX = 400

/** Decoding takes up to 160 MB and a core each. */
const AT_ONCE_MAX = 2

const TYPES: Record<string, string> = {
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
}

export interface Look {
  contentType: string
  width: number
  height: number
}

/** A picture made anew, without whatever the old one carried beside its pixels. */
interface Encoded extends Look {
  content: Buffer
}

export const THUMBNAIL_TYPE = 'image/webp'

let loading: Promise<SharpConstructor> | undefined

/** 120 ms, which a server spends when its first picture comes. */
export function sharpOf(): Promise<SharpConstructor> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    sharp.concurrency(1)
    // Whatever else the library could read, nobody can make it read.
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
 * What a picture is by its bytes, after all of it was decoded once, in small. Throws 400 naming
 * `file` for what is none, is cut off, or is too large to be shown.
 */
export function lookAt(businessId: number, path: string, name: string): Promise<Look> {
  return inTurn(businessId, async () => {
    const sharp = await sharpOf()
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
  if (/pixel limit/.test(error.message)) return refused(name, 'must have at most 40 megapixels')
  return refused(name, 'must be a whole picture: JPEG, PNG, WebP or GIF by its bytes')
}

const refused = (name: string, fault: string) =>
  invalid({ file: [`${fault} (${JSON.stringify(name)} is not)`] }, 'bad_picture')

/** A picture and a small one, as they are shown. */
interface Made {
  picture: Encoded
  thumbnail: Pick<Encoded, 'content'>
}

/**
 * The picture as it is shown, in its own type, and a small one. Of an animation that is much work,
 * or that would be too large, it is the first frame. Throws what sharp throws.
 */
export function encode(businessId: number, original: Buffer): Promise<Made> {
  return inTurn(businessId, async () => {
    const sharp = await sharpOf()
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
    throw new Error(`no way to make a ${format} small enough`)
  })
}

/** What is damaged a little was let in, and is shown as far as it goes. */
const LIMITS = { limitInputPixels: PIXELS_MAX, failOn: 'none' } as const

/** Whatever it shows, the last is small enough as 16 bit colours without compression. */
const STILL = [PICTURE_EDGE_MAX, PICTURE_EDGE_MAX / 2].map((edge) => ({ animated: false, edge }))

async function encodeAs(
  input: Sharp,
  format: string,
  { animated, edge }: { animated: boolean; edge: number },
): Promise<Encoded> {
  // Frames stand on top of each other, and cannot be turned.
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

/** Runs a few at once, of one business after the other. */
export const inTurn = takingTurns(AT_ONCE_MAX)
