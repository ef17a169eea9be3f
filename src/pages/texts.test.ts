import { describe, expect, test } from 'vitest'
import { SHOP_STATES } from '../../test/browser/shop-states.ts'
import { STATES } from '../../test/browser/states.ts'
import { type PageContext, renderInvoicePage, renderMessagePage } from './pages.ts'
import { isLanguage, LANGUAGES, messageTexts, type Texts, textsOf } from './texts.ts'

const INVOICES = Object.fromEntries(
  Object.entries(STATES).map(([name, view]) => [
    name,
    { view, html: (ctx: PageContext) => renderInvoicePage(view, ctx) },
  ]),
)

const OTHERS = LANGUAGES.filter((language) => language !== 'en')

/** Placeholders for a message’s arguments, recognisable in the result. */
const GIVEN = ['⟦a⟧', '⟦b⟧'] as const

/** Lists every text with its path. Functions are called with the placeholders. */
function leavesOf(node: unknown, path: string): [path: string, text: string][] {
  if (typeof node === 'string') return [[path, node]]
  if (typeof node === 'function') return leavesOf(node(...GIVEN), path)
  return Object.entries(node as object).flatMap(([key, value]) =>
    leavesOf(value, path ? `${path}.${key}` : key),
  )
}

const leaves = (language: string) => new Map(leavesOf(textsOf(language), ''))
const english = leaves('en')

/** Texts that are meant to be the same as in English. */
const SAME = ['ussd.name', 'channel.USSD', 'timesEach']
const SAME_IN: Record<string, string[]> = {
  fr: ['total', 'paid.date', 'paper.test', 'test.mark'],
}

describe.each(OTHERS)('%s', (language) => {
  const own = leaves(language)

  test('has every text, none of them in English', () => {
    expect([...own.keys()]).toEqual([...english.keys()])
    const same = [...own].filter(([path, text]) => text === english.get(path)).map(([path]) => path)
    expect(same.sort()).toEqual([...SAME, ...(SAME_IN[language] ?? [])].sort())
    expect([...own].filter(([, text]) => !text.trim())).toEqual([])
  })

  test('includes every amount, name and time that the English text includes', () => {
    const given = (text: string) => GIVEN.filter((one) => text.includes(one))
    for (const [path, text] of own) {
      expect([path, ...given(text)]).toEqual([path, ...given(english.get(path)!)])
    }
    const headings = [textsOf(language).ussd.heading(''), textsOf(language).ussd.heading('Zenith')]
    expect(headings).toEqual([
      expect.not.stringContaining('Zenith'),
      expect.stringMatching(/Zenith/),
    ])
  })

  test('uses composed letters and its own diacritics', () => {
    const all = [...own.values()].join('\n')
    const marks: Record<string, RegExp> = {
      fr: /[éèàç]/g,
      ha: /[ɓɗƙ]/g,
      yo: /[ẹọṣ]/g,
      ig: /[ịọụ]/g,
    }
    expect(all).toBe(all.normalize('NFC'))
    expect(all.match(marks[language]!)!.length).toBeGreaterThan(30)
    // Typewriter quotes look poor, and are easily typed by mistake.
    expect(all).not.toMatch(/['"]/)
  })

  test('translates every state of every page', () => {
    for (const [name, { view, html }] of Object.entries({ ...INVOICES, ...SHOP_STATES })) {
      const [here, there] = [language, 'en'].map((locale) => saidBy(html({ nonce: 'n', locale })))
      const facts = `${JSON.stringify(view, printable)} USSD Tradepost`
      // A title can combine several facts, and JSON escapes line ends.
      const isFact = (one: string) =>
        one.split(/\n| · /).every((part) => facts.includes(part) || !/\p{L}{2}/u.test(part))
      const names = LANGUAGES.map((one) => textsOf(one).name)
      const words = here!.filter((one) => there!.includes(one) && /\p{L}{2}/u.test(one))
      const meant = [...SAME, ...(SAME_IN[language] ?? [])].map((path) => own.get(path))
      const left = words.filter(
        (one) => !isFact(one) && !names.includes(one) && !meant.includes(one),
      )
      expect([name, ...left]).toEqual([name])
    }
  })

  test('has a message page for every error status', () => {
    for (const status of [400, 404, 405, 409, 410, 418, 429, 500, 503, 599]) {
      const words = messageTexts(status, language)
      const html = renderMessagePage({ status, ...words }, { nonce: 'n', locale: language })
      expect(html).toContain(`<html lang="${language}">`)
      expect(html).toContain(`<h1>${words.title}</h1>`)
    }
  })
})

/** The visible texts of a page, and the attributes that are read out or used by the script. */
function saidBy(html: string): string[] {
  const texts = html.split(/<[^>]*>/)
  const spoken = /(?:aria-label|title|data-(?:copied|announce|checked))="([^"]*)"/g
  const attributes = [...html.matchAll(spoken)].map(([, words = '']) => words)
  return [...texts, ...attributes].map((one) => one.replace(/&amp;/g, '&').trim())
}

const printable = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)

test('a copy button’s accessible name begins with its visible text, for voice control', () => {
  for (const language of LANGUAGES) {
    const t: Texts = textsOf(language)
    expect(t.copyOf('x').startsWith(t.copy)).toBe(true)
  }
})

test('unknown languages fall back to English', () => {
  for (const code of ['de', 'constructor', '__proto__', 'EN', '']) {
    expect(isLanguage(code)).toBe(false)
    expect(textsOf(code).language).toBe('en')
  }
})
