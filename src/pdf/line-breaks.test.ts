import { describe, expect, test } from 'vitest'
import { breakLongWords } from './document.ts'

/** Ten letters per line, each as wide as the font size; marks have no width. */
const broken = (text: string) =>
  breakLongWords(text, 10, (cluster) => cluster.replace(/\p{M}/gu, '').length).split('\n')

describe('words that are wider than their column', () => {
  test('are broken where the line is full', () => {
    expect(broken('abcdefghijklmnopqrstuvwxyz')).toEqual(['abcdefghij', 'klmnopqrst', 'uvwxyz'])
    expect(broken('x'.repeat(200))).toEqual(Array(20).fill('x'.repeat(10)))
  })

  test('start on a new line, and the following text continues on their last line', () => {
    expect(broken('to abcdefghijklm and on')).toEqual(['to ', 'abcdefghij', 'klm and on'])
    expect(broken('to\nabcdefghijklm')).toEqual(['to', 'abcdefghij', 'klm'])
  })

  test('are broken after a joint near the end of the line', () => {
    expect(broken('pay.here/invoices/1')).toEqual(['pay.here/', 'invoices/1'])
    expect(broken('a/bcdefghijklm')).toEqual(['a/bcdefghi', 'jklm'])
    expect(broken('-'.repeat(25))).toEqual(['-'.repeat(10), '-'.repeat(10), '-'.repeat(5)])
  })

  test('keep letters with their marks, and surrogate pairs, together', () => {
    const [high, dotted] = ['e\u0301', '\u1ecd\u0301']
    expect(broken((high + dotted).repeat(8))).toEqual([
      (high + dotted).repeat(5),
      (high + dotted).repeat(3),
    ])
    for (const line of broken('𝒜'.repeat(20))) expect(line).toMatch(/^(?:𝒜)+$/u)
  })

  test('are broken even if they are only marks or are joined by no-break spaces', () => {
    const wide = breakLongWords('\u0e31'.repeat(200), 10, (cluster) => cluster.length)
    expect(wide.split('\n').every((line) => line.length <= 10)).toBe(true)
    expect(broken('a\u00a0'.repeat(20)).every((line) => line.length <= 10)).toBe(true)
  })

  test('lose no characters', () => {
    const text = 'Ṣọlá/'.repeat(30)
    expect(broken(text).join('')).toBe(text)
  })
})

describe('words that fit', () => {
  test.each(['', ' ', 'short', 'some words of a usual length, one after the other\n\nand more'])(
    'are left unchanged: %j',
    (text) => {
      expect(broken(text).join('\n')).toBe(text)
    },
  )
})
