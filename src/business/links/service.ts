import { Type } from 'typebox'
import type { Db, Tx } from '../../db/database.ts'
import type { Tenant } from '../../lib/caller.ts'
import { conflict, invalid } from '../../lib/problem.ts'
import { randomText } from '../../lib/tokens.ts'
import { deleteLink, insertLink, selectTakenLinks } from './queries.ts'

const PATTERN = '^[a-z0-9](?:[a-z0-9-]{1,62}[a-z0-9])$'

/** The last part of a page's URL, `/pay/{link}`, unique on the whole server. */
export const PageLink = Type.String({
  pattern: PATTERN,
  'x-says': 'must be 3 to 64 characters (a-z, 0-9 and -) and must not start or end with -',
  examples: ['ada-fashion'],
})

/**
 * Returns whether text from a URL has the format of a link. A URL can contain anything, even bytes
 * that can't be stored.
 */
export const isPageLink = (link: string): boolean => new RegExp(PATTERN).test(link)

const LENGTH_MIN = 3
const LINK_LENGTH_MAX = 64
/** The maximum length of a link made from a name, which leaves room for a suffix. */
const LENGTH_MAX = 50

/**
 * Words that the server itself may need, or that could make payers mistake a page for one of the
 * server's own.
 */
const RESERVED: ReadonlySet<string> = new Set(
  `about account admin all api app assets auth billing cancel cancelled checkout contact
   dashboard docs done download downloads edit error failed failure favicon health help home
   index invoice invoices live login logout mailbox metrics new null openapi page pages pay
   payment payments pending preview privacy receipt receipts refund register reset robots
   search settings signin signup simulator sitemap static status success support terms test
   thanks tradepost undefined update upload verify wallet webhook webhooks www`.split(/\s+/),
)

/** Reserves a link for a page. Throws 400 for a reserved word, and 409 if another page has it. */
export async function reserveLink(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  link: string,
  field: string,
): Promise<void> {
  if (RESERVED.has(link)) throw invalid({ [field]: ['is a reserved word'] })
  if (await insertLink(tx, tenant, pageId, link)) return
  throw conflict('link_taken', `Another page already has the link ${link}.`, {
    [field]: ['is taken'],
  })
}

/** Reserves a link made from the page's name, with a suffix if that one is taken. */
export async function reserveLinkFor(
  tx: Tx,
  tenant: Tenant,
  pageId: number,
  name: string,
): Promise<string> {
  const wanted = linkFrom(name)
  const isFit = wanted.length >= LENGTH_MIN && !RESERVED.has(wanted)
  if (isFit && (await insertLink(tx, tenant, pageId, wanted))) return wanted
  for (;;) {
    // The suffix has about 36 bits, so a second round is practically never needed.
    const link = `${wanted || 'page'}-${randomText(7).toLowerCase()}`
    if (await insertLink(tx, tenant, pageId, link)) return link
  }
}

export const releaseLink = (tx: Tx, tenant: Tenant, pageId: number, link: string) =>
  deleteLink(tx, tenant, pageId, link)

const SUGGESTIONS = 3

/**
 * Returns whether a page has the link and whether it is available. If it is not, also returns
 * similar links that are available.
 */
export async function linkState(db: Db, given: string) {
  const isFit = isPageLink(given)
  const link = isFit ? given : linkLike(given)
  const ends = ['2', '3', '4', '5', randomText(7).toLowerCase()]
  const like = ends.map((end) => `${cutTo(LINK_LENGTH_MAX - end.length - 1, link)}-${end}`)
  // If the input is not a valid link, the closest valid link comes first.
  const wanted = isFit || RESERVED.has(link) ? like : [link, ...like]
  const taken = await selectTakenLinks(db, [link, ...like])
  const exists = isFit && taken.has(link)
  const available = isFit && !exists && !RESERVED.has(link)
  const free = wanted.filter((one) => !taken.has(one))
  return { exists, available, suggestions: available ? [] : free.slice(0, SUGGESTIONS) }
}

/** Returns the valid link closest to a string. */
function linkLike(text: string): string {
  const link = linkFrom(text)
  return link.length >= LENGTH_MIN ? link : `page-${link}`.replace(/-$/, '')
}

const cutTo = (length: number, link: string) => link.slice(0, length).replace(/-+$/, '')

/** `Ọjà's Café & Co` becomes `oja-s-cafe-co`. The result can be empty. */
function linkFrom(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = plain.match(/[a-z0-9]+/g) ?? []
  return cutTo(LENGTH_MAX, words.join('-'))
}
