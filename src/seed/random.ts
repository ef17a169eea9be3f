import { BASE62 } from '../lib/tokens.ts'

/** Numbers that look drawn and are not: the same start gives the same ones on every machine. */
export interface Random {
  /** From 0 up to, but not, 1. */
  share(): number
  /** A whole number from `least` to `most`, both included. */
  whole(least: number, most: number): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
  /** So many characters of 0-9A-Za-z. */
  text(length: number): string
  digits(length: number): string
}

/** What a stream of numbers is for, so that no two of one invoice repeat each other. */
export const STREAM = {
  references: 1,
  orders: 2,
  plots: 3,
  decks: 4,
  days: 5,
  customers: 6,
} as const

/** The stream of one thing: each invoice has its own, so that none depends on those before it. */
export function randomOf(seed: number, stream: number, index: number): Random {
  const next = sfc32(seed, stream, index)
  const share = () => next() / 2 ** 32
  const whole = (least: number, most: number) => least + Math.floor(share() * (most - least + 1))
  const drawn = (length: number, characters: string) => {
    let text = ''
    while (text.length < length) text += characters[whole(0, characters.length - 1)]
    return text
  }
  return {
    share,
    whole,
    chance: (most) => share() < most,
    pick: (list) => list[whole(0, list.length - 1)]!,
    text: (length) => drawn(length, BASE62),
    digits: (length) => drawn(length, '0123456789'),
  }
}

/** Of a list, in another order. */
export function shuffled<T>(list: readonly T[], random: Random): T[] {
  const all = [...list]
  for (let i = all.length - 1; i > 0; i--) {
    const other = random.whole(0, i)
    const held = all[i]!
    all[i] = all[other]!
    all[other] = held
  }
  return all
}

/** "Small Fast Counting" by Chris Doty-Humphrey, with 32 bits a word. */
function sfc32(a: number, b: number, c: number): () => number {
  let counter = 1
  const next = () => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }
  // The first few still look like what they were started with.
  for (let i = 0; i < 12; i++) next()
  return next
}
