import { describe, expect, test } from 'vitest'
import { breakLongWords } from './document.ts'

/** Ten letters to a line, each as wide as the letters are high; marks take no room. */
const broken = (text: string) =>
  breakLongWords(text, 10, (cluster) => cluster.replace(/\p{M}/gu, '').length).split('\n')

describe('words that are wider than their column', () => {
  test('are broken where the line is full', () => {
    expect(broken('abcdefghijklmnopqrstuvwxyz')).toEqual(['abcdefghij', 'klmnopqrst', 'uvwxyz'])
    expect(broken('x'.repeat(200))).toEqual(Array(20).fill('x'.repeat(10)))
  })

  test('begin a line of their own, and what follows stays on their last', () => {
    expect(broken('to abcdefghijklm and on')).toEqual(['to ', 'abcdefghij', 'klm and on'])
    expect(broken('to\nabcdefghijklm')).toEqual(['to', 'abcdefghij', 'klm'])
  })

  test('are broken behind a joint that is near the end of the line', () => {
    expect(broken('pay.here/invoices/1')).toEqual(['pay.here/', 'invoices/1'])
    expect(broken('a/bcdefghijklm')).toEqual(['a/bcdefghi', 'jklm'])
    expect(broken('-'.repeat(25))).toEqual(['-'.repeat(10), '-'.repeat(10), '-'.repeat(5)])
  })

  test('keep letters and their marks together, and the halves of what is beyond 16 bits', () => {
    const [high, dotted] = ['e\u0301', '\u1ecd\u0301']
    expect(broken((high + dotted).repeat(8))).toEqual([
      (high + dotted).repeat(5),
      (high + dotted).repeat(3),
    ])
    for (const line of broken('𝒜'.repeat(20))) expect(line).toMatch(/^(?:𝒜)+$/u)
  })

  test('are broken also when they are marks only, or held together by no-break spaces', () => {
    const wide = breakLongWords('\u0e31'.repeat(200), 10, (cluster) => cluster.length)
    expect(wide.split('\n').every((line) => line.length <= 10)).toBe(true)
    expect(broken('a\u00a0'.repeat(20)).every((line) => line.length <= 10)).toBe(true)
  })

  test('lose nothing', () => {
    const text = 'Ṣọlá/'.repeat(30)
    expect(broken(text).join('')).toBe(text)
  })
})

describe('words that fit', () => {
  test.each(['', ' ', 'short', 'some words of a usual length, one after the other\n\nand more'])(
    'are left as they are: %j',
    (text) => {
      expect(broken(text).join('\n')).toBe(text)
    },
  )
})
