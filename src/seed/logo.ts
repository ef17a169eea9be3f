import { sharpOf } from '../files/pictures.ts'

/** Pixels, and looks at each of them in both directions. */
const SIDE = 160
const LOOKS = 4

/** A rosette as it is dyed into adire cloth, in one colour on nothing: a PNG. */
export async function drawLogo(color: string): Promise<Buffer> {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  const pixels = Buffer.alloc(SIDE * SIDE * 4)
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const at = (y * SIDE + x) * 4
      pixels.set([red!, green!, blue!, Math.round(255 * inkOf(x, y))], at)
    }
  }
  const sharp = await sharpOf()
  const raw = { width: SIDE, height: SIDE, channels: 4 } as const
  return sharp(pixels, { raw }).png().toBuffer()
}

/** How much of a pixel is dyed, from 0 to 1. */
function inkOf(x: number, y: number): number {
  let inked = 0
  for (let i = 0; i < LOOKS * LOOKS; i++) {
    const across = x + ((i % LOOKS) + 0.5) / LOOKS
    const down = y + (Math.floor(i / LOOKS) + 0.5) / LOOKS
    if (isInk((2 * across) / SIDE - 1, (2 * down) / SIDE - 1)) inked++
  }
  return inked / (LOOKS * LOOKS)
}

const PETALS = 8

/** On a disc of radius 1: a ring of dots around a flower, left undyed as wax leaves them. */
function isInk(x: number, y: number): boolean {
  const radius = Math.hypot(x, y)
  if (radius > 1) return false
  const turn = Math.atan2(y, x) * PETALS
  const isPetal = radius < 0.62 * Math.abs(Math.cos(turn / 2)) ** 0.6 && radius > 0.2
  if (isPetal || radius < 0.1) return false
  const nearest = (Math.round(turn / Math.PI / 2) * 2 + 1) * (Math.PI / PETALS)
  const between = [nearest, nearest - (2 * Math.PI) / PETALS]
  const isDot = between.some(
    (at) => Math.hypot(x - 0.8 * Math.cos(at), y - 0.8 * Math.sin(at)) < 0.1,
  )
  return !isDot
}
