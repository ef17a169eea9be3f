import { invalid } from '../../lib/problem.ts'
import { randomText } from '../../lib/random.ts'
import { inTurn, sharpOf } from '../products/media/pictures.ts'
import type { BrandingRow } from './queries.ts'

/** Of what is sent: a logo is small, and comes as base64 in a body of at most 1 MiB. */
const LOGO_BYTES_MAX = 512 * 1024

/** A logo is at most this large on any page, paper or mail, at three pixels for each point. */
const EDGES_MAX = { width: 480, height: 160 }
const PIXELS_MAX = 4096 * 4096
const SECONDS_MAX = 10

/** A logo as it is kept, and what its address is made of. */
export interface Logo {
  key: string
  sha256: Buffer
  type: 'image/png' | 'image/jpeg'
  width: number
  height: number
}

export type KnownLogo = Pick<
  BrandingRow,
  'logo_key' | 'logo_sha256' | 'logo_type' | 'logo_width' | 'logo_height'
>

export const newLogoKey = (): string => randomText(22)

/** Says which content: the address of one logo is never that of another. */
const versionOf = (sha256: Buffer): string => sha256.toString('base64url').slice(0, 11)

const ENDINGS = { 'image/png': 'png', 'image/jpeg': 'jpg' } as const

export const logoPath = ({ key, sha256, type }: Pick<Logo, 'key' | 'sha256' | 'type'>): string =>
  `/brand/${key}/${versionOf(sha256)}.${ENDINGS[type]}`

const KEY = /^\w{22}$/

export const isLogoKey = (text: string): boolean => KEY.test(text)

export interface MadeLogo extends Pick<Logo, 'type' | 'width' | 'height'> {
  content: Buffer
}

/**
 * A logo made anew, in the size that pages need and without what its file carried beside its
 * pixels: PNG, or JPEG for what came as that, which every mail client and every paper can show.
 * Throws 400 naming `logo` for what is no PNG, JPEG or WebP by its bytes.
 */
export function makeLogo(businessId: number, sent: Buffer): Promise<MadeLogo> {
  if (sent.length > LOGO_BYTES_MAX) throw refused('must have at most 512 KiB')
  return inTurn(businessId, async () => {
    const sharp = await sharpOf()
    try {
      const input = sharp(sent, { limitInputPixels: PIXELS_MAX, failOn: 'truncated' })
      const { format } = await input.metadata()
      if (!['png', 'jpeg', 'webp'].includes(format)) throw new Error(format)
      const sized = input
        .autoOrient()
        .resize({ ...EDGES_MAX, fit: 'inside', withoutEnlargement: true })
        .timeout({ seconds: SECONDS_MAX })
      const isPhoto = format === 'jpeg'
      const { data, info } = await (isPhoto
        ? sized.jpeg({ quality: 85 })
        : sized.png({ palette: true, quality: 90, compressionLevel: 9 })
      ).toBuffer({ resolveWithObject: true })
      const type = isPhoto ? 'image/jpeg' : 'image/png'
      return { content: data, type, width: info.width, height: info.height }
    } catch (error) {
      throw refusalOf(error as Error)
    }
  })
}

function refusalOf({ message }: Error) {
  if (/pixel limit/.test(message)) return refused('must have at most 16 megapixels')
  return refused('must be a whole picture: PNG, JPEG or WebP by its bytes')
}

const refused = (fault: string) => invalid({ logo: [fault] }, 'bad_picture')

/** Content that was sent as base64, with or without what a `data:` address begins with. */
export function readBase64(text: string): Buffer {
  const [, digits] = /^(?:data:[a-z/+.-]+;base64,)?([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  if (!digits) throw refused('must be the bytes of a picture as base64')
  return Buffer.from(digits, 'base64')
}
