import { randomFillSync } from 'node:crypto'

/** The digits of base 62. */
export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

// One call for 4 kB costs about what one for 16 bytes does, so bytes are drawn in stock.
const stock = Buffer.alloc(4096)
let used = stock.length

function randomByte(): number {
  if (used === stock.length) {
    randomFillSync(stock)
    used = 0
  }
  return stock[used++]!
}

/** `length` characters of 0-9A-Za-z, each with 5.95 bits that nobody can guess. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    const index = randomByte() & 63
    // 62 and 63 are drawn again: folding them would make two letters likelier than the others.
    if (index < 62) text += BASE62[index]
  }
  return text
}

/** A public reference: `INV_` and 119 random bits. */
export const newReference = (prefix: string): string => `${prefix}_${randomText(20)}`
